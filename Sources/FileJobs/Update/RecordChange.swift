// How a file differs from what was recorded of it.

/// How a file differs from what the manifest says that is brought up to date.
package enum RecordChange: UInt8, Sendable {
  /// In nothing that counts.
  case none
  /// The manifest does not have it.
  case new
  /// Its content is other, and so is its size or time.
  case edited
  /// Its time is other, its content is not.
  case touched
  /// Its content is other, its size and time are not.
  case rot
  /// The manifest has it, and it is not found any more.
  case gone
}

/// What a job tells of a file, in the first byte of what it writes.
struct RecordVerdict {
  let change: RecordChange
  let wasRead: Bool

  init(_ change: RecordChange, wasRead: Bool) {
    self.change = change
    self.wasRead = wasRead
  }

  init(byte: UInt8) {
    change = RecordChange(rawValue: byte & 0x7F) ?? .none
    wasRead = byte & 0x80 != 0
  }

  var byte: UInt8 { change.rawValue | (wasRead ? 0x80 : 0) }
}
