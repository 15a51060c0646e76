// What weir duplicates writes, group after group.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes groups to standard output and messages to standard error; in JSON the
/// failures stand among the groups too, as they come.
struct DuplicatesOutput: Sendable {
  let console: Console
  private let report: FileReport
  private let format: OutputFormat
  private let isZeroTerminated: Bool
  /// Whether groups come as they are found: then nobody is to wait for them.
  private let isUnordered: Bool
  /// Groups that are not written yet. Deliveries come one at a time; the lock is for
  /// the compiler.
  private let text: Locked<DuplicatesText>

  init(
    _ console: Console, _ format: OutputFormat, isZeroTerminated: Bool, isUnordered: Bool
  ) {
    self.console = console
    self.format = format
    self.isZeroTerminated = isZeroTerminated
    self.isUnordered = isUnordered
    text = Locked(
      DuplicatesText(
        format == .json
          ? .json(isZeroTerminated: isZeroTerminated) : isZeroTerminated ? .names : .lines))
    report = FileReport(console: console, verb: "duplicates", readsInput: false)
  }

  func take(_ event: DuplicatesEvent) throws {
    switch event {
    case .group(let group):
      let isEnough = try text.with { text in
        try text.append(group) { try console.write($0) }
        return isUnordered || text.isEnough
      }
      if isEnough { try writeGroups() }
    case .result(let result):
      let finding =
        report.finding(result)
        ?? FileReport.Finding(kind: "special", reason: "is \(FileReport.kind(result.type))")
      try tell(finding, of: Array(result.path))
    case .failed(let error, let path):
      try tell(FileReport.Finding(kind: "unreadable", reason: "\(error)"), of: path)
    case .changed(let path):
      let reason = "changed since it was found"
      try tell(FileReport.Finding(kind: "changed", reason: reason), of: path)
    case .sizeMismatch(let path):
      let reason = "its size is not that of what it holds"
      try tell(FileReport.Finding(kind: "unreadable", reason: reason), of: path)
    }
  }

  private func tell(_ finding: FileReport.Finding, of path: [UInt8]) throws {
    if format == .json {
      try writeGroups()
      var json = JSONText(isZeroTerminated: isZeroTerminated)
      path.withUnsafeBytes { json.append(finding, path: $0) }
      try console.write(json.bytes)
    }
    let reason = finding.isSkip ? "skipped: \(finding.reason)" : finding.reason
    console.say(QuotedName.bytes(of: path) + Array(": \(reason)".utf8))
  }

  private func writeGroups() throws {
    let bytes = text.with { $0.take() }
    try console.write(bytes)
  }

  // MARK: The end

  /// What was found, in a few words.
  static func result(_ found: DuplicatesStatistics) -> String {
    let groups = Quantities.count(found.groups, "group", "groups")
    let duplicates = Quantities.count(found.duplicates, "duplicate", "duplicates")
    return "\(groups) with \(duplicates), \(Quantities.bytes(Double(found.saving))) could be saved"
  }

  /// The last line.
  func conclude(
    _ found: DuplicatesStatistics, _ statistics: FileStatistics, _ ending: Session.Ending
  ) throws {
    try writeGroups()
    guard format == .json, ending.failure == nil else { return }
    var json = JSONText(isZeroTerminated: isZeroTerminated)
    json.begin("summary")
    json.append("complete", ending.isComplete)
    json.append("files", statistics.files)
    json.append("read", statistics.files - statistics.unread)
    json.append("small", found.small)
    json.append("groups", found.groups)
    json.append("duplicates", found.duplicates)
    json.append("hardLinks", found.links)
    json.append("saving", found.saving)
    json.append(statistics)
    json.append("seconds", seconds: ending.seconds)
    json.end()
    try console.write(json.bytes)
  }
}
