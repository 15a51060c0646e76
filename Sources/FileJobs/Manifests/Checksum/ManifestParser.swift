// Reading the lines of a manifest.

/// Tells what the lines of a manifest say, one after the other.
///
/// It reads what GNU's tools, BSD's, OpenSSL's and xxhsum write:
///
///     DIGEST  NAME            DIGEST *NAME        \DIGEST  NA\\ME
///     DIGEST NAME             (md5 -r: all of a run are such, or none)
///     SHA256 (NAME) = DIGEST  SHA256(NAME)= DIGEST
///
/// It costs no allocation: what it finds stays where it stands in the line,
/// without its escapes.
public struct ManifestParser {
  private enum Kind {
    /// As the tool of this algorithm reads.
    case tool(DigestAlgorithm)
    /// As `weir check` does: the algorithms of untagged lines.
    case any([DigestAlgorithm])
  }

  private enum Spacing { case unknown, two, one }

  private let kind: Kind
  private let tags: ManifestTags
  private let isZeroTerminated: Bool
  /// How the first line decided that the others separate digest and name: by
  /// two characters, or by one, as `md5 -r` does. A mixture is refused, since a
  /// name could be made to lose, or gain, its first character.
  private var spacing = Spacing.unknown

  /// Reads manifests as the GNU tool of an algorithm does (coreutils 9.1): all
  /// lines are of this one.
  public init(as algorithm: DigestAlgorithm) {
    kind = .tool(algorithm)
    tags = ManifestTags(only: algorithm)
    isZeroTerminated = false
  }

  /// Reads lines of any algorithm.
  ///
  /// Tagged ones name theirs. The others are told by their length: md5, sha1,
  /// sha224, sha256, sha384, sha512, and xxh64 for 16 digits.
  ///
  /// - Parameters:
  ///   - untagged: The algorithms of untagged lines, where they are not these.
  ///   - isZeroTerminated: Whether lines end in NUL; then nothing is escaped.
  public init(untagged: [DigestAlgorithm] = [], isZeroTerminated: Bool = false) {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    kind = .any(untagged.isEmpty ? usual.compactMap { DigestAlgorithm($0) } : untagged)
    tags = ManifestTags()
    self.isZeroTerminated = isZeroTerminated
  }

  /// Reads a line.
  ///
  /// - Parameter line: The line without the byte that ended it. What is found
  ///   is written over it.
  public mutating func parse(_ line: UnsafeMutableRawBufferPointer) -> ManifestRecord {
    if line.first == UInt8(ascii: "#") { return .ignored }
    let hasReturn = !isZeroTerminated && line.last == UInt8(ascii: "\r")
    let rest = UnsafeMutableRawBufferPointer(rebasing: line.dropLast(hasReturn ? 1 : 0))
    guard let text = ManifestText(rest) else { return .ignored }
    guard let found = split(text) else { return .malformed }
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

  private func splitTagged(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    guard let tag = tags.find(in: line, at: begin) else { return nil }
    let open = tag.end + (line[tag.end] == UInt8(ascii: " ") ? 1 : 0)
    guard line[open] == UInt8(ascii: "("), open + 1 < line.count else { return nil }
    let nameBegin = open + 1
    var close = line.count - 1
    while close > nameBegin && line[close] != UInt8(ascii: ")") { close -= 1 }
    guard line[close] == UInt8(ascii: ")") else { return nil }
    var digits = line.skipBlanks(close + 1)
    guard line[digits] == UInt8(ascii: "=") else { return nil }
    digits = line.skipBlanks(digits + 1)
    let digitCount = tag.byteCount * 2
    guard line.digitCount(at: digits) == digitCount, isEnd(digits + digitCount, of: line),
      let name = name(nameBegin..<close, of: line, isEscaped: isEscaped)
    else { return nil }
    return ManifestLine(
      algorithm: tag.algorithm,
      digest: line.decode(at: digits, byteCount: tag.byteCount, isReversed: tag.isReversed),
      name: name, isBinary: false)
  }

  // MARK: DIGEST  NAME

  private mutating func splitPlain(
    _ line: borrowing ManifestText, from begin: Int, isEscaped: Bool
  ) -> ManifestLine? {
    let digitCount = line.digitCount(at: begin)
    guard let (algorithm, byteCount) = algorithm(digitCount: digitCount),
      line.count - begin >= shortest(digitCount: digitCount),
      line.isBlank(begin + digitCount)
    else { return nil }
    var nameBegin = begin + digitCount + 1
    var isBinary = false
    let mark = line[nameBegin]
    if line.count - nameBegin == 1 || (mark != UInt8(ascii: " ") && mark != UInt8(ascii: "*")) {
      if spacing == .two { return nil }
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
      algorithm: algorithm, digest: line.decode(at: begin, byteCount: byteCount), name: name,
      isBinary: isBinary)
  }

  /// The fewest bytes from the digest on. To b2sum, which does not know how
  /// long the digest will be, the name may be empty.
  private func shortest(digitCount: Int) -> Int {
    if case .tool(let algorithm) = kind, algorithm == .blake2b { return 3 }
    return digitCount + 2
  }

  /// Whose digest has so many digits, and how many bytes it has.
  private func algorithm(digitCount: Int) -> (DigestAlgorithm, Int)? {
    let untagged =
      switch kind {
      case .tool(let algorithm): [algorithm]
      case .any(let algorithms): algorithms
      }
    if let exact = untagged.first(where: { $0.byteCount * 2 == digitCount }) {
      return (exact, digitCount / 2)
    }
    // BLAKE2b's digests can have any length.
    guard digitCount >= 2 && digitCount % 2 == 0,
      let free = untagged.first(where: { $0 == .blake2b && $0.byteCount * 2 > digitCount })
    else { return nil }
    return (free, digitCount / 2)
  }

  // MARK: Names

  /// The line ends there. To the GNU tools a NUL ends it.
  private func isEnd(_ index: Int, of line: borrowing ManifestText) -> Bool {
    if case .tool = kind { return line[index] == 0 }
    return index == line.count
  }

  private func name(
    _ range: Range<Int>, of line: borrowing ManifestText, isEscaped: Bool
  ) -> UnsafeRawBufferPointer? {
    if isEscaped { return line.unescape(range).map { line.part($0) } }
    let cut = line.upToNUL(range)
    // The GNU tools verify what stands before a NUL; that is another file's name.
    if case .any = kind, cut != range { return nil }
    return line.part(cut)
  }
}

extension ManifestText {
  /// Whether a tag may stand there: each begins with a letter that is no digit,
  /// or with one that a letter follows which is none.
  fileprivate func mayBeTagged(at index: Int) -> Bool {
    let first = self[index]
    return first == UInt8(ascii: "S") || first == UInt8(ascii: "M") || first == UInt8(ascii: "X")
      || (first == UInt8(ascii: "B") && self[index + 1] == UInt8(ascii: "L"))
  }
}
