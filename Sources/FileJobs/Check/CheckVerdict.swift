// The verdicts of a check as bytes, between the lane and the delivery.
//
// The public form of a verdict is ``CheckedLine/Outcome``. The tool's text for each one
// ("FAILED (rot)") is in Sources/WeirTool/Commands/Check/CheckOutput.swift.

internal import SystemPackage
internal import Weir

/// The verdict on an entry of a manifest of mtree(5).
struct CheckVerdict {
  enum Kind: UInt8 {
    case mismatched, matched, touched, edited, rotten
    /// The value is a mode of stat(2).
    case wrongType
    case wrongTarget, missing
    /// The value is an errno value.
    case unreadable
    /// The entry is ignored, or optional and missing: nothing is reported.
    case skipped
  }

  let kind: UInt8
  let value: UInt32

  /// The number of bytes in a note.
  static let size = 8

  init(_ kind: Kind, _ value: UInt32 = 0) {
    self.kind = kind.rawValue
    self.value = value
  }

  /// Returns the verdict in a note, and the name it applies to.
  static func of(_ note: UnsafeRawBufferPointer) -> (CheckVerdict, UnsafeRawBufferPointer) {
    let name = UnsafeRawBufferPointer(
      rebasing: note[(CheckNote.headerSize + size)...])
    return (note.load(fromByteOffset: CheckNote.headerSize, as: CheckVerdict.self), name)
  }

  /// The public form; `nil` if nothing is reported.
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
    case .skipped: nil
    case .mismatched, nil: .mismatched
    }
  }
}
