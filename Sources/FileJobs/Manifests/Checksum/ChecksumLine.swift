// The lines of a manifest.

/// How a digest and a name stand on a line, as GNU's and BSD's tools write
/// them.
public struct ChecksumLine: Sendable {
  // No arrays and no strings: all lanes use the line, and would count references
  // to them for each file.
  private let algorithm: DigestAlgorithm
  private let digitCount: Int
  /// How long the tag is; 0 where there is none.
  private let tagCount: Int
  private let terminator: UInt8

  /// Lines for an algorithm: `DIGEST  NAME`, or `TAG (NAME) = DIGEST` where
  /// that is asked for or its own tool knows no other.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm.
  ///   - isTagged: Whether lines are tagged in any case.
  ///   - isZeroTerminated: Whether a line ends in NUL instead of a newline.
  ///     Then names are not escaped.
  public init(
    _ algorithm: DigestAlgorithm, isTagged: Bool = false, isZeroTerminated: Bool = false
  ) {
    self.algorithm = algorithm
    digitCount = algorithm.byteCount * 2
    tagCount = isTagged || algorithm.isAlwaysTagged ? algorithm.tag.utf8.count : 0
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  /// The most bytes a line for a name of `nameCount` bytes can have.
  func capacity(nameCount: Int) -> Int {
    1 + digitCount + tagCount + 6 + nameCount * 2 + 1
  }

  /// Writes a line. Returns how many bytes it has.
  ///
  /// A name that holds a newline, a carriage return or a backslash is escaped,
  /// and the line begins with a backslash to say so.
  func write(
    name: UnsafeRawBufferPointer, digest: Digest, to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    write(name: name, digest: digest.bytes, to: out)
  }

  /// Writes a line with the bytes of a digest. Returns how many bytes it has.
  func write(
    name: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    let isEscaped = terminator != 0 && name.contains(where: LineWriter.isEscaped)
    if isEscaped { line.append(LineWriter.backslash) }
    if tagCount > 0 {
      line.append(UnsafeRawBufferPointer(start: algorithm.tagBytes, count: tagCount))
      line.append(" (")
    } else {
      line.append(hexadecimal: digest)
      line.append("  ")
    }
    if isEscaped { line.append(escaping: name) } else { line.append(name) }
    if tagCount > 0 {
      line.append(") = ")
      line.append(hexadecimal: digest)
    }
    line.append(terminator)
    return line.count
  }
}
