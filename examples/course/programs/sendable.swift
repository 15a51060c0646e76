// The results of some requests are added up, each on a thread of its own.

import Dispatch

final class Statistics {
  var bytes = 0
}

func download(_ sizes: [Int]) -> Int {
  var count = 0
  let statistics = Statistics()
  let group = DispatchGroup()
  for size in sizes {
    DispatchQueue.global().async(group: group) {
      count += 1
      statistics.bytes += size
    }
  }
  group.wait()
  return statistics.bytes / count
}
