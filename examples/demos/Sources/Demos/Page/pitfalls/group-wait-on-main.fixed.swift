// A download whose last step, the screen, belongs to the main queue.

import Dispatch
import Glibc

func groupWaitOnMainFixed() {
  let group = DispatchGroup()
  group.enter()
  DispatchQueue(label: "download").async {
    print("downloaded, now to the main queue")
    DispatchQueue.main.async {
      print("shown")
      group.leave()
    }
  }
  group.notify(queue: .main) {
    print("the group is empty")
    exit(0)
  }
  dispatchMain()
}
