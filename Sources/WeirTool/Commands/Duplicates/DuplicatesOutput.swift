internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes groups to standard output and errors to standard error. In JSON, the errors
/// also stand among the groups, as they occur.
struct DuplicatesOutput: SessionOutput, Sendable {
  private let console: Console
  private let verb: DuplicatesVerb
  /// The groups that are not written yet. Events come one at a time; the lock only
  /// satisfies the compiler.
  private let text: Locked<DuplicatesText>
  private let script: DuplicatesScript?
  private let found: @Sendable () -> DuplicatesStatistics

  init(
    _ console: Console, _ verb: DuplicatesVerb, script: DuplicatesScript? = nil,
    found: @escaping @Sendable () -> DuplicatesStatistics
  ) {
    self.console = console
    self.script = script
    self.found = found
    self.verb = verb
    text = Locked(
      DuplicatesText(
        verb.format == .json
          ? .json(isZeroTerminated: verb.zero) : verb.zero ? .names : .lines))
  }

  func write(_ event: DuplicatesEvent) throws {
    if case .group(let group) = event {
      guard let script else { return try write(group) }
      return try script.write(group, to: console)
    }
    if let (finding, path) = finding(event) { try report(finding, of: path) }
  }

  func write(_ group: some DuplicatesNames) throws {
    let writesNow = try text.with { text in
      try text.append(group) { bytes in try write(lines: bytes) }
      return verb.sourceOptions.unordered || text.isFull
    }
    if writesNow { try writeGroups() }
  }

  func write(_ directories: DuplicateDirectories) throws {
    let writesNow = text.with { text in
      text.append(directories)
      return text.isFull
    }
    if writesNow { try writeGroups() }
  }

  /// Reports an event that is no group on standard error only.
  func report(_ event: DuplicatesEvent) {
    if let (finding, path) = finding(event) { console.report(finding, of: path) }
  }

  /// Returns the message on an event, and the path; `nil` for a group.
  private func finding(
    _ event: DuplicatesEvent
  ) -> (finding: FileReporter.Finding, path: [UInt8])? {
    switch event {
    case .group:
      return nil
    case .result(let result):
      if case .failed(let error as Errno) = result.outcome, error == PlannedFile.changed {
        // Without the advice on --allow-changed: the file may belong to another shard now.
        let reason = "has changed since the plan was made"
        return (FileReporter.Finding(kind: "changed", reason: reason), Array(result.path))
      }
      let finding =
        FileReporter(console: console).finding(result)
        ?? FileReporter.Finding(kind: "special", reason: "is \(FileReporter.kind(result.type))")
      return (finding, Array(result.path))
    case .failed(let error, let path):
      return (FileReporter.Finding(kind: "unreadable", reason: "\(error)"), path)
    case .changed(let path):
      return (FileReporter.Finding(kind: "changed", reason: "changed since it was found"), path)
    case .sizeMismatch(let path):
      let reason = "its content does not have the size that stat reports"
      return (FileReporter.Finding(kind: "unreadable", reason: reason), path)
    }
  }

  private func report(_ finding: FileReporter.Finding, of path: [UInt8]) throws {
    if verb.format == .json {
      try writeGroups()
      let object = path.withUnsafeBytes {
        JSONText.object(finding, path: $0, isZeroTerminated: verb.zero)
      }
      try console.write(object)
    }
    console.report(finding, of: path)
  }

  private func writeGroups() throws {
    try write(lines: text.with { $0.take() })
  }

  private func write(lines: [UInt8]) throws {
    try lines.withUnsafeBytes {
      try console.write(lines: $0, isZeroTerminated: verb.zero)
    }
  }

  // MARK: End

  static let wording = ProgressWording(counts: { DuplicatesOutput.counts($0) })

  static func counts(_ statistics: FileStatistics) -> String {
    let read = statistics.files - min(statistics.files, statistics.unread)
    let all = statistics.files + statistics.failed + statistics.changed
    return SummaryLine.counts(
      "\(Quantities.count(all, "file", "files")) examined",
      [(read, nil, "read")] + SummaryLine.unread(statistics), excluded: statistics.excluded)
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    let (found, planned) = (found(), planned())
    let groups = Quantities.count(found.groups, "group", "groups")
    let duplicates = Quantities.count(found.duplicates, "duplicate", "duplicates")
    let saving = Quantities.bytes(Double(planned.saving))
    let shared =
      planned.shared > 0 ? ", \(Quantities.bytes(Double(planned.shared))) are shared already" : ""
    let counts = DuplicatesOutput.counts(ending.statistics)
    let pace = SummaryLine.pace(ending.statistics, seconds: ending.seconds)
    return Session.Summary(
      line: {
        "\(counts); \(groups) with \(duplicates), \(saving) could be saved\(shared); \(pace)"
      },
      remark: found.failures > 0 ? counts : nil,
      status: found.failures > 0 ? .unreadable : nil,
      counts: self.counts(found))
  }

  private func counts(_ found: DuplicatesStatistics) -> [(name: String, value: UInt64)] {
    let planned = planned()
    return [
      ("groups", found.groups), ("directories", found.directories),
      ("duplicates", found.duplicates), ("hard_links", found.links), ("saving", planned.saving),
      ("shared", planned.shared),
    ]
  }

  /// Returns the bytes that the script frees; without one, those of all files but the first of each
  /// group.
  private func planned() -> (saving: UInt64, shared: UInt64) {
    script?.planned.with { $0 } ?? (found().saving, found().shared)
  }

  func finish(_ ending: Session.Ending) throws {
    let found = found()
    try writeGroups()
    if ending.isComplete { try script?.finish(to: console) }
    guard verb.format == .json, ending.failure == nil else { return }
    let summary = JSONText.summary(ending, isZeroTerminated: verb.zero) { json in
      json.append("read", ending.statistics.files - ending.statistics.unread)
      json.append("small", found.small)
      json.append(counts(found))
    }
    try console.write(summary)
  }
}
