/// A difference between a file and its record in the manifest that is brought up to date.
package enum RecordChange: UInt8, Sendable {
  /// The file is unchanged.
  case none
  /// The manifest does not have the file.
  case new
  /// The content has changed, and so has the size or the time.
  case edited
  /// The time has changed, the content has not.
  case touched
  /// The content has changed, the size and the time have not.
  case rot
  /// The manifest has the file, and the run has not found it.
  case gone
  /// The same, and a symbolic link has its name.
  case linked
  /// The manifest has the symbolic link with another target.
  case relinked
  /// The manifest has the file under another name, which is gone.
  case moved
  /// The same, and the content has changed; the size and the time have not.
  case movedRot

  /// True if the manifest has the file, and the run has not found it.
  var isGone: Bool { self == .gone || self == .linked }

  /// True if the content has changed, and the size and the time have not.
  package var isRot: Bool { self == .rot || self == .movedRot }
}

/// The verdict of a job on a file, in the first byte of its output.
struct RecordVerdict {
  let change: RecordChange
  let wasRead: Bool
  /// True if a record tells that the file has moved, without its content.
  let isTold: Bool

  init(_ change: RecordChange, wasRead: Bool, isTold: Bool) {
    (self.change, self.wasRead, self.isTold) = (change, wasRead, isTold)
  }

  init(byte: UInt8) {
    self.init(
      RecordChange(rawValue: byte & 0x3F) ?? .none, wasRead: byte & 0x80 != 0,
      isTold: byte & 0x40 != 0)
  }

  var byte: UInt8 { change.rawValue | (wasRead ? 0x80 : 0) | (isTold ? 0x40 : 0) }
}
