// What is wrong with the place of an output.

package import SystemPackage
internal import Weir

/// Why an output cannot be begun, gone on with, or finished.
package struct OutputError: Error, Equatable {
  /// What it is about the file.
  package enum Reason: Equatable, Sendable {
    /// What the system said.
    case system(Errno)
    /// It is a directory.
    case isDirectory
    /// It is no file and no directory.
    case isSpecial
    /// It cannot be locked.
    case isUnlockable(Errno)
    /// Another run is writing it: who that is, where it is known.
    case isHeld(OutputHolder?)
    /// It was left by a run that did not come to its end.
    case isLeft
    /// It is there, and no run has written it.
    case isForeign
    /// It was removed or replaced while it was written.
    case isGone
    /// It was begun with other arguments.
    case isOther([RecordHeader.Difference])
  }

  /// Which file.
  package let name: [UInt8]
  package let reason: Reason

  init(_ name: [UInt8], _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  /// What the system has just said of a file.
  init(systemOf name: [UInt8], _ error: Int32) {
    self.init(name, .system(Errno(rawValue: error)))
  }
}
