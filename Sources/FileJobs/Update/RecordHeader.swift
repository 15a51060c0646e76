// The first line of what a run has recorded.

/// What decides about the content of an output: the version, the algorithms and
/// the arguments, as the first line of `M.partial` and `M.mtree` has them:
///
///     #mtree v2.0 weir 0.5.0 run directory=/srv algorithms=sha256 path=a\040b
///
/// To other programs it is a comment.
package struct RecordHeader: Equatable, Sendable {
  /// A word that decides, by its keyword. One keyword may stand there several
  /// times, and the order counts.
  package struct Word: Equatable, Sendable {
    package let keyword: String
    package let value: [UInt8]

    package init(_ keyword: String, _ value: some Sequence<UInt8>) {
      self.keyword = keyword
      self.value = Array(value)
    }
  }

  /// What two runs do not have in common.
  package struct Difference: Equatable, Sendable {
    /// The keyword, or `version`.
    package let keyword: String
    /// What the run before had, and what this one has.
    package let before: [[UInt8]]
    package let now: [[UInt8]]
  }

  package let version: String
  package let words: [Word]

  private static let begin = "#mtree v2.0 weir "
  private static let middle = " run"
  /// Words that together are longer stand for themselves by a digest.
  private static let lengthMax = 1 << 16

  /// Makes one of what this run is given.
  package init(version: String, words: [Word]) {
    self.version = version
    self.words = words
  }

  /// Reads a first line; `nil` where it is none of ours.
  package init?(line: [UInt8]) {
    guard line.starts(with: RecordHeader.begin.utf8), line.last == UInt8(ascii: "\n") else {
      return nil
    }
    let parts = line.dropFirst(RecordHeader.begin.utf8.count).dropLast()
      .split(separator: UInt8(ascii: " "))
    guard parts.count >= 2, parts[1].elementsEqual("run".utf8),
      let words = RecordHeader.words(parts.dropFirst(2))
    else { return nil }
    version = String(decoding: parts[0], as: UTF8.self)
    self.words = words
  }

  /// Reads a comment of ``sourceComment(of:)``; `nil` where it is none.
  init?(comment: some Sequence<UInt8>) {
    let parts = Array(comment).split(separator: UInt8(ascii: " "))
    guard parts.count >= 2, parts[0].elementsEqual("#weir".utf8),
      parts[1].elementsEqual("run".utf8), let words = RecordHeader.words(parts.dropFirst(2))
    else { return nil }
    version = ""
    self.words = words
  }

  private static func words(_ parts: ArraySlice<ArraySlice<UInt8>>) -> [Word]? {
    var words: [Word] = []
    for part in parts {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      var value = Array(part[(equals + 1)...])
      let length = value.withUnsafeMutableBytes { MtreeName.unescape($0) }
      guard let length else { return nil }
      words.append(
        Word(String(decoding: part[..<equals], as: UTF8.self), value.prefix(length)))
    }
    return words
  }

  // MARK: Sources

  /// What the numbers of the sources of a run before mean to this one.
  enum Sources: Equatable {
    /// The same.
    case same
    /// For each which one it is here; -1 for one that is not asked for any more.
    case places([Int])
    /// Nobody knows: files are found by their names alone.
    case unknown

    func meaning(_ number: Int) -> Int? {
      switch self {
      case .same: number
      case .places(let places): places.indices.contains(number) ? places[number] : -1
      case .unknown: nil
      }
    }
  }

  private static let sourceKeywords: Set = ["path", "files-from", "files0-from"]
  /// The keyword of what stands for words that are too long.
  private static let names = "names"

  /// The words that name the sources, in order. Where there are none it is standard
  /// input that is read.
  var inputs: [Word] {
    RecordHeader.orStandardInput(words.filter { RecordHeader.sourceKeywords.contains($0.keyword) })
  }

  private static func orStandardInput(_ words: [Word]) -> [Word] {
    words.isEmpty ? [Word("path", "-".utf8)] : words
  }

  /// What the sources of a run before are to this one.
  func sources(of before: RecordHeader) -> Sources {
    let old = before.shortened
    if old.contains(where: { $0.keyword == RecordHeader.names }) {
      let isSame =
        old.filter(RecordHeader.saysSources) == shortened.filter(RecordHeader.saysSources)
      return isSame ? .same : .unknown
    }
    let sources = RecordHeader.orStandardInput(old.filter(RecordHeader.saysSources))
    return .places(RecordBase.places(of: sources, in: inputs))
  }

  private static func saysSources(_ word: Word) -> Bool {
    sourceKeywords.contains(word.keyword) || word.keyword == names
  }

  /// What a first line says of the sources, as a comment with its newline, for a
  /// manifest that begins otherwise.
  static func sourceComment(of line: some Sequence<UInt8>) -> [UInt8] {
    guard let header = RecordHeader(line: Array(line) + [UInt8(ascii: "\n")]) else { return [] }
    var comment = Array("#weir run".utf8)
    for word in header.words where saysSources(word) {
      comment += Array(" \(word.keyword)=".utf8) + escaped(word.value)
    }
    return comment + [UInt8(ascii: "\n")]
  }

  /// Whether a first line of ours can begin so.
  static func canBegin(with bytes: [UInt8]) -> Bool {
    bytes.starts(with: begin.utf8) || begin.utf8.starts(with: bytes)
  }

  /// Whether records of a run begin so, or were cut off before that can be told.
  static func begins(with bytes: [UInt8]) -> Bool {
    guard canBegin(with: bytes) else { return false }
    let line = bytes.dropFirst(begin.utf8.count).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    if words.count > 1 {
      return words[1].elementsEqual("run".utf8)
        || (words.count == 2 && "run".utf8.starts(with: words[1].prefix { $0 != 0 }))
    }
    return !bytes.contains(UInt8(ascii: "\n"))
  }

  /// The line, with its newline.
  package var line: [UInt8] {
    var line = Array((RecordHeader.begin + version + RecordHeader.middle).utf8)
    for word in shortened {
      line += Array(" \(word.keyword)=".utf8)
      line += RecordHeader.escaped(word.value)
    }
    return line + [UInt8(ascii: "\n")]
  }

  /// What the run before had that this one has not, and the other way round.
  package func differences(from before: RecordHeader) -> [Difference] {
    var found: [Difference] = []
    if version != before.version {
      found.append(
        Difference(
          keyword: "version", before: [Array(before.version.utf8)], now: [Array(version.utf8)]))
    }
    var seen: [String] = []
    for word in before.shortened + shortened where !seen.contains(word.keyword) {
      seen.append(word.keyword)
      let (old, new) = (before.values(of: word.keyword), values(of: word.keyword))
      if old != new { found.append(Difference(keyword: word.keyword, before: old, now: new)) }
    }
    let isOrderOther = found.isEmpty && before.shortened != shortened
    if isOrderOther { found.append(Difference(keyword: "order", before: [], now: [])) }
    return found
  }

  private func values(of keyword: String) -> [[UInt8]] {
    shortened.filter { $0.keyword == keyword }.map(\.value)
  }

  /// The words, as far as they have room on a line: else all those that stand
  /// there several times are one, of their number and their digest.
  private var shortened: [Word] {
    let length = words.reduce(0) { $0 + $1.value.count + $1.keyword.utf8.count + 2 }
    if length <= RecordHeader.lengthMax { return words }
    let several = Set(words.map(\.keyword)).filter { keyword in
      words.count { $0.keyword == keyword } > 1
    }
    var all: [UInt8] = []
    for word in words where several.contains(word.keyword) {
      all += Array(word.keyword.utf8) + [0] + word.value + [0]
    }
    let digest = RecordHeader.digest(of: all)
    return words.filter { !several.contains($0.keyword) } + [Word(RecordHeader.names, digest.utf8)]
  }

  private static func digest(of bytes: [UInt8]) -> String {
    guard let digest = try? Digest(.sha256) else { return "\(bytes.count)" }
    return bytes.withUnsafeBytes { bytes in
      try? digest.begin()
      try? digest.update(bytes)
      try? digest.finish()
      return digest.hexadecimal
    }
  }

  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    if value.isEmpty { return [] }
    return [UInt8](unsafeUninitializedCapacity: value.count * MtreeName.expansion) {
      memory, count in
      var line = LineWriter(UnsafeMutableRawBufferPointer(memory))
      value.withUnsafeBytes { line.append(mtreeName: $0) }
      count = line.count
    }
  }
}
