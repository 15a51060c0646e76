/// The tags that a parser accepts before the `(` of a tagged line.
struct ManifestTags {
  struct Tag {
    let bytes: [UInt8]
    let algorithm: DigestAlgorithm
    /// True if the bytes of the digest are in reverse order.
    let isReversed: Bool

    init(_ algorithm: DigestAlgorithm, _ text: String? = nil, isReversed: Bool = false) {
      bytes = Array((text ?? algorithm.tag).utf8)
      (self.algorithm, self.isReversed) = (algorithm, isReversed)
    }
  }

  struct Found {
    let algorithm: DigestAlgorithm
    let byteCount: Int
    let isReversed: Bool
    let end: Int
  }

  private let tags: [Tag]
  /// The algorithms whose tag may carry a length.
  private enum Lengths { case none, blake, all }

  private let lengths: Lengths
  /// True if any character may follow the tag, as in b2sum and cksum.
  private let isLax: Bool
  /// True if the tag has to be a whole word, as in cksum without an algorithm.
  private var isWord = false

  /// Makes the set of one tag, as the tool of that algorithm reads it.
  init(only algorithm: DigestAlgorithm) {
    tags = [Tag(algorithm)]
    lengths = algorithm == .blake2b ? .blake : .none
    isLax = algorithm == .blake2b
  }

  init(asCksum algorithms: [DigestAlgorithm]) {
    tags = algorithms.map { Tag($0) }
    lengths = .all
    isLax = true
    isWord = algorithms.count > 1
  }

  /// Makes the set of all tags: those of GNU's and BSD's tools, of xxhsum and of OpenSSL.
  init() {
    var tags: [Tag] = []
    for algorithm in DigestAlgorithm.listed where !algorithm.isXXHash {
      tags.append(Tag(algorithm))
      let name = algorithm.name
      if name.hasPrefix("sha") && name != "sha1" && !name.hasPrefix("sha3-") {
        tags.append(Tag(algorithm, "SHA2-\(algorithm.tag.dropFirst(3))"))
      }
    }
    for algorithm in DigestAlgorithm.allCases where algorithm.isXXHash {
      // Those of little-endian digests.
      tags += [Tag(algorithm), Tag(algorithm, algorithm.tag + "_LE", isReversed: true)]
    }
    tags += [
      Tag(.crc32), Tag(.sha512_256, "SHA512-256"), Tag(.sha512_256, "SHA512t256"),
      Tag(.blake2b, "BLAKE2B-512"),
    ]
    // The longest first, because one tag begins with another.
    self.tags = tags.sorted { $0.bytes.count > $1.bytes.count }
    lengths = .blake
    isLax = false
  }

  func find(in line: borrowing ManifestText, at offset: Int) -> Found? {
    if isWord && exactName(in: line, at: offset) == nil { return nil }
    for tag in tags where line.has(tag.bytes, at: offset) {
      var end = offset + tag.bytes.count
      if line[end] == UInt8(ascii: "-") && mayHaveLength(tag.algorithm) {
        return withLength(tag, in: line, at: end + 1)
      }
      if isLax && end < line.count && line[end] != UInt8(ascii: "(") { end += 1 }
      return Found(
        algorithm: tag.algorithm, byteCount: tag.algorithm.byteCount,
        isReversed: tag.isReversed, end: end)
    }
    return nil
  }

  /// Returns the algorithm whose tag is the whole word at an offset, up to a blank, `-` or `(`.
  func exactName(in line: borrowing ManifestText, at offset: Int) -> DigestAlgorithm? {
    for tag in tags where line.has(tag.bytes, at: offset) {
      let end = offset + tag.bytes.count
      let next = line[end]
      if line.isBlank(end) || next == 0 || next == UInt8(ascii: "-") || next == UInt8(ascii: "(") {
        return tag.algorithm
      }
    }
    return nil
  }

  /// Returns the algorithm in `?WORD*`, as TeraCopy writes it before a name, and the end of that; `nil`
  /// for another word.
  func afterQuestionMark(
    in line: borrowing ManifestText, at offset: Int
  ) -> (algorithm: DigestAlgorithm, end: Int)? {
    guard let tag = tags.first(where: { line.has($0.bytes, at: offset) }),
      line[offset + tag.bytes.count] == UInt8(ascii: "*")
    else { return nil }
    return (tag.algorithm, offset + tag.bytes.count + 1)
  }

  private func mayHaveLength(_ algorithm: DigestAlgorithm) -> Bool {
    switch lengths {
    case .none: false
    case .blake: algorithm == .blake2b || algorithm == .blake3
    case .all: true
    }
  }

  /// Reads `BLAKE2b-256`: the length in bits, by the rules of strtoumax(3). A length of another
  /// algorithm stands for the beginning of its digest.
  private func withLength(
    _ tag: Tag, in line: borrowing ManifestText, at offset: Int
  ) -> Found? {
    guard let (bits, end) = line.number(at: offset), bits > 0, bits % 8 == 0 else { return nil }
    let other = tag.algorithm.withLength(bits / 8)
    if other == nil && bits / 8 > tag.algorithm.byteCount { return nil }
    return Found(
      algorithm: other ?? tag.algorithm, byteCount: bits / 8, isReversed: tag.isReversed, end: end
    )
  }
}
