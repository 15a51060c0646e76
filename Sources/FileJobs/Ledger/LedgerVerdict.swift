// The verdict on a file, from its record and its content.

internal import Weir

/// The difference between a file and its record in the ledger.
package enum LedgerVerdict: UInt8, Sendable {
  /// The file is as it was recorded.
  case same
  /// The time has changed, the content has not.
  case touched
  /// The content has changed, and so has the size or the time.
  case edited
  /// The content has changed, the size and the time have not.
  case rot
  /// The ledger has no record of the name.
  case new
  /// The ledger has the file, and it is not there.
  case gone
  /// An open point is settled: the content is the recorded one again.
  case back
  /// A new name has the content of a file that is gone.
  case moved
  /// A symbolic link has another target.
  case relinked
  /// A symbolic link is not there any more.
  case unlinked

  /// True if the verdict is an open point of the ledger.
  package var isOpen: Bool { self == .rot || self == .gone }

  /// Judges a file whose content is known.
  ///
  /// - Parameters:
  ///   - record: The record of its name; `nil` if there is none.
  ///   - isSame: True if the content has the digests of the record.
  ///   - size: The size, in bytes.
  ///   - time: The time; `nil` if it proves nothing, as that of a file in /proc.
  init(_ record: LedgerEntry?, isSame: Bool, size: UInt64, time: FileTime?) {
    guard let record else {
      self = .new
      return
    }
    // A record from a line of text has neither size nor time.
    let hasStatus = record.size != nil && record.time != nil && time != nil
    if isSame {
      let isTouched = hasStatus && !record.matches(size, time)
      self = record.open != nil ? .back : isTouched ? .touched : .same
    } else {
      self = hasStatus && record.matches(size, time) ? .rot : .edited
    }
  }
}
