/// The content of a line of a manifest.
package enum ManifestContent {
  case entry(ManifestLine)
  case ignored
  /// Not a line of a checksum tool.
  case malformed
}

/// A digest and a name in the memory of a line of a manifest, valid as long as that is.
package struct ManifestLine {
  package let algorithm: DigestAlgorithm
  /// The algorithm that the digest may be of instead, if the line does not name one.
  package let alternative: DigestAlgorithm?
  /// The digest, of the algorithm's length; for cksum perhaps the beginning of one.
  package let digest: UnsafeRawBufferPointer
  /// The name without escapes.
  package internal(set) var name: UnsafeRawBufferPointer
  /// True if the line marks the file as binary (` *`).
  package let isBinary: Bool
  /// The number of bytes after the name that can be a part of it: a carriage return, which can also
  /// end the line, or blanks before a digest.
  var doubtful = 0

  /// Returns the line with an algorithm; `nil` if the digest has another length.
  fileprivate func with(_ algorithm: DigestAlgorithm) -> ManifestLine? {
    if digest.count != algorithm.byteCount { return nil }
    return ManifestLine(
      algorithm: algorithm, alternative: nil, digest: digest, name: name, isBinary: isBinary)
  }
}

/// A parser of the lines of a manifest, of GNU's and BSD's tools, OpenSSL and xxhsum:
///
/// ```text
/// DIGEST  NAME            DIGEST *NAME        \DIGEST  NA\\ME
/// DIGEST NAME             (md5 -r: all lines of a manifest, or none)
/// SHA256 (NAME) = DIGEST  SHA256(NAME)= DIGEST
/// ```
///
/// By the rules of `weir check` a digest may be in base64 instead of hexadecimal digits, and these
/// lines are read too:
///
/// ```text
/// XXH3_DIGEST  NAME       DIGEST ?WORD*NAME   (xxhsum -H3, TeraCopy)
/// NAME  DIGEST            DIGEST              (``readsOthers``)
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
  /// The characters between digest and name, by the first line: two, or one as with `md5 -r`. A
  /// mixture is refused, since a name could lose or gain its first character.
  private var spacing = Spacing.unknown
  /// The algorithm of untagged lines whose digests have any length.
  private let family: DigestAlgorithm?
  /// The number of bytes of the first digest without a tag, if the algorithm has digests of any length:
  /// it is that of all others, as b2sum -l and b3sum -l write them.
  private var listLength: Int?
  /// True if a line was refused that shows that the manifest is read in a wrong way: one of such
  /// a mixture, or with the byte that ends lines in the other form.
  private(set) var hasDamage = false
  /// True to read lines of SFV too. Its comments begin with a semicolon, and no others do.
  var readsSFV = false
  /// True to read also lines with the digest at the end, or with nothing else.
  var readsOthers = false
  /// The name of a line that is a digest alone, as ``CheckManifest/loneName``; empty if it can be none.
  var loneName = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Makes a parser with the rules of an algorithm's GNU tool (coreutils 9.1) for all lines.
  package init(as algorithm: DigestAlgorithm) {
    rules = algorithm == .blake2b ? .b2sum : .tool
    untagged = [algorithm]
    family = ManifestParser.family(of: untagged)
    tags = ManifestTags(only: algorithm)
    isZeroTerminated = false
  }

  /// Makes a parser with the rules of GNU's cksum (coreutils 9.1). `algorithm` is that of all
  /// lines; `nil` if each line names its own.
  package init(asCksum algorithm: DigestAlgorithm?, knowing known: [DigestAlgorithm]) {
    rules = .cksum
    untagged = algorithm.map { [$0] } ?? []
    family = ManifestParser.family(of: untagged)
    tags = ManifestTags(asCksum: algorithm.map { [$0] } ?? known)
    isZeroTerminated = false
  }

  /// The algorithm that the last tag named, even if the rest of its line was malformed.
  package private(set) var lastTagged: DigestAlgorithm?

  /// Makes a parser for lines of any algorithm. A tagged line names its algorithm. Otherwise the
  /// length of the digest decides: md5, sha1, sha224, sha256, sha384, sha512, and xxh64 for 16
  /// digits. 64 digits may also be BLAKE3, as ``ManifestLine/alternative``.
  ///
  /// - Parameters:
  ///   - untagged: The algorithms of untagged lines, if they are not these.
  ///   - recorded: The algorithms in the manifest's ledger, which precede the usual ones.
  ///   - isZeroTerminated: True if lines end in NUL; nothing is escaped then.
  package init(
    untagged: [DigestAlgorithm] = [], recorded: [DigestAlgorithm] = [],
    isZeroTerminated: Bool = false
  ) {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64", "blake3"]
    rules = .any
    self.untagged =
      untagged.isEmpty
      ? (recorded + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates : untagged
    family = ManifestParser.family(of: self.untagged)
    tags = ManifestTags()
    self.isZeroTerminated = isZeroTerminated
  }

  /// Parses a line without its terminator. Digest and name are decoded in place.
  package mutating func parse(_ line: UnsafeMutableRawBufferPointer) -> ManifestContent {
    if line.first == UInt8(ascii: "#") && !readsSFV {
      // Otherwise the lines after a comment would be part of it.
      guard rules == .any, hidesLine(line) else { return .ignored }
      hasDamage = true
      return .malformed
    }
    if readsSFV && line.first == UInt8(ascii: ";") {
      // No comment of SFV has a digest of another list.
      return hidesLine(line) || ManifestText(line)?.hasDigest == true ? .malformed : .ignored
    }
    let hasReturn = !isZeroTerminated && line.last == UInt8(ascii: "\r")
    guard let text = ManifestText(hasReturn ? line.withoutReturn : line) else { return .ignored }
    guard
      var found = (readsSFV ? ManifestParser.splitSFV(text, isPlain: true) : nil) ?? split(text)
        ?? (readsSFV ? ManifestParser.splitSFV(text) : nil)
        ?? (readsOthers ? splitOther(text) : nil)
    else {
      hasDamage = hasDamage || line.contains(0)
      return .malformed
    }
    if hasReturn && rules == .any && text.isEnd(of: found.name) { found.doubtful = 1 }
    return .entry(found)
  }

  /// Returns true if a comment contains the end of a line of another kind: a newline among lines that end
  /// in NUL, or a NUL or a carriage return among others. The next line would count as the comment's.
  private func hidesLine(_ comment: UnsafeMutableRawBufferPointer) -> Bool {
    if isZeroTerminated { return comment.contains(UInt8(ascii: "\n")) }
    let end = comment.lastIndex { $0 != UInt8(ascii: "\r") } ?? 0
    return comment.contains(0) || comment[..<end].contains(UInt8(ascii: "\r"))
  }

  private mutating func split(_ line: borrowing ManifestText) -> ManifestLine? {
    var begin = line.skipBlanks(0)
    let isEscaped = !isZeroTerminated && line[begin] == UInt8(ascii: "\\")
    if isEscaped { begin += 1 }
    if rules == .any && line.has(ManifestParser.xxh3, at: begin) {
      return splitPlain(line, from: begin + ManifestParser.xxh3.count, isEscaped: isEscaped)
        .flatMap { $0.with(.xxh3) }
    }
    return line.mayBeTagged(at: begin)
      ? splitTagged(line, from: begin, isEscaped: isEscaped)
      : splitPlain(line, from: begin, isEscaped: isEscaped)
  }

  /// The mark of xxhsum before a digest of XXH3, which has as many digits as one of XXH64.
  private static let xxh3 = Array("XXH3_".utf8)

  // MARK: TAG (NAME) = DIGEST

  private mutating func splitTagged(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    if rules == .cksum && untagged.isEmpty {
      lastTagged = tags.exactName(in: line, at: begin) ?? lastTagged
    }
    guard let tag = tags.find(in: line, at: begin),
      let (nameRange, digits) = line.nameAndDigits(at: tag.end, isLax: rules == .any)
    else { return nil }
    let digitCount = tag.byteCount * 2
    let isHexadecimal =
      line.digitCount(at: digits) == digitCount && isEnd(digits + digitCount, of: line)
      || rules == .any && line.removeColons(digits..<line.count, byteCount: tag.byteCount)
    guard isHexadecimal || rules == .any && line.isBase64(digits..<line.count, of: tag.byteCount),
      let name = name(nameRange, of: line, isEscaped: isEscaped)
    else { return nil }
    let digest =
      isHexadecimal
      ? line.decode(at: digits, byteCount: tag.byteCount, isReversed: tag.isReversed)
      : line.decodeBase64(at: digits, byteCount: tag.byteCount)
    return ManifestLine(
      algorithm: tag.algorithm, alternative: nil, digest: digest, name: name, isBinary: false)
  }

  // MARK: DIGEST  NAME

  private mutating func splitPlain(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    var digitCount = line.digitCount(at: begin)
    var found = algorithms(digitCount: digitCount)
    let isHexadecimal = line.isBlank(begin + digitCount)
    if !isHexadecimal && rules == .any {
      digitCount = line.wordCount(at: begin)
      let range = begin..<begin + digitCount
      found = untagged.first { line.isBase64(range, of: $0.byteCount) }.map { ($0, nil) }
    }
    guard let (algorithm, alternative) = found,
      line.count - begin >= shortest(digitCount: digitCount),
      line.isBlank(begin + digitCount)
    else { return nil }
    var nameBegin = begin + digitCount + 1
    var isBinary = false
    if rules == .any, line[nameBegin] == UInt8(ascii: "?") {
      guard let (named, end) = tags.afterQuestionMark(in: line, at: nameBegin + 1),
        isHexadecimal, named.byteCount == algorithm.byteCount, end < line.count
      else { return nil }
      return ManifestLine(
        algorithm: named, alternative: nil,
        digest: line.decode(at: begin, byteCount: named.byteCount),
        name: line.part(end..<line.count), isBinary: true)
    }
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
    let digest =
      isHexadecimal
      ? line.decode(at: begin, byteCount: algorithm.byteCount)
      : line.decodeBase64(at: begin, byteCount: algorithm.byteCount)
    keepLength(of: algorithm)
    return ManifestLine(
      algorithm: algorithm, alternative: alternative, digest: digest, name: name,
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

  /// The shortest digest of b3sum -l that counts, 64 bits: one that is cut shorter proves little.
  private static let shortestDigitCount = 16

  /// The algorithm whose digest has so many digits, and another one.
  private func algorithms(digitCount: Int) -> (DigestAlgorithm, DigestAlgorithm?)? {
    if let exact = untagged.firstIndex(where: { $0.byteCount * 2 == digitCount }) {
      if untagged[exact] == family && !isListLength(digitCount) { return nil }
      let other = untagged[(exact + 1)...].first { $0.byteCount * 2 == digitCount }
      return (untagged[exact], other)
    }
    if !isListLength(digitCount) || digitCount % 2 != 0
      || family == .blake3 && digitCount < ManifestParser.shortestDigitCount
    {
      return nil
    }
    return family?.withLength(digitCount / 2).map { ($0, nil) }
  }

  /// Returns the algorithm whose digests can have any length. If BLAKE3 is one of many, it is not what
  /// the user named.
  private static func family(of untagged: [DigestAlgorithm]) -> DigestAlgorithm? {
    untagged.contains(.blake2b) ? .blake2b : untagged == [.blake3] ? .blake3 : nil
  }

  private func isListLength(_ digitCount: Int) -> Bool {
    listLength.map { $0 * 2 == digitCount } ?? true
  }

  private mutating func keepLength(of algorithm: DigestAlgorithm) {
    if rules != .any || listLength != nil { return }
    if let family, family.withLength(algorithm.byteCount) == algorithm {
      listLength = algorithm.byteCount
    }
  }

  // MARK: NAME DIGEST

  /// Returns true if a line can be one of SFV, which ends in eight hexadecimal digits, or fewer for
  /// programs that write no leading zeros. `isPlain` is true for lines of a word, one blank and
  /// eight digits alone, whose word can look like a digest.
  static func isOfSFV(
    _ line: UnsafeMutableRawBufferPointer, digitsMin: Int = 8, isPlain: Bool = false
  ) -> Bool {
    guard let text = ManifestText(line.withoutReturn) else { return false }
    return sfv(text, digitsMin: digitsMin, isPlain: isPlain) != nil
  }

  private static func sfv(
    _ line: borrowing ManifestText, digitsMin: Int = 4, isPlain: Bool = false
  ) -> (name: Range<Int>, digits: Int)? {
    guard let found = line.nameAndLastDigits(), (digitsMin...8).contains(line.count - found.digits),
      !isPlain || found.digits + 8 == line.count && line.wordCount(at: 0) + 1 == found.digits
    else { return nil }
    return found
  }

  private static func splitSFV(
    _ line: borrowing ManifestText, isPlain: Bool = false
  ) -> ManifestLine? {
    guard let (name, digits) = sfv(line, isPlain: isPlain) else { return nil }
    return ManifestLine(
      algorithm: .crc32, alternative: nil, digest: line.decodeCRC(at: digits),
      name: line.part(name), isBinary: false, doubtful: digits - name.upperBound - 1)
  }

  private mutating func splitOther(_ line: borrowing ManifestText) -> ManifestLine? {
    let begin = line.skipBlanks(0)
    let isAlone = !loneName.isEmpty && begin + line.wordCount(at: begin) == line.count
    guard isAlone || line.nameAndLastDigits() != nil,
      let (name, digits) = isAlone ? (0..<0, begin) : line.nameAndLastDigits(),
      line.digitCount(at: digits) == line.count - digits,
      let (algorithm, alternative) = algorithms(digitCount: line.count - digits),
      // XXH32 and CRC-32 are too short to be told from a word.
      algorithm.byteCount >= 16 || isAlone,
      // `TAG (NAME) = DIGEST` and `NAME: DIGEST` are other forms.
      isAlone || ![UInt8(ascii: "="), UInt8(ascii: ":")].contains(line[name.upperBound - 1])
    else { return nil }
    keepLength(of: algorithm)
    return ManifestLine(
      algorithm: algorithm, alternative: alternative,
      digest: line.decode(at: digits, byteCount: algorithm.byteCount),
      name: isAlone ? loneName : line.part(name), isBinary: false,
      doubtful: isAlone ? 0 : digits - name.upperBound - 1)
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
