// Memory, threads and descriptors of this process after each of many equal rounds, and their growth.

import Glibc
import TestSupport

/// The resources of this process at a moment when no work is under way.
struct Resources {
  /// Bytes that malloc has given out; 0 with a sanitizer.
  let heap = bytesInUse()
  /// The resident set size in bytes.
  let resident: Int
  let threads: Int
  /// Without timerfds: libdispatch opens one for each clock when a timer first has to wait.
  let descriptors = openDescriptors().count { $0 != Array("anon_inode:[timerfd]".utf8) }

  init() {
    resident = Resources.kibibytes("/proc/self/status", "VmRSS:") * 1024
    threads = Resources.kibibytes("/proc/self/status", "Threads:")
  }

  /// The number after a key in a file of /proc.
  private static func kibibytes(_ file: String, _ key: String) -> Int {
    let text = String(decoding: contents(ofFile: Array(file.utf8)) ?? [], as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}

/// The growth over rounds, after a quarter of them for caches to fill: of each resource the medians of
/// the first and of the last third, which lie half of the rounds apart.
///
/// What fails: half a kibibyte of the heap a round, in fewer than 1,000 rounds a mebibyte, since the caches
/// of libdispatch's threads fill in the first hundreds; a descriptor more; a quarter and two threads more,
/// since libdispatch's pool keeps those of the highest peak so far: it wakes idle ones in turn, so none of
/// them times out; and a resident set that has grown by 4 MiB and a tenth.
struct Growth: CustomStringConvertible {
  private let rounds: Int
  private let heap, resident, threads, descriptors: (first: Int, last: Int)

  init(_ samples: [Resources]) {
    rounds = samples.count
    let used = samples.dropFirst(samples.count / 4)
    let (begin, end) = (used.prefix(used.count / 3 + 1), used.suffix(used.count / 3 + 1))
    func medians(_ value: (Resources) -> Int) -> (first: Int, last: Int) {
      func median(_ part: ArraySlice<Resources>) -> Int {
        part.map(value).sorted().dropFirst(part.count / 2).first ?? 0
      }
      return (median(begin), median(end))
    }
    (heap, resident) = (medians(\.heap), medians(\.resident))
    (threads, descriptors) = (medians(\.threads), medians(\.descriptors))
  }

  private var heapBytesARound: Int { (heap.last - heap.first) / max(1, rounds / 2) }
  private var heapLimit: Int { rounds < 1000 ? 1 << 20 : rounds << 8 }

  /// What has grown; empty if nothing has.
  var faults: [String] {
    let limits = [
      ("the heap", heap.last - heap.first, heapLimit),
      ("descriptors", descriptors.last, descriptors.first),
      ("threads", threads.last, threads.first + threads.first / 4 + 2),
      ("the resident set", resident.last, resident.first + resident.first / 10 + 4 << 20),
    ]
    return limits.filter { $0.1 > $0.2 }.map(\.0)
  }

  var description: String {
    "\(rounds) rounds: heap \(heap.first >> 10) to \(heap.last >> 10) KiB, "
      + "\(heapBytesARound) bytes a round; resident \(resident.first >> 10) to "
      + "\(resident.last >> 10) KiB; threads \(threads.first) to \(threads.last); descriptors "
      + "\(descriptors.first) to \(descriptors.last)"
  }
}
