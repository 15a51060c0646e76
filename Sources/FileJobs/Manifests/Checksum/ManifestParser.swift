// The parser of a line of a manifest.

/// The content of a line of a manifest.
package enum ManifestRecord {
  /// A digest and a name.
  case entry(ManifestLine)
  /// A comment or an empty line.
  case ignored
  /// Not a line of a checksum tool.
  case malformed
}

/// A digest and a name from a line of a manifest.
///
/// The pointers refer to the memory of the line and are valid as long as that is.
package struct ManifestLine {
  /// The algorithm of the digest.
  package let algorithm: DigestAlgorithm
  /// The algorithm that the digest may be of instead, if the line does not name one.
  package let alternative: DigestAlgorithm?
  /// The digest as bytes. It has the algorithm's length; in a line for cksum it may be the
  /// beginning of a digest.
  package let digest: UnsafeRawBufferPointer
  /// The name without escapes.
  package let name: UnsafeRawBufferPointer
  /// True if the line marks the file as binary (` *`).
  package let isBinary: Bool
}

/// A parser of the lines of a manifest, one after the other.
///
/// It reads the lines of GNU's tools, BSD's tools, OpenSSL and xxhsum:
///
/// ```text
/// DIGEST  NAME            DIGEST *NAME        \DIGEST  NA\\ME
/// DIGEST NAME             (md5 -r: all lines of a manifest, or none)
/// SHA256 (NAME) = DIGEST  SHA256(NAME)= DIGEST
/// NAME CRC32              ; comment           (SFV: ``readsSFV``)
/// ```
///
/// It allocates no memory: digest and name are decoded in place, in the line.
package struct ManifestParser {
  /// The rules of a GNU tool for one digest, of b2sum, of cksum, or of `weir check`.
  private enum Rules { case tool, b2sum, cksum, any }

  private enum Spacing { case unknown, two, one }

  private let rules: Rules
  /// The algorithms of untagged lines. Two of them may have digests of the same length.
  let untagged: [DigestAlgorithm]
  let tags: ManifestTags
  private let isZeroTerminated: Bool
  /// The number of characters between digest and name, which the first line decides: two,
  /// or one as with `md5 -r`. A mixture is refused, because it could make a name lose or
  /// gain its first character.
  private var spacing = Spacing.unknown
  /// True if a line was refused that shows that the manifest is read in a wrong way: one of such
  /// a mixture, or with the byte that ends lines in the other form.
  private(set) var hasDamage = false
  /// True to read also the lines of SFV, and comments that begin with a semicolon.
  var readsSFV = false

  /// Makes a parser with the rules of an algorithm's GNU tool (coreutils 9.1). All lines
  /// are of this algorithm.
  package init(as algorithm: DigestAlgorithm) {
    rules = algorithm == .blake2b ? .b2sum : .tool
    untagged = [algorithm]
    tags = ManifestTags(only: algorithm)
    isZeroTerminated = false
  }

  /// Makes a parser with the rules of GNU's cksum (coreutils 9.1).
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm of all lines; `nil` if each line names its own.
  ///   - known: The algorithms of cksum.
  package init(asCksum algorithm: DigestAlgorithm?, knowing known: [DigestAlgorithm]) {
    rules = .cksum
    untagged = algorithm.map { [$0] } ?? []
    tags = ManifestTags(asCksum: algorithm.map { [$0] } ?? known)
    isZeroTerminated = false
  }

  /// The algorithm that the last tag named, even if the rest of its line was malformed.
  package private(set) var lastTagged: DigestAlgorithm?

  /// Makes a parser for lines of any algorithm.
  ///
  /// A tagged line names its algorithm. The length of the digest decides for other lines:
  /// md5, sha1, sha224, sha256, sha384, sha512, and xxh64 for 16 digits. A digest of 64 digits
  /// may also be one of BLAKE3: then the line has an ``ManifestLine/alternative``.
  ///
  /// - Parameters:
  ///   - untagged: The algorithms of untagged lines, if they are not these.
  ///   - isZeroTerminated: True if lines end in NUL; nothing is escaped then.
  package init(untagged: [DigestAlgorithm] = [], isZeroTerminated: Bool = false) {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64", "blake3"]
    rules = .any
    self.untagged = untagged.isEmpty ? usual.compactMap { DigestAlgorithm($0) } : untagged
    tags = ManifestTags()
    self.isZeroTerminated = isZeroTerminated
  }

  /// Parses a line.
  ///
  /// - Parameter line: The line without its terminator. Digest and name are decoded in
  ///   place.
  package mutating func parse(_ line: UnsafeMutableRawBufferPointer) -> ManifestRecord {
    if line.first == UInt8(ascii: "#") {
      // Otherwise the lines after a comment would be part of it.
      guard rules == .any, line.contains(isZeroTerminated ? UInt8(ascii: "\n") : 0) else {
        return .ignored
      }
      hasDamage = true
      return .malformed
    }
    if readsSFV && line.first == UInt8(ascii: ";") { return .ignored }
    let hasReturn = !isZeroTerminated && line.last == UInt8(ascii: "\r")
    let rest = UnsafeMutableRawBufferPointer(rebasing: line.dropLast(hasReturn ? 1 : 0))
    guard let text = ManifestText(rest) else { return .ignored }
    guard let found = split(text) ?? (readsSFV ? ManifestParser.splitSFV(text) : nil) else {
      hasDamage = hasDamage || line.contains(0)
      return .malformed
    }
    return .entry(found)
  }

  private mutating func split(_ line: borrowing ManifestText) -> ManifestLine? {
    var begin = line.skipBlanks(0)
    let isEscaped = !isZeroTerminated && line[begin] == UInt8(ascii: "\\")
    if isEscaped { begin += 1 }
    return line.mayBeTagged(at: begin)
      ? splitTagged(line, from: begin, isEscaped: isEscaped)
      : splitPlain(line, from: begin, isEscaped: isEscaped)
  }

  // MARK: TAG (NAME) = DIGEST

  private mutating func splitTagged(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    if rules == .cksum && untagged.isEmpty {
      lastTagged = tags.exactName(in: line, at: begin) ?? lastTagged
    }
    guard let tag = tags.find(in: line, at: begin),
      let (nameRange, digits) = line.nameAndDigits(at: tag.end)
    else { return nil }
    let digitCount = tag.byteCount * 2
    guard line.digitCount(at: digits) == digitCount, isEnd(digits + digitCount, of: line),
      let name = name(nameRange, of: line, isEscaped: isEscaped)
    else { return nil }
    return ManifestLine(
      algorithm: tag.algorithm, alternative: nil,
      digest: line.decode(at: digits, byteCount: tag.byteCount, isReversed: tag.isReversed),
      name: name, isBinary: false)
  }

  // MARK: DIGEST  NAME

  private mutating func splitPlain(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    let digitCount = line.digitCount(at: begin)
    guard let (algorithm, alternative) = algorithms(digitCount: digitCount),
      line.count - begin >= shortest(digitCount: digitCount),
      line.isBlank(begin + digitCount)
    else { return nil }
    var nameBegin = begin + digitCount + 1
    var isBinary = false
    let mark = line[nameBegin]
    if line.count - nameBegin == 1 || (mark != UInt8(ascii: " ") && mark != UInt8(ascii: "*")) {
      if spacing == .two {
        hasDamage = true
        return nil
      }
      spacing = .one
    } else if spacing != .one {
      spacing = .two
      isBinary = mark == UInt8(ascii: "*")
      nameBegin += 1
    }
    guard let name = name(nameBegin..<line.count, of: line, isEscaped: isEscaped) else {
      return nil
    }
    return ManifestLine(
      algorithm: algorithm, alternative: alternative,
      digest: line.decode(at: begin, byteCount: algorithm.byteCount), name: name,
      isBinary: isBinary)
  }

  /// The minimum number of bytes from the digest to the end. b2sum accepts an empty name,
  /// because it does not know the length of the digest in advance.
  private func shortest(digitCount: Int) -> Int {
    switch rules {
    case .b2sum, .cksum: 3
    case .tool, .any: digitCount + 2
    }
  }

  /// The algorithm whose digest has so many digits, and another one.
  private func algorithms(digitCount: Int) -> (DigestAlgorithm, DigestAlgorithm?)? {
    if let exact = untagged.firstIndex(where: { $0.byteCount * 2 == digitCount }) {
      let other = untagged[(exact + 1)...].first { $0.byteCount * 2 == digitCount }
      return (untagged[exact], other)
    }
    // A BLAKE2b digest can have any length.
    guard digitCount >= 2 && digitCount % 2 == 0, untagged.contains(.blake2b) else { return nil }
    return DigestAlgorithm.blake2b(byteCount: digitCount / 2).map { ($0, nil) }
  }

  // MARK: NAME CRC32

  /// Returns true if a line can be one of SFV, which ends in eight hexadecimal digits.
  static func isOfSFV(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    let hasReturn = line.last == UInt8(ascii: "\r")
    let rest = UnsafeMutableRawBufferPointer(rebasing: line.dropLast(hasReturn ? 1 : 0))
    guard let text = ManifestText(rest) else { return false }
    return nameEndOfSFV(text) != nil
  }

  private static func splitSFV(_ line: borrowing ManifestText) -> ManifestLine? {
    guard let end = nameEndOfSFV(line) else { return nil }
    return ManifestLine(
      algorithm: .crc32, alternative: nil,
      digest: line.decode(at: line.count - 8, byteCount: 4), name: line.part(0..<end),
      isBinary: false)
  }

  /// Returns the end of the name, before any number of blanks and the digits.
  private static func nameEndOfSFV(_ line: borrowing ManifestText) -> Int? {
    let digits = line.count - 8
    guard digits > 1, line.digitCount(at: digits) == 8, line.isBlank(digits - 1) else { return nil }
    var end = digits - 1
    while end > 0 && line.isBlank(end - 1) { end -= 1 }
    return end == 0 || line.part(0..<end).contains(0) ? nil : end
  }

  // MARK: Names

  /// Returns true if the line ends at `index`. The GNU tools stop at a NUL.
  private func isEnd(_ index: Int, of line: borrowing ManifestText) -> Bool {
    rules == .any ? index == line.count : line[index] == 0
  }

  private func name(
    _ range: Range<Int>, of line: borrowing ManifestText, isEscaped: Bool
  ) -> UnsafeRawBufferPointer? {
    if isEscaped { return line.unescape(range).map { line.part($0) } }
    let cut = line.upToNUL(range)
    // The GNU tools use the part before a NUL, which is the name of another file.
    if rules == .any && cut != range { return nil }
    return line.part(cut)
  }
}

extension ManifestText {
  /// Returns true if a tag can begin at `index`: each tag begins with a letter that is not
  /// a hexadecimal digit, or with `BL`.
  fileprivate func mayBeTagged(at index: Int) -> Bool {
    let first = self[index]
    return first == UInt8(ascii: "S") || first == UInt8(ascii: "M") || first == UInt8(ascii: "X")
      || (first == UInt8(ascii: "C") && self[index + 1] == UInt8(ascii: "R"))
      || (first == UInt8(ascii: "B") && self[index + 1] == UInt8(ascii: "L"))
  }
}
