// The messages with the names in them quoted, the errors of the tool, and the exit statuses.

internal import FileJobs

extension Message {
  /// The bytes that are shown.
  var bytes: [UInt8] {
    Array(
      parts.map { part in
        switch part {
        case .text(let text): text
        case .name(let name): QuotedName.bytes(of: name)
        case .quoted(let name): QuotedName.always(name)
        case .command(let words): CommandText.bytes(of: words)
        }
      }.joined())
  }
}

extension Message.StringInterpolation {
  mutating func appendInterpolation(_ name: RawArgument) { appendInterpolation(name.bytes) }
  /// Appends the first of some names, and the number of the others.
  mutating func appendInterpolation(first names: [[UInt8]]) {
    if let name = names.first { appendInterpolation(name) }
    if names.count > 1 {
      appendInterpolation(" and \(Quantities.count(names.count - 1, "other", "others"))" as String)
    }
  }
}

/// The exit statuses other than success.
enum ExitStatus: Int32, Error {
  /// Something differs.
  case difference = 1
  /// A usage error, or nothing could be started or written.
  case usage = 2
  /// A file could not be read.
  case unreadable = 3
  /// Nothing differs, but an audit found new or moved files.
  case newOrMoved = 4
  /// A part of a shard is cut or changed.
  case damaged = 5

  /// Shards of a plan are missing.
  static let incomplete = ExitStatus.unreadable
  /// A part belongs to another plan, or was made by another command.
  static let otherPlan = ExitStatus.newOrMoved
}

/// An error that keeps a run from starting or from writing its output: status 2.
struct FileError: ReportedError {
  /// `NAME: reason`, or a sentence.
  let text: Message

  init(_ text: Message) { self.text = text }

  init(_ name: RawArgument, _ error: any Error) { text = "\(name): \(error)" }
}

/// A reason for a `FileError` that is no error of the system.
struct Refusal: ReportedError {
  let text: Message
  init(_ text: Message) { self.text = text }
}
