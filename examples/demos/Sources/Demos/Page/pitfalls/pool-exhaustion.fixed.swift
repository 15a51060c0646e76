// 260 blocks that wait for one, each on a serial queue of its own.

import Dispatch
import Glibc

func poolExhaustionFixed() {
  let ready = DispatchGroup()
  let ended = DispatchGroup()
  ready.enter()
  for _ in 1...260 {
    ended.enter()
    ready.notify(queue: DispatchQueue(label: "waiter")) { ended.leave() }
  }
  DispatchQueue(label: "rescuer").async {
    print("the rescuer runs")
    ready.leave()
  }
  print("260 waiters and a rescuer are submitted")
  ended.notify(queue: .main) {
    print("all waiters have ended")
    exit(0)
  }
  dispatchMain()
}
