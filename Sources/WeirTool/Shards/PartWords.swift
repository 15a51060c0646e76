internal import FileJobs
internal import WeirLibC

/// The words that a part keeps of its command, in this order: the options, each in one
/// word; the characters of the locale; operands and the command after `--`; and the digests of
/// the inputs that are operands. Parts with the same words have results that can be merged.
enum PartWords {
  private static let locale = Array("locale=".utf8)
  private static let digest = Array("sha256=".utf8)

  static func options(_ operands: Operands, of verb: String) -> [[UInt8]] {
    let options = operands.given.filter { option, _ in
      if case .result = option.shardRole { true } else { false }
    }
    // Digests are the same in all locales, and messages are not recorded.
    let codeset = verb == "count" ? nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } : nil
    // Sorted by name: their order means nothing, except among the values of one.
    let sorted = options.enumerated().sorted {
      ($0.element.option.name, $0.offset) < ($1.element.option.name, $1.offset)
    }
    return sorted.map(\.element.word) + [locale + Array((codeset ?? "any").utf8)]
  }

  static func digest(_ sha256: String) -> [UInt8] { digest + Array(sha256.utf8) }
}

extension PartHeader {
  var options: [[UInt8]] { Array(words.prefix { !PartWords.isLocale($0) }) }

  var operands: [[UInt8]] {
    words.drop { !PartWords.isLocale($0) }.dropFirst().filter { !PartWords.isDigest($0) }
  }

  /// The characters of the locale; `any` if they do not matter.
  var codeset: String {
    let word = words.first { PartWords.isLocale($0) } ?? []
    return String(decoding: word.drop { $0 != UInt8(ascii: "=") }.dropFirst(), as: UTF8.self)
  }
}

extension PartWords {
  fileprivate static func isLocale(_ word: [UInt8]) -> Bool { word.starts(with: locale) }
  fileprivate static func isDigest(_ word: [UInt8]) -> Bool {
    word.starts(with: digest) && word.count == digest.count + 64
  }
}
