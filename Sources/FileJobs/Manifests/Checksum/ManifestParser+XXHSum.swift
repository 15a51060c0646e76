// The lines of xxhsum.

extension ManifestParser {
  /// Parses a line by the rules of xxhsum 0.8: no comments, no escapes, no blanks but those of
  /// the two formats. The line ends at its first NUL.
  ///
  /// ```text
  /// DIGEST  NAME          8 digits: XXH32, 16: XXH64, 32: XXH128; any character before NAME
  /// XXH3 (NAME) = DIGEST  XXH3_LE (NAME) = DIGEST
  /// ```
  func splitXXHSum(_ line: borrowing ManifestText) -> ManifestLine? {
    let end = line.upToNUL(0..<line.count).upperBound
    let digitCount = line.digitCount(at: 0)
    return digitCount > 0 && line[digitCount] == UInt8(ascii: " ")
      && line[digitCount + 1] != UInt8(ascii: "(")
      ? splitPlainXXHSum(line, digitCount, end) : splitTaggedXXHSum(line, end)
  }

  private func splitPlainXXHSum(
    _ line: borrowing ManifestText, _ digitCount: Int, _ end: Int
  ) -> ManifestLine? {
    guard let algorithm = untagged.first(where: { $0.byteCount * 2 == digitCount }),
      digitCount + 1 < end
    else { return nil }
    return ManifestLine(
      algorithm: algorithm, alternative: nil,
      digest: line.decode(at: 0, byteCount: algorithm.byteCount, isReversed: isLittleEndian),
      name: line.part(digitCount + 2..<max(end, digitCount + 2)), isBinary: false)
  }

  private static let open = Array(" (".utf8)
  private static let close = Array(") = ".utf8)

  private func splitTaggedXXHSum(_ line: borrowing ManifestText, _ end: Int) -> ManifestLine? {
    guard let tag = tags.find(in: line, at: 0) else { return nil }
    let digits = end - tag.byteCount * 2
    let name = tag.end + ManifestParser.open.count
    let nameEnd = digits - ManifestParser.close.count
    guard name <= nameEnd, line.has(ManifestParser.open, at: tag.end),
      line.has(ManifestParser.close, at: nameEnd),
      line.digitCount(at: digits) == tag.byteCount * 2
    else { return nil }
    return ManifestLine(
      algorithm: tag.algorithm, alternative: nil,
      digest: line.decode(at: digits, byteCount: tag.byteCount, isReversed: tag.isReversed),
      name: line.part(name..<nameEnd), isBinary: false)
  }
}
