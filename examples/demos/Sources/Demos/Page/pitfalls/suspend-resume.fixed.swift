// A queue that is resumed when the settings are closed, and when the view appears.

import Dispatch

func suspendResumeFixed() {
  let queue = DispatchQueue(label: "screen")
  var isSuspended = true
  func resumeOnce() {
    if isSuspended { queue.resume() }
    isSuspended = false
  }
  queue.suspend()
  queue.async { print("the block runs") }
  print("suspended; the settings are closed")
  resumeOnce()
  queue.sync { print("resumed; the view appears") }
  resumeOnce()
  queue.sync { print("the queue goes on") }
}
