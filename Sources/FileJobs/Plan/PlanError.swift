// The errors of a plan.

package import SystemPackage

/// An error that prevents a plan from being read or written.
package struct PlanError: Error, Equatable {
  /// The kind of error.
  package enum Reason: Equatable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file does not begin as a plan does.
    case notPlan
    /// A later program has written the plan.
    case version(UInt64)
    /// The bytes are not those that were written; the text says how they differ.
    case damaged(String)
    /// The file exists and is not replaced; the text says why.
    case refused(String)
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
    case .notPlan: "is not a plan of weir"
    case .version(let version): "is a plan of version \(version), which this weir cannot read"
    case .damaged(let how): "is damaged: \(how)"
    case .refused(let why): why
    }
  }

  /// `NAME: reason`, with the bytes of the name unchanged.
  package var message: [UInt8] { name + Array(": \(words)".utf8) }

  /// Calls `body` and throws its system error as an error of the file `name`.
  @discardableResult
  static func attributing<R>(
    to name: [UInt8], _ body: () throws(Errno) -> R
  ) throws(PlanError) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw PlanError(name, .system(error))
    }
  }
}
