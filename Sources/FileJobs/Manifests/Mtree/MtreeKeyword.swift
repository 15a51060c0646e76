// The keywords of mtree(5), and the values of `type`.

internal import Weir

enum MtreeKeyword: Sendable {
  case type, size, time, link, optional, ignore
  case digest(DigestAlgorithm)
  /// A digest that Weir does not compute.
  case otherDigest
  /// A keyword without a meaning to Weir, such as `mode`.
  case other
  /// A keyword of no program that is known: a digest, perhaps, or damage.
  case unknown

  /// The known keywords, indexed by length.
  private static let words: [[(bytes: [UInt8], keyword: MtreeKeyword)]] = {
    var all: [(String, MtreeKeyword)] = [
      ("type", .type), ("size", .size), ("time", .time), ("tar_time", .time), ("link", .link),
      ("optional", .optional), ("ignore", .ignore), ("cksum", .otherDigest),
    ]
    let digests =
      DigestAlgorithm.allCases.map { ($0.name, MtreeKeyword.digest($0)) }
      + ["sha512_256", "sha512256", "sha512t256"].map { ($0, .digest(.sha512_256)) }
      + ["rmd160", "ripemd160", "skein512"].map { ($0, .otherDigest) }
    all += [
      "mode", "uid", "gid", "uname", "gname", "nlink", "flags", "device", "inode", "tags",
      "contents", "resdevice", "nochange", "all", "atime", "btime", "ctime", "itime", "ptime",
      "sibling-id",
    ].map { ($0, .other) }
    for (name, keyword) in digests { all += [(name, keyword), (name + "digest", keyword)] }
    let longest = all.map(\.0.utf8.count).max() ?? 0
    return (0...longest).map { length in
      all.filter { $0.0.utf8.count == length }.map { (bytes: Array($0.0.utf8), keyword: $0.1) }
    }
  }()

  /// Keywords without a value and without a meaning to Weir.
  private static let flags = ["nochange", "all"].map { Array($0.utf8) }

  init(_ word: UnsafeRawBufferPointer) {
    self = .unknown
    guard word.count < MtreeKeyword.words.count else { return }
    for known in MtreeKeyword.words[word.count] where word.elementsEqual(known.bytes) {
      self = known.keyword
      return
    }
  }

  /// Returns true if the value of a keyword without a meaning has another word joined to it.
  static func mayHideDigest(_ value: UnsafeRawBufferPointer) -> Bool {
    value.contains(UInt8(ascii: "="))
      || ManifestText(UnsafeMutableRawBufferPointer(mutating: value))?.hasDigest == true
  }

  static func isFlag(_ word: UnsafeRawBufferPointer) -> Bool {
    switch MtreeKeyword(word) {
    case .optional, .ignore: true
    case .other: flags.contains { word.elementsEqual($0) }
    default: false
    }
  }
}

enum MtreeType {
  private static let all: [(word: StaticString, type: FileWalk.EntryType)] = [
    ("file", .file), ("dir", .directory), ("link", .symbolicLink), ("fifo", .fifo),
    ("socket", .socket), ("char", .characterDevice), ("block", .blockDevice),
  ]

  static func type(of word: UnsafeRawBufferPointer) -> FileWalk.EntryType? {
    all.first { entry in
      entry.word.utf8CodeUnitCount == word.count
        && word.elementsEqual(
          UnsafeBufferPointer(
            start: entry.word.utf8Start, count: entry.word.utf8CodeUnitCount))
    }?.type
  }

  static func word(of type: FileWalk.EntryType) -> StaticString {
    all.first { $0.type == type }?.word ?? "file"
  }
}
