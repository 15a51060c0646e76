// A queue that is resumed when the settings are closed, and when the view appears.

import Dispatch

func suspendResumeBroken() {
  let queue = DispatchQueue(label: "screen")
  queue.suspend()
  queue.async { print("the block runs") }
  print("suspended; the settings are closed")
  queue.resume()
  queue.sync { print("resumed; the view appears") }
  queue.resume()
  queue.sync { print("the queue goes on") }
}
