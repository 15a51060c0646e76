/// The format of a line with a digest and a name, as GNU's and BSD's tools write it.
package struct ChecksumLine: Sendable {
  // No arrays and no strings: all lanes share the format, and each file would count
  // references to them.
  private let algorithm: DigestAlgorithm
  private let digitCount: Int
  /// The length of the tag; 0 if lines are not tagged.
  private let tagCount: Int
  private let separator: StaticString
  private let terminator: UInt8

  /// Makes the format for an algorithm: `DIGEST  NAME`, or `DIGEST *NAME` if `isBinary`; tagged, if
  /// `isTagged` or if its own tool reads tagged lines only, `TAG (NAME) = DIGEST`. If a line ends
  /// in NUL, its name is not escaped.
  package init(
    _ algorithm: DigestAlgorithm, isTagged: Bool = false, isBinary: Bool = false,
    isZeroTerminated: Bool = false
  ) {
    self.algorithm = algorithm
    digitCount = algorithm.byteCount * 2
    tagCount = isTagged || algorithm.isAlwaysTagged ? algorithm.tag.utf8.count : 0
    separator = isBinary ? " *" : "  "
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  package func capacity(nameCount: Int) -> Int {
    1 + digitCount + tagCount + 6 + nameCount * 2 + 1
  }

  /// Returns the number of bytes written. A name that contains a newline, a carriage return or a
  /// backslash is escaped; the line begins with a backslash then.
  package func write(
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
      line.append(separator)
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
