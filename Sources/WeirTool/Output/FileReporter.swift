internal import FileJobs
internal import SystemPackage
internal import Weir

struct FileReporter: Sendable {
  let console: Console
  /// The verb that reads standard input instead of a special file, for the advised command.
  var verb: String?

  struct Finding {
    /// The kind in JSON: `"unreadable"`, `"changed"` or `"special"`.
    let kind: String
    let reason: String
    /// The command to use instead.
    var advice: Message = ""
    /// True if the file does not count as an error.
    var isSkip = false

    static let changedSincePlan = Finding(
      kind: "changed", reason: "has changed since the plan was made; --allow-changed reads it")
  }

  func report(_ result: FileResult) {
    if let finding = finding(result) { console.report(finding, of: result.path) }
  }

  func finding(_ result: FileResult) -> Finding? {
    switch result.outcome {
    case .done, .noted, .directory, .link:
      nil
    case .failed(let error as Errno) where error == PlannedFile.changed:
      .changedSincePlan
    case .failed(let error):
      Finding(kind: "unreadable", reason: String(decoding: Message(error).bytes, as: UTF8.self))
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
  private func advice(_ result: FileResult) -> Message {
    guard let verb, result.type != .socket else { return "" }
    return "; to read it, use: weir \(verb) - < \(result.path)"
  }

  static func kind(_ type: FileWalk.EntryType) -> String {
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
}

extension Console {
  func report(_ finding: FileReporter.Finding, of path: some Sequence<UInt8>) {
    report("\(path): \(finding.isSkip ? "skipped: " : "")\(finding.reason)\(finding.advice)")
  }
}
