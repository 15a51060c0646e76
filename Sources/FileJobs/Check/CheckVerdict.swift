// Verdicts as bytes, on their way from where they are found to where they are
// told.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What became of an entry of a manifest of mtree(5).
struct CheckVerdict {
  enum Kind: UInt8 {
    case mismatched, matched, touched, edited, rotten
    /// The value is a type of stat(2).
    case wrongType
    case wrongTarget, missing
    /// The value is an errno value.
    case unreadable
    /// It may be missing, or nothing is to be verified: nothing is said.
    case passed
  }

  let kind: UInt8
  let value: UInt32

  /// How much of a note it takes.
  static let size = 8

  init(_ kind: Kind, _ value: UInt32 = 0) {
    self.kind = kind.rawValue
    self.value = value
  }

  /// The verdict in a note, and the name it is on.
  static func of(_ note: UnsafeRawBufferPointer) -> (CheckVerdict, UnsafeRawBufferPointer) {
    let name = UnsafeRawBufferPointer(
      rebasing: note[(CheckNote.headerSize + size)...])
    return (note.load(fromByteOffset: CheckNote.headerSize, as: CheckVerdict.self), name)
  }

  /// In words; `nil` where nothing is said.
  var outcome: CheckedLine.Outcome? {
    switch Kind(rawValue: kind) {
    case .matched: .matched
    case .touched: .touched
    case .edited: .edited
    case .rotten: .rotten
    case .wrongType: .wrongType(EntryType(mode: value))
    case .wrongTarget: .wrongTarget
    case .missing: .missing
    case .unreadable: .unreadable(Errno(rawValue: Int32(value)))
    case .passed: nil
    case .mismatched, nil: .mismatched
    }
  }
}
