// What bound a run.

internal import Weir

/// What a run waited for, in a line: what to change so that it goes faster.
///
/// The thread that finds the files waits where something else is slower. Where it
/// hardly waits, finding them is what takes the time; what comes when all are found
/// is reading.
enum Binding: Equatable {
  /// Finding the files.
  case walk
  /// Reading them, with all lanes busy.
  case lanes
  /// Descriptors.
  case descriptors
  /// A device that has no more readers.
  case readers
  /// What was read is not written as fast.
  case delivery

  /// What took the most of a run, and which part of it.
  static func of(_ statistics: FileStatistics, seconds: Double) -> (what: Binding, part: Double) {
    let total = max(seconds * 1e9, 1)
    let waits: [(what: Binding, nanoseconds: UInt64)] = [
      (.descriptors, statistics.nanosecondsForDescriptors),
      (.readers, statistics.nanosecondsForReaders),
      (.delivery, statistics.nanosecondsForDelivery),
      (.lanes, statistics.nanosecondsForLanes),
    ]
    let feeding = Double(statistics.nanosecondsFeeding)
    let waited = waits.reduce(0) { $0 + Double($1.nanoseconds) }
    var parts = waits.map { (what: $0.what, part: Double($0.nanoseconds) / total) }
    parts[3].part += max(0, total - feeding) / total
    parts.append((what: .walk, part: max(0, feeding - waited) / total))
    return parts.max { $0.part < $1.part } ?? (.lanes, 1)
  }

  /// What to say of it.
  ///
  /// - Parameter work: What the lanes do.
  static func line(
    _ statistics: FileStatistics, seconds: Double, work: String = "reading"
  ) -> String {
    let (what, part) = of(statistics, seconds: seconds)
    let percent = "\(Int((100 * min(part, 1)).rounded())) % of the time"
    switch what {
    case .walk:
      return "bound by finding the files: \(percent); more lanes would not help"
    case .lanes:
      let lanes = Quantities.count(statistics.lanes, "lane", "lanes")
      return "bound by \(work): \(percent) all was found and waited for \(lanes); --jobs N"
        + " changes how many"
    case .descriptors:
      return "bound by descriptors: \(percent) none was to be had; --descriptors N and"
        + " ulimit -n say how many"
    case .readers:
      return "bound by the storage: \(percent) its readers were all at work; --jobs N"
        + " overrides how many it has"
    case .delivery:
      return "bound by the output: \(percent) what was read waited to be written in its"
        + " turn; --unordered does not wait for turns"
    }
  }
}
