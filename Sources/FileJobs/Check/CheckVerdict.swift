// DESIGN. The results of a shard come from a file, which anybody can have made with the right
// checksums. So values that are loaded from bytes consist of numbers: neither a Boolean nor an
// enumeration may be loaded from bytes that are none. Their layout is that of the parts of
// weir 0.11.

internal import SystemPackage
internal import Weir

/// The verdict on an entry of a manifest of mtree(5). The tool's text for each one ("FAILED (rot)")
/// is in Sources/WeirTool/Commands/Check/CheckOutput.swift.
struct CheckVerdict: BitwiseCopyable, Equatable {
  /// A mode of stat(2), an errno value, or an index in `simple`.
  private let value: UInt32
  private let kind: UInt8

  private static let simple: [CheckedLine.Outcome?] = [
    .mismatched, .matched, .touched, .edited, .rotten, .wrongTarget, .missing, nil,
  ]
  static let mismatched = CheckVerdict(value: 0, kind: 2)
  static let matched = CheckVerdict(value: 1, kind: 2)
  static let touched = CheckVerdict(value: 2, kind: 2)
  static let edited = CheckVerdict(value: 3, kind: 2)
  static let rotten = CheckVerdict(value: 4, kind: 2)
  static let wrongTarget = CheckVerdict(value: 5, kind: 2)
  static let missing = CheckVerdict(value: 6, kind: 2)
  /// The entry is ignored, or optional and missing: nothing is reported.
  static let skipped = CheckVerdict(value: 7, kind: 2)

  static func wrongType(mode: UInt32) -> CheckVerdict { CheckVerdict(value: mode, kind: 0) }
  static func unreadable(_ error: Errno) -> CheckVerdict {
    CheckVerdict(value: UInt32(bitPattern: error.rawValue), kind: 1)
  }

  private init(value: UInt32, kind: UInt8) {
    (self.value, self.kind) = (value, kind)
  }

  /// Loads a verdict; `nil` if the bytes do not begin with one.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= MemoryLayout<CheckVerdict>.size else { return nil }
    self = bytes.loadUnaligned(as: CheckVerdict.self)
    if kind > 2 || kind == 2 && value >= CheckVerdict.simple.count { return nil }
  }

  /// The public form; `nil` if nothing is reported.
  var outcome: CheckedLine.Outcome? {
    switch kind {
    case 0: .wrongType(FileWalk.EntryType(mode: value))
    case 1: .unreadable(Errno(rawValue: Int32(bitPattern: value)))
    default: CheckVerdict.simple[Int(value)]
    }
  }
}

/// The result of the comparison of a file with a line.
enum CheckMatch: UInt8 {
  case none
  /// The digest is that of the line's algorithm.
  case algorithm
  /// The digest is that of the alternative.
  case alternative
  /// The file exists; its content was not read.
  case unread
}

/// The digests that a lane has computed of a file that differs, in the order of the expected ones:
/// each as its length and its bytes.
struct ComputedDigests: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer

  /// - Parameter count: The number of bytes of verdicts before the digests.
  init(in output: UnsafeRawBufferPointer, after count: Int) {
    rest = output.dropFirst(count).rebased
  }

  mutating func next() -> UnsafeRawBufferPointer? {
    guard let count = rest.first, rest.count > Int(count) else { return nil }
    defer { rest = rest[(1 + Int(count))...].rebased }
    return rest[1..<1 + Int(count)].rebased
  }
}
