// Five pictures by operations, at most two at once; the fourth is cancelled.

import Foundation

let queue = OperationQueue()
queue.maxConcurrentOperationCount = 2
queue.isSuspended = true  // a Boolean: it does not count, as suspend() of a queue does

let last = BlockOperation { print("all are over") }
for id in 1...5 {
  let fetch = BlockOperation {
    Thread.sleep(forTimeInterval: 0.1 * Double(id))  // blocks a thread, as a slow call does
    print("picture \(id)")
  }
  last.addDependency(fetch)  // in place of a group
  queue.addOperation(fetch)
  if id == 4 { fetch.cancel() }  // has not begun, and never will
}
queue.addOperation(last)
queue.isSuspended = false
queue.waitUntilAllOperationsAreFinished()
