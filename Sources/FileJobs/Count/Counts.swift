/// The lines, words, characters and bytes of a file, and the width of its longest line, as
/// wc counts them. Values that were not requested are 0, except bytes.
public struct Counts: Sendable, Hashable {
  /// The number of newlines.
  public var lines: UInt64 = 0
  /// The number of words: runs between blanks that contain a printable character.
  public var words: UInt64 = 0
  /// The number of characters. Bytes outside any character do not count.
  public var characters: UInt64 = 0
  /// The number of bytes.
  public var bytes: UInt64 = 0
  /// The terminal columns of the longest line, with tabs at multiples of eight.
  package var longestLine: UInt64 = 0

  /// Makes counts of zero.
  public init() {}

  /// Adds the counts of another file. The longest line is the longer of the two.
  public static func += (left: inout Counts, right: Counts) {
    // Counts that were recorded may be anything.
    left.lines &+= right.lines
    left.words &+= right.words
    left.characters &+= right.characters
    left.bytes &+= right.bytes
    left.longestLine = max(left.longestLine, right.longestLine)
  }
}

/// The values to count.
public struct CountColumns: OptionSet, Hashable, Sendable {
  /// The bits of the set, which are private.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// ``Counts/lines``.
  public static let lines = CountColumns(rawValue: 1)
  /// ``Counts/words``.
  public static let words = CountColumns(rawValue: 2)
  /// ``Counts/characters``.
  public static let characters = CountColumns(rawValue: 4)
  /// ``Counts/bytes``. Bytes alone need no read, if the file's size is reliable.
  public static let bytes = CountColumns(rawValue: 8)
  package static let longestLine = CountColumns(rawValue: 16)
}

extension Counts {
  package static let byteCount = 5 * MemoryLayout<UInt64>.size

  /// Makes the counts from the output of a ``CountJob``; all are 0 if it has none.
  package init(output: UnsafeRawBufferPointer) {
    guard output.count >= Counts.byteCount else { return }
    func number(_ index: Int) -> UInt64 {
      output.loadUnaligned(fromByteOffset: index * MemoryLayout<UInt64>.size, as: UInt64.self)
    }
    (lines, words, characters) = (number(0), number(1), number(2))
    (bytes, longestLine) = (number(3), number(4))
  }

  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (lines, words, characters, bytes, longestLine), body)
  }
}
