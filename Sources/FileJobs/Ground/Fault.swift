package import SystemPackage

/// An error of a file: its name, and the reason.
package struct Fault: ReportedError, Equatable {
  /// The kind of error, with the reason in words.
  package enum Reason: Equatable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file is not what is needed, or must not be replaced.
    case refused(Message)
    /// The file is whole, and belongs to another plan, shard or command.
    case other(Message)
    /// The bytes are not those that were written.
    case damaged(Message)
  }

  package let name: [UInt8]
  package let reason: Reason

  package var text: Message { "\(name): \(reason.text)" }

  package init(_ name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  package init(_ name: [UInt8], damaged how: String) {
    self.init(name, .damaged("is damaged: \(how)"))
  }

  /// Calls `body` and throws its system error as an error of the file `name`.
  @discardableResult
  package static func attributing<R>(
    to name: [UInt8], _ body: () throws(Errno) -> R
  ) throws(Fault) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw Fault(name, .system(error))
    }
  }

  @discardableResult
  package static func of<R>(
    _ name: [UInt8], _ value: @autoclosure () throws(Errno) -> R
  ) throws(Fault) -> R {
    try attributing(to: name) { () throws(Errno) in try value() }
  }
}

extension Fault.Reason {
  package static let isSpecial = Self.refused("is not a regular file and cannot be replaced")
  package static let notOurs = Self.refused(
    "was not written by weir and is left unchanged; choose another name")
  package static let leftText = Self.refused(
    "may be left from an interrupted run; remove it if it is not yours")
  package static let noManifest = Self.refused(
    "is not a manifest and is left unchanged; choose another name, or remove it")
  package static let replaced = Self.refused("was removed or replaced during the run")
  package static let unfinished = Self.refused(
    "an earlier run was interrupted; continue it with --resume, or remove the file")
  /// The file does not begin as a plan does, or as a part.
  package static func isNo(_ kind: String) -> Self { .refused("is not a \(kind) of weir") }

  static func cut(after count: Int) -> Self { .damaged("is cut short after \(count) bytes") }

  package var text: Message {
    switch self {
    case .system(let error): "\(error)"
    case .refused(let text), .other(let text), .damaged(let text): text
    }
  }
}

/// The text of a message. A name in it, which is bytes, is quoted when it is shown, and so is a
/// command: `"\(name): is an input"`.
package struct Message: Equatable, Sendable, ExpressibleByStringInterpolation {
  package enum Part: Equatable, Sendable {
    case text([UInt8])
    case name([UInt8])
    /// A name that is always in quotes.
    case quoted([UInt8])
    case command([[UInt8]])
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func append(_ part: Part) {
      if case .text(let more) = part, case .text(let last) = parts.last {
        parts[parts.count - 1] = .text(last + more)
      } else {
        parts.append(part)
      }
    }

    package mutating func appendLiteral(_ text: String) { appendInterpolation(text) }
    package mutating func appendInterpolation(_ text: some StringProtocol) {
      append(.text(Array(text.utf8)))
    }
    package mutating func appendInterpolation(_ number: some BinaryInteger) {
      appendInterpolation("\(number)" as String)
    }
    package mutating func appendInterpolation(_ error: some Error) {
      appendInterpolation(Message(error))
    }
    package mutating func appendInterpolation(_ message: Message) {
      for part in message.parts { append(part) }
    }
    package mutating func appendInterpolation(_ name: some Sequence<UInt8>) {
      append(.name(Array(name)))
    }
    package mutating func appendInterpolation(always name: [UInt8]) { append(.quoted(name)) }
    package mutating func appendInterpolation(command: [[UInt8]]) { append(.command(command)) }
  }

  package let parts: [Part]

  package init(bytes: [UInt8]) { parts = [.text(bytes)] }
  package init(_ text: String) { self.init(bytes: Array(text.utf8)) }
  package init(stringLiteral text: String) { self.init(text) }
  package init(stringInterpolation text: StringInterpolation) { parts = text.parts }
  package init(_ error: any Error) {
    let wayOut = error as? Errno == .tooManyOpenFiles ? "; raise ulimit -n" : ""
    self = (error as? any ReportedError)?.text ?? Message(String(describing: error) + wayOut)
  }

  package static func + (left: Message, right: Message) -> Message { "\(left)\(right)" }
}

/// An error whose message has names of files.
package protocol ReportedError: Error {
  var text: Message { get }
}
