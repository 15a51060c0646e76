internal import SystemPackage
internal import Weir

/// Reports files that were not read.
struct FileReporter: Sendable {
  let console: Console
  /// The verb, for the advised command.
  let verb: String
  /// True if the verb can read standard input instead of a special file.
  var readsInput = true

  /// The message on one file.
  struct Finding {
    /// The kind in JSON: `"unreadable"`, `"changed"` or `"special"`.
    let kind: String
    let reason: String
    /// The command to use instead.
    var advice: [UInt8] = []
    /// True if the file does not count as an error.
    var isSkip = false
  }

  /// Reports a result on standard error, unless it is plain success.
  func report(_ result: FileResult) {
    if let finding = finding(result) { report(finding, of: result) }
  }

  func report(_ finding: Finding, of result: FileResult) {
    let reason = finding.isSkip ? "skipped: \(finding.reason)" : finding.reason
    console.report(
      QuotedName.bytes(of: result.path) + Array(": \(reason)".utf8) + finding.advice)
  }

  /// Returns the message on a result; `nil` for success.
  func finding(_ result: FileResult) -> Finding? {
    switch result.outcome {
    case .done, .noted, .directory, .link:
      nil
    case .failed(let error):
      Finding(kind: "unreadable", reason: "\(error)")
    case .changed(.noSuchFileOrDirectory):
      Finding(kind: "changed", reason: "was removed while it was read")
    case .changed:
      Finding(kind: "changed", reason: "changed while it was read")
    case .special where result.isNamed:
      Finding(
        kind: "special", reason: "is \(FileReporter.kind(result.type))", advice: advice(result))
    case .special:
      Finding(kind: "special", reason: "is \(FileReporter.kind(result.type))", isSkip: true)
    }
  }

  /// Returns the command that reads a special file; a socket cannot be opened at all.
  private func advice(_ result: FileResult) -> [UInt8] {
    if result.type == .socket || !readsInput { return [] }
    return Array("; to read it, use: weir \(verb) - < ".utf8)
      + QuotedName.bytes(of: result.path)
  }

  static func kind(_ type: EntryType) -> String {
    switch type {
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .characterDevice: "a character device"
    case .blockDevice: "a block device"
    case .file: "a regular file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    default: "neither a file nor a directory"
    }
  }

  /// Returns the counts of a run by kind.
  ///
  /// - Parameter listsLinks: True if the output contains symbolic links.
  static func counts(_ statistics: FileStatistics, listsLinks: Bool = false) -> String {
    let read = statistics.files - statistics.unread
    let more: [(count: UInt64, noun: (String, String)?, text: String)] = [
      (statistics.unread, nil, "known without reading"),
      (statistics.failed, nil, "could not be read"),
      (statistics.changed, nil, "changed while being read"),
      (statistics.special, ("special file", "special files"), "not opened"),
      (
        statistics.links, ("symbolic link", "symbolic links"), listsLinks ? "listed" : "skipped"
      ),
      (statistics.filtered, nil, "skipped by filters"),
    ]
    return counts(
      "\(Quantities.count(read, "file", "files")) read", more, excluded: statistics.excluded)
  }

  /// Joins the counts that are not zero.
  static func counts(
    _ first: String, _ more: [(count: UInt64, noun: (String, String)?, text: String)],
    excluded: UInt64
  ) -> String {
    var parts = [first]
    for (count, noun, text) in more where count > 0 {
      let subject = noun.map { Quantities.count(count, $0, $1) } ?? Quantities.count(count)
      parts.append("\(subject) \(text)")
    }
    if excluded > 0 { parts.append("the output skipped") }
    return parts.joined(separator: ", ")
  }

  /// Returns the amount that was read, the speed, and the resources that were used.
  static func pace(_ statistics: FileStatistics, seconds: Double) -> String {
    let time = max(seconds, 0.000_001)
    return """
      \(Quantities.bytes(Double(statistics.bytes))) in \(Quantities.seconds(seconds)) \
      (\(Quantities.bytes(Double(statistics.bytes) / time))/s, \
      \(Quantities.count(Int(Double(statistics.files - statistics.unread) / time))) files/s); \
      \(peaks(statistics))
      """
  }

  /// Returns the largest numbers of lanes and descriptors in use.
  static func peaks(_ statistics: FileStatistics) -> String {
    """
    \(Quantities.count(statistics.lanesPeak)) of \(Quantities.count(statistics.lanes, "lane", "lanes")), \
    \(Quantities.count(statistics.descriptorsPeak, "descriptor", "descriptors")) at most
    """
  }
}

extension Session.Summary {
  /// The report of a verb that writes a line for each file. If an existing file could
  /// not be read, the counts are a remark, and the status is `unreadable`.
  init(_ ending: Session.Ending, listsLinks: Bool = false) {
    let statistics = ending.statistics
    let isIncomplete =
      statistics.failed > 0 || statistics.changed > 0 || statistics.specialNamed > 0
    let counts = FileReporter.counts(statistics, listsLinks: listsLinks)
    self.init(
      line: "\(counts); \(FileReporter.pace(statistics, seconds: ending.seconds))",
      remark: isIncomplete ? counts : nil,
      status: isIncomplete ? .unreadable : nil)
  }
}
