// The bottleneck of a run, for --verbose.

internal import Weir

/// The part of the engine that a run waited for most.
///
/// The thread that finds the files waits if another part is slower. If it hardly waits,
/// the search itself takes the time. After the search, the time is spent on reading.
enum Bottleneck: Equatable {
  /// The search for files.
  case walk
  /// Reading, with all lanes busy.
  case lanes
  /// The number of descriptors.
  case descriptors
  /// The number of readers per device.
  case readers
  /// The output, which is slower than reading.
  case delivery

  /// Returns the bottleneck of a run, and its part of the time.
  static func of(
    _ statistics: FileStatistics, seconds: Double
  ) -> (bottleneck: Bottleneck, part: Double) {
    let total = max(seconds * 1e9, 1)
    let waits: [(bottleneck: Bottleneck, nanoseconds: UInt64)] = [
      (.descriptors, statistics.nanosecondsForDescriptors),
      (.readers, statistics.nanosecondsForReaders),
      (.delivery, statistics.nanosecondsForDelivery),
      (.lanes, statistics.nanosecondsForLanes),
    ]
    let feeding = Double(statistics.nanosecondsFeeding)
    let waited = waits.reduce(0) { $0 + Double($1.nanoseconds) }
    var parts = waits.map { (bottleneck: $0.bottleneck, part: Double($0.nanoseconds) / total) }
    parts[3].part += max(0, total - feeding) / total
    parts.append((bottleneck: .walk, part: max(0, feeding - waited) / total))
    return parts.max { $0.part < $1.part } ?? (.lanes, 1)
  }

  /// Returns the report on the bottleneck, with the option that changes it.
  ///
  /// - Parameter work: The work of the lanes.
  static func line(
    _ statistics: FileStatistics, seconds: Double, work: String = "reading"
  ) -> String {
    let (bottleneck, part) = of(statistics, seconds: seconds)
    let percent = "\(Int((100 * min(part, 1)).rounded())) % of the time"
    switch bottleneck {
    case .walk:
      return "bound by finding the files: \(percent); more lanes would not help"
    case .lanes where statistics.lanesPeak < statistics.lanes:
      return "bound by \(work): \(percent); there was too little work for all lanes"
    case .lanes:
      let lanes = Quantities.count(statistics.lanes, "lane", "lanes")
      return "bound by \(work): all \(lanes) were busy for \(percent); change the number"
        + " with --jobs N"
    case .descriptors:
      return "bound by descriptors: none was free for \(percent); raise --descriptors N or"
        + " ulimit -n"
    case .readers:
      return "bound by the storage: all its readers were busy for \(percent); override"
        + " their number with --jobs N"
    case .delivery:
      return "bound by the output: results waited to be written in order for \(percent);"
        + " --unordered avoids the wait"
    }
  }
}
