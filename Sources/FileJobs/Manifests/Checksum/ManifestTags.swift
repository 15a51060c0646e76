// The names algorithms have in manifests.

/// Finds the algorithm of a tagged line by what stands before its `(`.
struct ManifestTags {
  struct Tag {
    let bytes: [UInt8]
    let algorithm: DigestAlgorithm
    /// Whether the digest's bytes stand in reverse order.
    var isReversed = false
  }

  /// What a line begins with, and how far that reaches.
  struct Found {
    let algorithm: DigestAlgorithm
    let byteCount: Int
    let isReversed: Bool
    let end: Int
  }

  private let tags: [Tag]
  /// Whether BLAKE2b's tag may carry a length.
  private let hasLengths: Bool
  /// Whether any character may stand behind it, as to b2sum.
  private let isLax: Bool

  /// The tag of one algorithm.
  init(only algorithm: DigestAlgorithm) {
    tags = [Tag(bytes: Array(algorithm.tag.utf8), algorithm: algorithm)]
    hasLengths = algorithm == .blake2b
    isLax = algorithm == .blake2b
  }

  /// Every tag there is: those of GNU's and BSD's tools and of xxhsum, which
  /// are ours, and those of OpenSSL.
  init() {
    var tags: [Tag] = []
    for algorithm in DigestAlgorithm.allCases {
      tags.append(Tag(bytes: Array(algorithm.tag.utf8), algorithm: algorithm))
      let name = algorithm.name
      if name.hasPrefix("sha") && name != "sha1" {
        tags.append(Tag(bytes: Array("SHA2-\(name.dropFirst(3))".utf8), algorithm: algorithm))
      }
      if name.hasPrefix("xxh") {
        tags.append(
          Tag(bytes: Array("\(algorithm.tag)_LE".utf8), algorithm: algorithm, isReversed: true))
      }
    }
    if let blake2b = DigestAlgorithm.blake2b {
      tags.append(Tag(bytes: Array("BLAKE2B-512".utf8), algorithm: blake2b))
    }
    // The longest first: one tag begins with another.
    self.tags = tags.sorted { $0.bytes.count > $1.bytes.count }
    hasLengths = true
    isLax = false
  }

  /// The tag that stands in a line at an offset, if one does.
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

  /// `BLAKE2b-256`: the length in bits, as strtoumax(3) reads a number.
  private func withLength(
    _ tag: Tag, in line: borrowing ManifestText, at offset: Int
  ) -> Found? {
    guard let (bits, end) = line.number(at: offset), bits > 0, bits % 8 == 0,
      bits <= tag.algorithm.byteCount * 8
    else { return nil }
    return Found(
      algorithm: tag.algorithm, byteCount: bits / 8, isReversed: tag.isReversed, end: end)
  }
}

extension DigestAlgorithm {
  static let blake2b = DigestAlgorithm("blake2b")
}
