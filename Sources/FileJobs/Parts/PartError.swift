// The errors of a part.

package import SystemPackage

/// An error that prevents a part from being written or used.
package struct PartError: Error, Equatable {
  /// The kind of error.
  package enum Reason: Equatable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file does not begin as a part does.
    case notPart
    /// A later program has written the part.
    case version(UInt64)
    /// The part belongs to another plan, shard or command; the text says to which.
    case other(String)
    /// The part was made by another command; both as words, without those that they share.
    case otherCommand([[UInt8]], not: [[UInt8]])
    /// The file ends before the part does; the number is that of its bytes.
    case cut(Int)
    /// The bytes are not those that were written; the text says how they differ.
    case damaged(String)
  }

  /// The name of the file.
  package let name: [UInt8]
  package let reason: Reason

  package init(_ name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  /// The reason in words.
  package var words: String {
    switch reason {
    case .system(let error): "\(error)"
    case .notPart: "is not a part of weir"
    case .version(let version): "is a part of version \(version), which this weir cannot read"
    case .other(let what): what
    case .otherCommand: "was made by another command"
    case .cut(let bytes): "is cut short after \(bytes) bytes"
    case .damaged(let how): "is damaged: \(how)"
    }
  }

  /// Calls `body` and throws its system error as an error of the file `name`.
  @discardableResult
  static func attributing<R>(
    to name: [UInt8], _ body: () throws(Errno) -> R
  ) throws(PartError) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw PartError(name, .system(error))
    }
  }
}
