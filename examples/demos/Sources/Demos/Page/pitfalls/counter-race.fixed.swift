// A counter that the iterations of a concurrent loop change.

import Dispatch
import Synchronization

private let counter = Atomic<Int>(0)

func counterRaceFixed() {
  DispatchQueue.concurrentPerform(iterations: 1_000_000) { _ in
    counter.wrappingAdd(1, ordering: .relaxed)
  }
  print("the counter is \(counter.load(ordering: .relaxed))")
}
