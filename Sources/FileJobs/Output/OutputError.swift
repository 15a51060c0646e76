// The errors of an output file.

package import SystemPackage

/// An error that prevents an output from being begun, resumed or finished.
package struct OutputError: Error, Equatable {
  /// The kind of error.
  package enum Reason: Equatable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file is a directory.
    case isDirectory
    /// The file is neither a regular file nor a directory.
    case isSpecial
    /// The file cannot be locked.
    case cannotLock(Errno)
    /// Another run is writing the output; `nil` if its process is unknown.
    case inUse(OutputLockHolder?)
    /// An earlier run did not finish.
    case unfinished
    /// The file exists and no run of weir has written it.
    case notOurs
    /// The file was removed or replaced while the run wrote it.
    case replaced
    /// The unfinished run was begun with other arguments.
    case differentArguments([RecordHeader.Difference])
    /// The manifest was cut, or has a line that no run of weir has written.
    case damaged
    /// The lines of the manifest end in NUL if `isZero` is true, or else in a newline; those of
    /// this run do not.
    case otherTerminator(isZero: Bool)
    /// The output is text, and has other files or digests than its records, from this line on.
    case disagrees(line: Int, records: [UInt8])
    /// The manifest has two digests of one algorithm for a file, which differ.
    case contradicts(file: [UInt8])
  }

  /// The name of the file.
  package let name: [UInt8]
  package let reason: Reason

  init(_ name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  /// An error of a ``RecordReader`` of a manifest.
  init(manifest name: [UInt8], _ error: Errno) {
    self.init(name, error == .badMessage ? .damaged : .system(error))
  }

  /// Calls `body` and throws its system error as an error of the file `name`.
  @discardableResult
  static func attributing<R>(
    to name: [UInt8], _ body: () throws(Errno) -> R
  ) throws(OutputError) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw OutputError(name, .system(error))
    }
  }
}
