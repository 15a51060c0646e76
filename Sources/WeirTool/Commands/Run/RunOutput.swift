internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes the output of each command, stream by stream, and reports failures. In JSON, all
/// of it stands in objects.
struct RunOutput: SessionOutput, Sendable {
  private let console: Console
  private let format: OutputFormat
  private let timeout: Double?
  private let statistics: @Sendable () -> CommandStatistics

  init(
    _ console: Console, _ verb: RunVerb, statistics: @escaping @Sendable () -> CommandStatistics
  ) {
    self.console = console
    self.statistics = statistics
    format = verb.format
    timeout = verb.options.timeoutSeconds
  }

  func write(_ event: CommandEvent) throws {
    switch event {
    case .finished(let result):
      if format == .json {
        try RunJSON.write(result, to: console)
      } else {
        try result.output?.forEach { try write($0, $1) }
      }
    case .unreadable(let path, let error): try write(RunOutput.finding(error), of: path)
    case .special(let path, let type): try write(RunOutput.finding(type), of: path)
    }
    report(event)
  }

  func write(_ stream: ChildProcess.Stream, _ bytes: UnsafeRawBufferPointer) throws {
    if stream == .output {
      try console.write(raw: bytes)
    } else {
      console.writeError(bytes)
    }
  }

  private func write(_ finding: FileReporter.Finding, of path: [UInt8]) throws {
    guard format == .json else { return }
    try console.write(path.withUnsafeBytes { JSONText.object(finding, path: $0) })
  }

  func report(_ event: CommandEvent) {
    switch event {
    case .finished(let result):
      guard let reason = CommandReport.reason(result, timeout: timeout) else { return }
      console.report("\(first: result.items.map(\.bytes)): \(reason)")
    case .unreadable(let path, let error): console.report(RunOutput.finding(error), of: path)
    case .special(let path, let type): console.report(RunOutput.finding(type), of: path)
    }
  }

  private static func finding(_ error: Int32) -> FileReporter.Finding {
    error == PlannedFile.changed.rawValue
      ? .changedSincePlan
      : FileReporter.Finding(kind: "unreadable", reason: "\(Errno(rawValue: error))")
  }

  private static func finding(_ type: FileWalk.EntryType) -> FileReporter.Finding {
    FileReporter.Finding(
      kind: "special", reason: "is \(FileReporter.kind(type))", isSkip: true)
  }

  func finish(_ ending: Session.Ending) throws {
    guard format == .json, ending.failure == nil else { return }
    try console.write(RunJSON.summary(statistics(), ending))
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    CommandReport.summary(statistics(), ending)
  }
}
