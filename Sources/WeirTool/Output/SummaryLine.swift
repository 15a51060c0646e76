// The summary line of a run: its counts, its amount and speed, and what bound it. What is special
// to a verb is in CheckTotal (check), CommandReport (run), OutputMessages (hash --update) and
// DuplicatesOutput.

internal import FileJobs
internal import Weir

enum SummaryLine {
  /// - Parameter listsLinks: True if the output contains symbolic links.
  static func counts(_ statistics: FileStatistics, listsLinks: Bool = false) -> String {
    let read = statistics.files - statistics.unread
    return counts(
      "\(Quantities.count(read, "file", "files")) read",
      [(statistics.unread, nil, "known without reading")]
        + unread(statistics, listsLinks: listsLinks), excluded: statistics.excluded)
  }

  static func unread(
    _ statistics: FileStatistics, listsLinks: Bool = false
  ) -> [(count: UInt64, noun: (String, String)?, text: String)] {
    [
      (statistics.failed, nil, "could not be read"),
      (statistics.changed, nil, "changed while being read"),
      (statistics.special, ("special file", "special files"), "not opened"),
      (
        statistics.links, ("symbolic link", "symbolic links"), listsLinks ? "listed" : "skipped"
      ),
      (statistics.filtered, nil, "skipped by filters"),
    ]
  }

  static func counts<Count: BinaryInteger>(
    _ first: String, _ more: [(count: Count, noun: (String, String)?, text: String)],
    excluded: UInt64 = 0
  ) -> String {
    var line = first
    for (count, noun, text) in more where count > 0 {
      let subject = noun.map { Quantities.count(count, $0, $1) } ?? Quantities.count(count)
      line += ", \(subject) \(text)"
    }
    if excluded > 0 { line += ", the output skipped" }
    return line
  }

  static func pace(_ statistics: FileStatistics, seconds: Double) -> String {
    let time = max(seconds, 0.000_001)
    return """
      \(Quantities.bytes(Double(statistics.bytes))) in \(Quantities.seconds(seconds)) \
      (\(Quantities.bytes(Double(statistics.bytes) / time))/s, \
      \(Quantities.count(Int(Double(statistics.files - statistics.unread) / time))) files/s)
      """
  }

  static func peaks(_ statistics: FileStatistics) -> String {
    let ahead = statistics.directoriesListedAhead
    let listed = ahead > 0 ? "; \(Quantities.count(ahead)) directories listed ahead" : ""
    return """
      used \(Quantities.count(statistics.lanesPeak)) of \
      \(Quantities.count(statistics.lanes, "lane", "lanes")), \
      \(Quantities.count(statistics.descriptorsPeak, "descriptor", "descriptors")) at most\
      \(listed)
      """
  }

  /// Returns the report on the part of the engine that a run waited for most, with the option that
  /// changes it, for --verbose.
  ///
  /// The thread that finds the files waits if another part is slower. If it hardly waits, the
  /// search itself takes the time. After the search, the time is spent on reading.
  static func bottleneck(
    _ statistics: FileStatistics, seconds: Double, work: String = "reading"
  ) -> String {
    let total = max(seconds * 1e9, 1)
    let feeding = Double(statistics.nanosecondsFeeding)
    let (descriptors, readers) = (
      Double(statistics.nanosecondsForDescriptors), Double(statistics.nanosecondsForReaders)
    )
    let (delivery, lanes) = (
      Double(statistics.nanosecondsForDelivery), Double(statistics.nanosecondsForLanes)
    )
    let count = Quantities.count(statistics.lanes, "lane", "lanes")
    let isIdle = statistics.lanesPeak < statistics.lanes
    let parts = [
      (descriptors, "descriptors: none was free for", "raise --descriptors N or ulimit -n"),
      (
        readers, "the storage: all its readers were busy for", "override their number with --jobs N"
      ),
      (
        delivery, "the output: results waited to be written in order for",
        "--unordered avoids the wait"
      ),
      (
        lanes + max(0, total - feeding),
        isIdle ? "\(work):" : "\(work): all \(count) were busy for",
        isIdle
          ? "there was too little work for all lanes" : "change the number with --jobs N"
      ),
      (
        max(0, feeding - descriptors - readers - delivery - lanes), "finding the files:",
        "more lanes would not help"
      ),
    ]
    let most = parts.max { $0.0 < $1.0 } ?? parts[3]
    let percent = Int((100 * min(most.0 / total, 1)).rounded())
    return "bound by \(most.1) \(percent) % of the time; \(most.2)"
  }

  /// Returns the report on the number of readers that the run ended with, and the reason; `nil`
  /// if the number was fixed, or the run ended before it was measured.
  static func readers(_ statistics: FileStatistics) -> String? {
    let readers = Quantities.count(statistics.readers, "reader", "readers")
    let peak = statistics.lanes > statistics.readers ? " (\(statistics.lanes) at most)" : ""
    let reason: String? =
      switch statistics.readersReason {
      case .asGiven: nil
      case .coresBusy: "the cores were busy, so that more would not help"
      case .noMoreWork: "there were not enough files ready for more"
      case .waiting: "they waited for the storage while cores were idle"
      }
    return reason.map { "chose \(readers)\(peak): \($0)" }
  }
}
