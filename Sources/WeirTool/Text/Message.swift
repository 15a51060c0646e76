// Text for people, with the names in it quoted; errors, and the exit statuses.

internal import FileJobs

/// The text of a message. A name, which is bytes, is quoted as a shell reads it:
/// `"\(name): is an input"`.
struct Message: ExpressibleByStringInterpolation, Sendable {
  var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text) }
  init(stringInterpolation text: StringInterpolation) { bytes = text.bytes }

  static func + (left: Message, right: Message) -> Message { "\(left)\(right)" }

  struct StringInterpolation: StringInterpolationProtocol {
    var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) { bytes += text.utf8 }
    mutating func appendInterpolation(_ text: some StringProtocol) { bytes += text.utf8 }
    mutating func appendInterpolation(_ number: some BinaryInteger) { bytes += "\(number)".utf8 }
    mutating func appendInterpolation(_ error: some Error) { bytes += Message(error).bytes }
    mutating func appendInterpolation(_ message: Message) { bytes += message.bytes }
    mutating func appendInterpolation(_ name: RawArgument) { appendInterpolation(name.bytes) }
    mutating func appendInterpolation(_ name: some Sequence<UInt8>) {
      bytes += QuotedName.bytes(of: name)
    }
    /// Appends a name in quotes, if need be or not.
    mutating func appendInterpolation(always name: [UInt8]) {
      bytes += QuotedName.always(name)
    }
    /// Appends the first of some names, and the number of the others.
    mutating func appendInterpolation(first names: [[UInt8]]) {
      if let name = names.first { appendInterpolation(name) }
      if names.count > 1 {
        bytes += " and \(Quantities.count(names.count - 1, "other", "others"))".utf8
      }
    }
    mutating func appendInterpolation(command words: [[UInt8]]) {
      bytes += CommandText.bytes(of: words)
    }
  }
}

/// An error whose message has names of files.
protocol ReportedError: Error {
  var text: Message { get }
}

extension Fault: ReportedError {
  var text: Message { "\(name): \(Message(reason.text))" }
}

extension Message {
  init(_ text: FaultText) {
    bytes = Array(
      text.parts.map { part in
        switch part {
        case .text(let text): Array(text.utf8)
        case .name(let name): QuotedName.bytes(of: name)
        case .command(let words): CommandText.bytes(of: words)
        }
      }.joined())
  }

  init(_ error: any Error) {
    self = (error as? any ReportedError)?.text ?? Message(String(describing: error))
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
