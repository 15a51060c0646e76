// What is counted of a file.

/// Lines, words, characters and bytes of a file, and the width of its longest line,
/// as wc counts them. What was not asked for is 0, bytes aside.
public struct Counts: Sendable, Hashable {
  /// Newlines.
  public var lines: UInt64 = 0
  /// What is between blanks, with something in it that can be printed.
  public var words: UInt64 = 0
  /// Characters of the locale; bytes that are no part of one are none.
  public var characters: UInt64 = 0
  /// Bytes.
  public var bytes: UInt64 = 0
  /// How many columns of a terminal the longest line takes, tabs by eights.
  public var longestLine: UInt64 = 0

  /// Nothing.
  public init() {}

  /// Adds those of another file; of the longest lines the longer one counts.
  public static func += (left: inout Counts, right: Counts) {
    left.lines += right.lines
    left.words += right.words
    left.characters += right.characters
    left.bytes += right.bytes
    left.longestLine = max(left.longestLine, right.longestLine)
  }
}

/// What is to be counted.
public struct CountColumns: OptionSet, Sendable {
  /// For the set; its bits mean nothing outside.
  public let rawValue: UInt8

  /// A set by its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// ``Counts/lines``.
  public static let lines = CountColumns(rawValue: 1)
  /// ``Counts/words``.
  public static let words = CountColumns(rawValue: 2)
  /// ``Counts/characters``.
  public static let characters = CountColumns(rawValue: 4)
  /// ``Counts/bytes``. Alone they are counted without reading, where that can be.
  public static let bytes = CountColumns(rawValue: 8)
  /// ``Counts/longestLine``.
  public static let longestLine = CountColumns(rawValue: 16)
}

extension Counts {
  /// How many bytes ``withBytes(_:)`` gives.
  package static let byteCount = 5 * MemoryLayout<UInt64>.size

  /// The counts that ``CountJob`` wrote for a file: ``Weir/FileResult/output`` or
  /// ``Weir/ProcessedFile/output``. All 0 where that is none.
  public init(output: UnsafeRawBufferPointer) {
    guard output.count >= Counts.byteCount else { return }
    func number(_ index: Int) -> UInt64 {
      output.loadUnaligned(fromByteOffset: index * MemoryLayout<UInt64>.size, as: UInt64.self)
    }
    (lines, words, characters) = (number(0), number(1), number(2))
    (bytes, longestLine) = (number(3), number(4))
  }

  /// The same backwards.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (lines, words, characters, bytes, longestLine), body)
  }
}
