// Memory, threads and descriptors of this process after each of many equal rounds, and their growth.

import Glibc
import TestSupport

/// The resources of this process at a moment when no work is under way.
struct Resources {
  /// Bytes that malloc has given out; 0 with a sanitizer.
  let heap = bytesInUse()
  /// Resident and proportional set size in bytes.
  let resident: Int
  let proportional: Int
  let threads: Int
  let descriptors: Int

  init() {
    resident = Resources.kibibytes("/proc/self/status", "VmRSS:") * 1024
    proportional = Resources.kibibytes("/proc/self/smaps_rollup", "Pss:") * 1024
    threads = Resources.kibibytes("/proc/self/status", "Threads:")
    descriptors = names(inDirectory: "/proc/self/fd").count
  }

  /// The number after a key in a file of /proc.
  private static func kibibytes(_ file: String, _ key: String) -> Int {
    let text = String(decoding: contents(ofFile: Array(file.utf8)) ?? [], as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}

/// The growth over rounds, after a quarter of them for caches to fill.
///
/// Fails are: a slope of the heap of half a kibibyte a round (the median slope of all pairs of
/// rounds, so that single rounds do not matter); more descriptors in the last third than in the
/// first, by the medians; a quarter and two threads more, since libdispatch's pool keeps those of
/// the highest peak so far: it wakes idle ones in turn, so none of them times out; and a resident
/// set that has grown by 4 MiB and a tenth.
struct Growth: CustomStringConvertible {
  let rounds: Int
  /// Bytes of the heap a round.
  let heapSlope: Double
  let resident: (first: Int, last: Int)
  let threads: (first: Int, last: Int)
  let descriptors: (first: Int, last: Int)

  init(_ samples: [Resources]) {
    rounds = samples.count
    let used = Array(samples.dropFirst(samples.count / 4))
    heapSlope = Growth.slope(used.map(\.heap))
    resident = Growth.thirds(used.map(\.resident))
    threads = Growth.thirds(used.map(\.threads))
    descriptors = Growth.thirds(used.map(\.descriptors))
  }

  /// What has grown; empty if nothing has.
  var faults: [String] {
    var faults: [String] = []
    if heapSlope >= 512 { faults.append("the heap grows by \(Int(heapSlope)) bytes a round") }
    if descriptors.last > descriptors.first { faults.append("descriptors grow") }
    if threads.last > threads.first + threads.first / 4 + 2 { faults.append("threads grow") }
    if resident.last > resident.first + resident.first / 10 + 4 << 20 {
      faults.append("the resident set grows")
    }
    return faults
  }

  var description: String {
    "\(rounds) rounds: heap \(Int(heapSlope)) bytes a round; resident "
      + "\(resident.first >> 10) to \(resident.last >> 10) KiB; threads \(threads.first) to "
      + "\(threads.last); descriptors \(descriptors.first) to \(descriptors.last)"
  }

  /// The median of the slopes between all pairs of at most 300 samples.
  private static func slope(_ values: [Int]) -> Double {
    let step = max(1, values.count / 300)
    let chosen = stride(from: 0, to: values.count, by: step).map { ($0, values[$0]) }
    var slopes: [Double] = []
    for (index, left) in chosen.enumerated() {
      for right in chosen.dropFirst(index + 1) {
        slopes.append(Double(right.1 - left.1) / Double(right.0 - left.0))
      }
    }
    return slopes.isEmpty ? 0 : slopes.sorted()[slopes.count / 2]
  }

  /// The medians of the first and the last third.
  private static func thirds(_ values: [Int]) -> (first: Int, last: Int) {
    let count = max(1, values.count / 3)
    let median = { (part: ArraySlice<Int>) in part.sorted().dropFirst(part.count / 2).first ?? 0 }
    return (median(values.prefix(count)), median(values.suffix(count)))
  }
}
