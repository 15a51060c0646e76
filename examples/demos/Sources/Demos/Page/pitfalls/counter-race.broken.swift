// A counter that the iterations of a concurrent loop change.

import Dispatch

private nonisolated(unsafe) var counter = 0  // without unsafe, Swift 6 refuses it

func counterRaceBroken() {
  DispatchQueue.concurrentPerform(iterations: 1_000_000) { _ in
    counter += 1
  }
  print("the counter is \(counter)")
}
