// What is said about files that could not be read, and about the whole.

internal import SystemPackage
internal import Weir

/// Words for results that are not plain success.
struct FileReport: Sendable {
  let console: Console
  /// The verb, for what to type instead.
  let verb: String
  /// Whether the verb reads standard input, which can be what cannot be named.
  var readsInput = true

  /// A result in words.
  struct Finding {
    /// For programs: `"unreadable"`, `"changed"`, `"special"`.
    let kind: String
    let reason: String
    /// What to type instead.
    var advice: [UInt8] = []
    /// Whether the run goes on as if nothing were wrong.
    var isSkip = false
  }

  /// Says on standard error what there is to say of one file.
  func tell(_ result: FileResult) {
    if let finding = finding(result) { tell(finding, of: result) }
  }

  func tell(_ finding: Finding, of result: FileResult) {
    let reason = finding.isSkip ? "skipped: \(finding.reason)" : finding.reason
    console.say(
      QuotedName.bytes(of: result.path) + Array(": \(reason)".utf8) + finding.advice)
  }

  /// What there is to say of one file; `nil` where all is well.
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
        kind: "special", reason: "is \(FileReport.kind(result.type))", advice: advice(result))
    case .special:
      Finding(kind: "special", reason: "is \(FileReport.kind(result.type))", isSkip: true)
    }
  }

  /// What to type instead: a socket cannot be opened by anybody.
  private func advice(_ result: FileResult) -> [UInt8] {
    if result.type == .socket || !readsInput { return [] }
    return Array("; to read it, say: weir \(verb) - < ".utf8)
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

  /// The counts by kind, which are the same for every run.
  ///
  /// - Parameters:
  ///   - figures: The figures.
  ///   - listsLinks: Whether symbolic links are among what was written.
  static func counts(_ statistics: FileStatistics, listsLinks: Bool = false) -> String {
    var parts = ["\(Quantities.count(statistics.files - statistics.unread, "file", "files")) read"]
    if statistics.unread > 0 {
      parts.append("\(Quantities.count(statistics.unread)) known and not read")
    }
    if statistics.failed > 0 {
      parts.append("\(Quantities.count(statistics.failed)) could not be read")
    }
    if statistics.changed > 0 {
      parts.append("\(Quantities.count(statistics.changed)) changed while being read")
    }
    if statistics.special > 0 {
      parts.append(
        "\(Quantities.count(statistics.special, "special file", "special files")) not opened")
    }
    if statistics.links > 0 {
      parts.append(
        "\(Quantities.count(statistics.links, "symbolic link", "symbolic links")) "
          + (listsLinks ? "listed" : "passed over"))
    }
    if statistics.filtered > 0 {
      parts.append("\(Quantities.count(statistics.filtered)) passed over by filters")
    }
    if statistics.excluded > 0 {
      parts.append("the output passed over")
    }
    return parts.joined(separator: ", ")
  }

  /// What was done and how fast.
  static func summary(
    _ statistics: FileStatistics, seconds: Double, listsLinks: Bool = false
  ) -> String {
    "\(counts(statistics, listsLinks: listsLinks)); \(pace(statistics, seconds: seconds))"
  }

  /// How much was read, how fast, and by how many.
  static func pace(_ statistics: FileStatistics, seconds: Double) -> String {
    let time = max(seconds, 0.000_001)
    return """
      \(Quantities.bytes(Double(statistics.bytes))) in \(Quantities.seconds(seconds)) \
      (\(Quantities.bytes(Double(statistics.bytes) / time))/s, \
      \(Quantities.count(Int(Double(statistics.files - statistics.unread) / time))) files/s); \
      \(Quantities.count(statistics.lanesPeak)) of \(Quantities.count(statistics.lanes, "lane", "lanes")), \
      \(Quantities.count(statistics.descriptorsPeak, "descriptor", "descriptors")) at most
      """
  }
}

extension Session.Closing {
  /// Of a verb that reads files and writes of each: the counts are a remark where
  /// something that is there could not be read, and that is the status too.
  init(_ statistics: FileStatistics, seconds: Double, listsLinks: Bool = false) {
    let isIncomplete =
      statistics.failed > 0 || statistics.changed > 0 || statistics.specialNamed > 0
    self.init(
      summary: FileReport.summary(statistics, seconds: seconds, listsLinks: listsLinks),
      remark: isIncomplete ? FileReport.counts(statistics, listsLinks: listsLinks) : nil,
      status: isIncomplete ? .unreadable : nil)
  }
}
