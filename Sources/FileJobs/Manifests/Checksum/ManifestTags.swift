/// The tags that a parser accepts before the `(` of a tagged line.
struct ManifestTags {
  struct Tag {
    let bytes: [UInt8]
    let algorithm: DigestAlgorithm
    /// True if the bytes of the digest are in reverse order.
    var isReversed = false
  }

  /// The tag at the beginning of a line, and its end.
  struct Found {
    let algorithm: DigestAlgorithm
    let byteCount: Int
    let isReversed: Bool
    let end: Int
  }

  private let tags: [Tag]
  /// True if the tag of BLAKE2b may carry a length.
  private let hasLengths: Bool
  /// True if any character may follow the tag, as in b2sum.
  private let isLax: Bool

  /// Makes the set with the tag of one algorithm.
  init(only algorithm: DigestAlgorithm) {
    tags = [Tag(bytes: Array(algorithm.tag.utf8), algorithm: algorithm)]
    hasLengths = algorithm == .blake2b
    isLax = algorithm == .blake2b
  }

  /// Makes the set of all tags: those of GNU's and BSD's tools and of xxhsum, which Weir
  /// writes too, and those of OpenSSL.
  init() {
    var tags: [Tag] = []
    for algorithm in DigestAlgorithm.listed {
      tags.append(Tag(bytes: Array(algorithm.tag.utf8), algorithm: algorithm))
      let name = algorithm.name
      if name.hasPrefix("sha") && name != "sha1" && !name.hasPrefix("sha3-") {
        let tag = "SHA2-\(algorithm.tag.dropFirst(3))"
        tags.append(Tag(bytes: Array(tag.utf8), algorithm: algorithm))
      }
      if name.hasPrefix("xxh") {
        tags.append(
          Tag(bytes: Array("\(algorithm.tag)_LE".utf8), algorithm: algorithm, isReversed: true))
      }
    }
    for tag in ["SHA512-256", "SHA512t256"] {
      tags.append(Tag(bytes: Array(tag.utf8), algorithm: .sha512_256))
    }
    tags.append(Tag(bytes: Array("BLAKE2B-512".utf8), algorithm: .blake2b))
    // The longest first, because one tag begins with another.
    self.tags = tags.sorted { $0.bytes.count > $1.bytes.count }
    hasLengths = true
    isLax = false
  }

  /// Returns the tag at an offset of a line; `nil` if there is none.
  func find(in line: borrowing ManifestText, at offset: Int) -> Found? {
    for tag in tags where line.has(tag.bytes, at: offset) {
      var end = offset + tag.bytes.count
      if hasLengths && tag.algorithm == .blake2b && line[end] == UInt8(ascii: "-") {
        return withLength(tag, in: line, at: end + 1)
      }
      if isLax && end < line.count && line[end] != UInt8(ascii: "(") { end += 1 }
      return Found(
        algorithm: tag.algorithm, byteCount: tag.algorithm.byteCount,
        isReversed: tag.isReversed, end: end)
    }
    return nil
  }

  /// Reads `BLAKE2b-256`: the length in bits, by the rules of strtoumax(3).
  private func withLength(
    _ tag: Tag, in line: borrowing ManifestText, at offset: Int
  ) -> Found? {
    guard let (bits, end) = line.number(at: offset), bits % 8 == 0,
      let algorithm = DigestAlgorithm.blake2b(byteCount: bits / 8)
    else { return nil }
    return Found(
      algorithm: algorithm, byteCount: bits / 8, isReversed: tag.isReversed, end: end)
  }
}
