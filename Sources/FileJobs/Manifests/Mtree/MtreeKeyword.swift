// The words of mtree(5).

/// A word that says something of a file.
enum MtreeKeyword: Sendable {
  case type, size, time, link, optional, ignore
  /// A digest that is computed here.
  case digest(DigestAlgorithm)
  /// One that is not.
  case otherDigest
  /// A word that says nothing to us, as `mode`.
  case other

  private struct Word: Sendable {
    let bytes: [UInt8]
    let keyword: MtreeKeyword

    init(_ text: String, _ keyword: MtreeKeyword) {
      bytes = Array(text.utf8)
      self.keyword = keyword
    }
  }

  /// The words there are, by their length.
  private static let words: [[Word]] = {
    var all = [
      Word("type", .type), Word("size", .size), Word("time", .time), Word("link", .link),
      Word("optional", .optional), Word("ignore", .ignore),
    ]
    for algorithm in DigestAlgorithm.allCases {
      all.append(Word(algorithm.name, .digest(algorithm)))
      all.append(Word(algorithm.name + "digest", .digest(algorithm)))
    }
    for name in ["rmd160", "ripemd160", "sha512_256", "skein512"] {
      all.append(Word(name, .otherDigest))
      all.append(Word(name + "digest", .otherDigest))
    }
    all.append(Word("cksum", .otherDigest))
    let longest = all.map(\.bytes.count).max() ?? 0
    return (0...longest).map { length in all.filter { $0.bytes.count == length } }
  }()

  /// Words without a value that say nothing to us.
  private static let flags = ["nochange", "all"].map { Array($0.utf8) }

  /// What a word is.
  init(_ word: UnsafeRawBufferPointer) {
    self = .other
    guard word.count < MtreeKeyword.words.count else { return }
    for known in MtreeKeyword.words[word.count] where word.elementsEqual(known.bytes) {
      self = known.keyword
      return
    }
  }

  /// Whether a word may stand without a value.
  static func isFlag(_ word: UnsafeRawBufferPointer) -> Bool {
    switch MtreeKeyword(word) {
    case .optional, .ignore: true
    case .other: flags.contains { word.elementsEqual($0) }
    default: false
    }
  }
}
