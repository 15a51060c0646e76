// A download with a time-out: its completion handler is called for each.

import Dispatch

func extraLeaveFixed() {
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "download")
  let completion: @Sendable (String) -> Void = { result in
    print(result)
  }
  queue.async(group: group) {  // enters, and leaves once
    completion("time-out")
    completion("answer")
  }
  group.wait()
  queue.sync { print("the download is over") }
}
