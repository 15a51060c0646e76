// What weir run writes, command after command.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes what commands have written, each stream to its own, and what is to be
/// said of them; in JSON all of it stands in objects.
struct RunOutputWriter: Sendable {
  private let console: Console
  private let report: FileReport
  private let format: OutputFormat
  private let timeout: Double?

  init(_ console: Console, _ command: RunCommand) {
    self.console = console
    report = FileReport(console: console, verb: "run")
    format = command.formatOptions.format
    timeout = command.timeout?.seconds
  }

  func take(_ event: CommandEvent) throws {
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
      if let reason = RunReport.reason(result, timeout: timeout) {
        console.say(RunReport.subject(result.items) + Array(": ".utf8) + reason)
      }
    case .unreadable(let path, let error):
      try tell(path, "error", "unreadable", "\(Errno(rawValue: error))")
    case .special(let path, let type):
      try tell(path, "skipped", "special", "is \(FileReport.kind(type))")
    }
  }

  private func tell(_ path: [UInt8], _ type: String, _ kind: String, _ reason: String) throws {
    if format == .json {
      try console.write(RunJSON.object(path, type: type, kind: kind, reason: reason))
    }
    let skip = type == "skipped" ? "skipped: " : ""
    console.say(QuotedName.bytes(of: path) + Array(": \(skip)\(reason)".utf8))
  }

  /// The last object.
  func conclude(_ statistics: CommandStatistics, _ ending: Session.Ending) throws {
    guard format == .json, ending.failure == nil else { return }
    try console.write(RunJSON.summary(statistics, ending))
  }
}
