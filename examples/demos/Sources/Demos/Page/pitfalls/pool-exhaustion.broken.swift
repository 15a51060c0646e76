// 260 blocks that wait for one, each on a serial queue of its own.

import Dispatch
import Glibc

func poolExhaustionBroken() {
  let ready = DispatchSemaphore(value: 0)
  let ended = DispatchGroup()
  for _ in 1...260 {
    DispatchQueue(label: "waiter").async(group: ended) { ready.wait() }
  }
  DispatchQueue(label: "rescuer").async {
    print("the rescuer runs")
    for _ in 1...260 { ready.signal() }
  }
  print("260 waiters and a rescuer are submitted")
  ended.notify(queue: .main) {
    print("all waiters have ended")
    exit(0)
  }
  dispatchMain()
}
