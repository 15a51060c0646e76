// The output of weir run.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes the output of each command, stream by stream, and reports failures. In JSON, all
/// of it stands in objects.
struct RunOutput: Sendable {
  private let console: Console
  private let format: OutputFormat
  private let timeout: Double?

  init(_ console: Console, _ command: RunCommand) {
    self.console = console
    format = command.formatOptions.format
    timeout = command.timeout?.seconds
  }

  func write(_ event: CommandEvent) throws {
    switch event {
    case .finished(let result):
      if format == .json {
        try RunJSON.write(result, to: console)
      } else {
        try result.output?.forEach { stream, bytes in
          if stream == .output {
            try console.write(bytes)
          } else {
            console.writeError(bytes)
          }
        }
      }
      if let reason = CommandReport.reason(result, timeout: timeout) {
        let items = QuotedName.bytes(ofFirst: result.items.map(\.bytes))
        console.report(items + Array(": ".utf8) + reason)
      }
    case .unreadable(let path, let error):
      let reason = "\(Errno(rawValue: error))"
      try report(FileReporter.Finding(kind: "unreadable", reason: reason), of: path)
    case .special(let path, let type):
      let reason = "is \(FileReporter.kind(type))"
      try report(FileReporter.Finding(kind: "special", reason: reason, isSkip: true), of: path)
    }
  }

  private func report(_ finding: FileReporter.Finding, of path: [UInt8]) throws {
    if format == .json {
      try console.write(path.withUnsafeBytes { JSONText.object(finding, path: $0) })
    }
    console.report(finding, of: path)
  }

  /// Writes the summary in JSON.
  func finish(_ statistics: CommandStatistics, _ ending: Session.Ending) throws {
    guard format == .json, ending.failure == nil else { return }
    try console.write(RunJSON.summary(statistics, ending))
  }
}
