internal import Weir

/// The progress of a run, for threads that watch it.
struct DuplicatesProgress: Sendable {
  var isRunning = false
  /// The bytes to read up to the end of the present stage.
  var planned: UInt64 = 0
  /// Bytes that the comparison has read itself.
  var compared: UInt64 = 0
  var changed: UInt64 = 0
  /// Files that the comparison could not read.
  var failed: UInt64 = 0
  /// Files whose size was not selected.
  var unselected: UInt64 = 0
  var found = DuplicatesStatistics()

  /// Returns the statistics of all stages as one run: a file that is read in two stages counts
  /// once.
  func statistics(of stages: [FileStatistics]) -> FileStatistics {
    guard let first = stages.first else { return .none }
    let later = stages.dropFirst()
    var sum = later.reduce(first, +)
    sum.bytes += compared
    sum.changed += changed + later.reduce(0) { $0 + $1.special }
    sum.failed += failed
    sum.special = first.special
    sum.specialNamed = first.specialNamed
    sum.excluded = first.excluded
    let lost = sum.failed - first.failed + (sum.changed - first.changed)
    sum.files = first.files - min(first.files, lost + unselected)
    sum.unread = sum.files - min(sum.files, later.first?.files ?? 0)
    sum.found =
      first.found - min(first.found, unselected)
      + (later.last.map(DuplicatesProgress.unfinished) ?? 0)
    // The size of the rest is known and need not be estimated.
    sum.opened = sum.found
    sum.bytesExpected = planned
    return sum
  }

  private static func unfinished(_ statistics: FileStatistics) -> UInt64 {
    let over =
      statistics.files + statistics.failed + statistics.changed + statistics.special
      + statistics.excluded
    return statistics.found - min(statistics.found, over)
  }
}
