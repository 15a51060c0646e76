// A download whose last step, the screen, belongs to the main queue.

import Dispatch

func groupWaitOnMainBroken() {
  let group = DispatchGroup()
  group.enter()
  DispatchQueue(label: "download").async {
    print("downloaded, now to the main queue")
    DispatchQueue.main.async {
      print("shown")
      group.leave()
    }
  }
  group.wait()
  print("the group is empty")
}
