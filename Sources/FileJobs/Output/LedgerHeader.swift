internal import SystemPackage

/// The first line of `M.partial` and `M.mtree`: the version, the algorithms and the
/// arguments, which determine the content of the output M.
///
/// ```text
/// #mtree v2.0 weir 0.5.0 run directory=/srv algorithms=sha256 path=a\040b
/// ```
///
/// Other programs read the line as a comment.
package struct LedgerHeader: Equatable, Sendable {
  /// A keyword and its value. A keyword may occur several times, and the order counts.
  package struct Word: Equatable, Sendable {
    package let keyword: String
    package let value: [UInt8]

    package init(_ keyword: String, _ value: some Sequence<UInt8>) {
      self.keyword = keyword
      self.value = Array(value)
    }
  }

  package let version: String
  package let words: [Word]

  static let begin = "#mtree v2.0 weir "
  private static let middle = " run"
  /// The largest size of the words; above it, repeated keywords are replaced by a digest.
  private static let lengthMax = 1 << 16

  package init(version: String, words: [Word]) {
    self.version = version
    self.words = words
  }

  /// The header of a run with the same arguments that is no update.
  var ofFirstRun: LedgerHeader {
    LedgerHeader(version: version, words: words.filter { $0.keyword != "update" })
  }

  /// Parses a first line; `nil` if it is not one of weir.
  package init?(line: [UInt8]) {
    guard line.starts(with: LedgerHeader.begin.utf8), line.last == UInt8(ascii: "\n") else {
      return nil
    }
    let parts = line.dropFirst(LedgerHeader.begin.utf8.count).dropLast()
      .split(separator: UInt8(ascii: " "))
    guard parts.count >= 2, parts[1].elementsEqual("run".utf8),
      let words = LedgerHeader.words(parts.dropFirst(2))
    else { return nil }
    version = String(decoding: parts[0], as: UTF8.self)
    self.words = words
  }

  /// Parses a comment of ``sourceComment``; `nil` if it is another comment.
  init?(comment: some Sequence<UInt8>) {
    let parts = Array(comment).split(separator: UInt8(ascii: " "))
    guard parts.count >= 2, parts[0].elementsEqual("#weir".utf8),
      parts[1].elementsEqual("run".utf8), let words = LedgerHeader.words(parts.dropFirst(2))
    else { return nil }
    version = ""
    self.words = words
  }

  /// Reads the first line of records, or the comment after the first line of a manifest;
  /// `nil` if there is neither.
  init?(of opened: FileDescriptor, _ name: [UInt8]) throws(Fault) {
    let line = try OutputFile.firstLine(opened, of: name) ?? []
    if let header = LedgerHeader(line: line) {
      self = header
      return
    }
    let lines = ManifestReader(opened, from: Int64(line.count))
    let second = try Fault.of(name, try lines.next().map { Array($0) })
    guard let second, let header = LedgerHeader(comment: second) else { return nil }
    self = header
  }

  /// Reads words, `keyword=value` each; `nil` if one is malformed.
  static func words(_ parts: ArraySlice<ArraySlice<UInt8>>) -> [Word]? {
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

  private static let sourceKeywords: Set = ["path", "files-from", "files0-from"]
  /// The keyword of the digest that replaces words which are too long.
  private static let names = "names"

  /// The words that name the sources, in order. Without any, standard input is the source.
  var inputs: [Word] {
    LedgerHeader.orStandardInput(words.filter { LedgerHeader.sourceKeywords.contains($0.keyword) })
  }

  private static func orStandardInput(_ words: [Word]) -> [Word] {
    words.isEmpty ? [Word("path", "-".utf8)] : words
  }

  /// Returns true if the files of this run and of an earlier one come in the same order: that
  /// of a walk below the same paths.
  func hasOrder(of before: LedgerHeader) -> Bool {
    hasPathsOnly
      && LedgerHeader.orStandardInput(shortened.filter(LedgerHeader.namesSources))
        == LedgerHeader.orStandardInput(before.shortened.filter(LedgerHeader.namesSources))
  }

  /// The numbers of the sources that are PATHs, by their paths.
  var paths: [[UInt8]: [Int]] {
    let names = LedgerNames(directory: directory)
    var paths: [[UInt8]: [Int]] = [:]
    for (number, input) in inputs.enumerated() where input.keyword == "path" {
      paths[names.path(of: input.value), default: []].append(number)
    }
    return paths
  }

  /// True if a PATH finds the files of another one.
  package var hasOverlap: Bool {
    let paths = paths
    let lengths = Set(paths.keys.map(\.count))
    return paths.contains { path, sources in
      sources.count > 1
        || LedgerNames.ancestors(of: path, lengths: lengths).contains {
          $0 != path && paths[$0] != nil
        }
    }
  }

  package var hasPathsOnly: Bool { inputs.allSatisfy { $0.keyword == "path" } }

  var isZeroTerminated: Bool { words.contains { $0.keyword == "zero" } }

  /// The algorithms of the run; empty if they are unknown.
  var algorithms: [DigestAlgorithm] {
    let names = words.first { $0.keyword == "algorithms" }?.value ?? []
    return names.split(separator: UInt8(ascii: ",")).compactMap {
      DigestAlgorithm(String(decoding: $0, as: UTF8.self))
    }
  }

  /// The working directory; empty if it is unknown.
  package var directory: [UInt8] { words.first { $0.keyword == "directory" }?.value ?? [] }

  private static func namesSources(_ word: Word) -> Bool {
    sourceKeywords.contains(word.keyword) || word.keyword == names
  }

  /// The sources as a comment with its newline, for a manifest that begins with another
  /// line.
  var sourceComment: [UInt8] {
    var comment = Array("#weir run".utf8)
    for word in shortened where LedgerHeader.namesSources(word) {
      comment += Array(" \(word.keyword)=".utf8) + LedgerHeader.escaped(word.value)
    }
    return comment + [UInt8(ascii: "\n")]
  }

  /// Returns true if a header can begin with these bytes.
  static func canBegin(with bytes: [UInt8]) -> Bool {
    bytes.starts(with: begin.utf8) || begin.utf8.starts(with: bytes)
  }

  /// Returns true if the records of a run begin with these bytes, or can after more bytes.
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

  package var line: [UInt8] {
    var line = Array((LedgerHeader.begin + version + LedgerHeader.middle).utf8)
    for word in shortened {
      line += Array(" \(word.keyword)=".utf8)
      line += LedgerHeader.escaped(word.value)
    }
    return line + [UInt8(ascii: "\n")]
  }

  /// Returns the keywords in which the arguments of an earlier run differ, and `order` if it is only
  /// that of the arguments. Any version since 0.11 has records of the same meaning.
  package func differences(from before: LedgerHeader) -> [String] {
    var found: [String] = []
    for word in before.shortened + shortened where !found.contains(word.keyword) {
      if before.values(of: word.keyword) != values(of: word.keyword) { found.append(word.keyword) }
    }
    return found.isEmpty && before.shortened != shortened ? ["order"] : found
  }

  var isBefore17: Bool {
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    return numbers.count > 1 && (numbers[0], numbers[1]) < (0, 17)
  }

  package func values(of keyword: String) -> [[UInt8]] {
    shortened.filter { $0.keyword == keyword }.map(\.value)
  }

  /// The words; if they are too long for a line, one digest replaces all words whose
  /// keyword occurs several times.
  private var shortened: [Word] {
    let length = words.reduce(0) { $0 + $1.value.count + $1.keyword.utf8.count + 2 }
    if length <= LedgerHeader.lengthMax { return words }
    let several = Set(words.map(\.keyword)).filter { keyword in
      words.count { $0.keyword == keyword } > 1
    }
    var all: [UInt8] = []
    for word in words where several.contains(word.keyword) {
      all += Array(word.keyword.utf8) + [0] + word.value + [0]
    }
    let digest = LedgerHeader.digest(of: all)
    return words.filter { !several.contains($0.keyword) } + [Word(LedgerHeader.names, digest.utf8)]
  }

  private static func digest(of bytes: [UInt8]) -> String {
    let digest = try? Digest(.sha256).bytes(of: bytes)
    return digest.map { $0.withUnsafeBytes { hexadecimal($0) } } ?? "\(bytes.count)"
  }

  static func escaped(_ value: [UInt8]) -> [UInt8] {
    LineWriter.bytes(capacity: value.count * MtreeName.expansion) { line in
      value.withUnsafeBytes { line.append(mtreeName: $0) }
    }
  }
}
