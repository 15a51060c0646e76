// How far a run of several stages has come.

internal import Weir

/// The stages of a run, for those who watch it and those who end it.
struct DuplicatesStages: Sendable {
  var isRunning = false
  var isCanceled = false
  /// The first one finds the files, the second reads each of those that may be equal.
  var all: [JobControl] = []
  /// Whether the present stage is the last one.
  var isLast = false
  /// How many bytes there are to be read up to the end of the present stage.
  var planned: UInt64 = 0
  /// Bytes that were read beside the processors.
  var compared: UInt64 = 0
  /// Files that had changed since they were found.
  var changed: UInt64 = 0
  /// Those that could not be read beside the processors.
  var failed: UInt64 = 0
  /// What has come of it, when it is over.
  var found = DuplicatesFigures()

  /// All of it as one run: its files are those that were found; a file that is read in
  /// two stages is one.
  var statistics: FileStatistics {
    guard let first = all.first?.statistics() else { return .none }
    let later = all.dropFirst().map { $0.statistics() }
    var sum = later.reduce(first, +)
    sum.bytes += compared
    sum.changed += changed + later.reduce(0) { $0 + $1.special }
    sum.failed += failed
    sum.special = first.special
    sum.specialNamed = first.specialNamed
    sum.excluded = first.excluded
    let lost = sum.failed - first.failed + (sum.changed - first.changed)
    sum.files = first.files - min(first.files, lost)
    sum.unread = sum.files - min(sum.files, later.first?.files ?? 0)
    sum.found = first.found + (later.last.map(DuplicatesStages.pending) ?? 0)
    // What they will come to is known, and nothing has to be guessed from it.
    sum.opened = sum.found
    sum.bytesExpected = planned
    if !isLast { sum.expectMore() }
    return sum
  }

  /// Files that were found and have not come to an end yet.
  private static func pending(_ statistics: FileStatistics) -> UInt64 {
    let over =
      statistics.files + statistics.failed + statistics.changed + statistics.special
      + statistics.excluded
    return statistics.found - min(statistics.found, over)
  }
}
