// The verdicts of a check as bytes, between the lane and the delivery.
//
// The public form of a verdict is ``CheckedLine/Outcome``. The tool's text for each one
// ("FAILED (rot)") is in Sources/WeirTool/Commands/Check/CheckOutput.swift.

internal import SystemPackage
internal import Weir

/// The verdict on an entry of a manifest of mtree(5).
enum CheckVerdict: BitwiseCopyable {
  case mismatched, matched, touched, edited, rotten
  /// The type, as a mode of stat(2).
  case wrongType(UInt32)
  case wrongTarget, missing
  /// The errno value.
  case unreadable(Int32)
  /// The entry is ignored, or optional and missing: nothing is reported.
  case skipped

  /// The number of bytes in a note.
  static let size = MemoryLayout<CheckVerdict>.stride

  /// Returns the verdict in a note, and the name it applies to.
  static func of(_ note: UnsafeRawBufferPointer) -> (CheckVerdict, UnsafeRawBufferPointer) {
    let name = UnsafeRawBufferPointer(
      rebasing: note[(CheckNote.headerSize + size)...])
    return (note.load(fromByteOffset: CheckNote.headerSize, as: CheckVerdict.self), name)
  }

  /// The public form; `nil` if nothing is reported.
  var outcome: CheckedLine.Outcome? {
    switch self {
    case .matched: .matched
    case .touched: .touched
    case .edited: .edited
    case .rotten: .rotten
    case .wrongType(let mode): .wrongType(EntryType(mode: mode))
    case .wrongTarget: .wrongTarget
    case .missing: .missing
    case .unreadable(let error): .unreadable(Errno(rawValue: error))
    case .skipped: nil
    case .mismatched: .mismatched
    }
  }
}
