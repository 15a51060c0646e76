// A counter that two threads change. Without unsafe, Swift 6 refuses it.

import Dispatch

nonisolated(unsafe) var counter = 0

func count() {
  for _ in 1...100_000 { counter += 1 }
}

DispatchQueue.concurrentPerform(iterations: 2) { _ in count() }
print("the counter is \(counter)")
