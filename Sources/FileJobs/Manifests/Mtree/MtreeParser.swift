internal import Weir

/// A parser of the lines of a manifest of mtree(5), one after the other. Its memory has the
/// size of a line.
///
/// It reads the manifests of Weir, of mtree(8) in NetBSD and FreeBSD, and of bsdtar: full
/// paths, or names in the current directory with `..`; lines that a backslash continues;
/// `/set` and `/unset`; every escape of vis(3). It skips keywords that it does not know,
/// such as `mode=0644`.
///
/// One thread at a time may use it.
package final class MtreeParser: EntryParser {
  private let own: OwnLineParser?
  private var names = MtreeNameResolver()
  private var defaults = MtreeEntry()
  /// True after a `/set`: a line may have more than its words.
  private var hasDefaults = false
  private let digests = DigestBuffer()
  /// The open point of the next entry, and the source of those that follow.
  private var (open, source): (OpenPoint?, Int?) = (nil, nil)
  /// The parts of a continued line, up to the last one read.
  private let whole = ByteBuffer()
  /// True if the next line continues the last one.
  package private(set) var isContinued = false
  private var isOverlong = false

  /// The beginning of the manifests that Weir writes.
  static let ownMark = Array("#mtree v2.0 weir ".utf8)
  /// The maximum number of bytes in a continued line.
  private static let lengthMax = 1 << 20
  /// The beginning of the comment before the entries of a source.
  static let sourceMark = "#weir source "
  private static let hash = UInt8(ascii: "#")
  private static let equals = UInt8(ascii: "=")

  package convenience init() { self.init(OwnLineParser()) }

  /// - Parameter own: Reads the lines of weir's own form; `nil` to read them like all others.
  init(_ own: OwnLineParser?) { self.own = own }

  package func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    switch content(of: line) {
    case .entry(var entry):
      (entry.open, entry.source) = (open.take(), source)
      return .entry(entry)
    case .malformed:
      open = nil
      return .malformed
    case let other: return other
    }
  }

  /// Returns the entry of a line in weir's own form, and does not change the line; `nil` for another one.
  func ownEntry(of line: UnsafeRawBufferPointer) -> MtreeEntry? {
    guard !isContinued, !hasDefaults, var entry = own?.parse(line),
      let name = names.enter(entry.name, isDirectory: false)
    else { return nil }
    (entry.name, entry.isBare) = (name, names.hasLostDot)
    (entry.open, entry.source) = (open, source)
    return entry
  }

  private func content(of line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    if let entry = ownEntry(of: UnsafeRawBufferPointer(line)) { return .entry(entry) }
    var text = line.withoutReturn
    let continues = MtreeParser.continues(text)
    if continues { text = text.dropLast().rebased }
    if isContinued || continues {
      if !isContinued { (whole.count, isOverlong) = (0, false) }
      isContinued = continues
      add(text)
      if continues { return .ignored }
      if isOverlong { return .malformed }
      text = whole.memory[..<whole.count].rebased
    }
    return record(text)
  }

  package func finish() -> MtreeContent {
    defer { isContinued = false }
    return isContinued ? .malformed : .ignored
  }

  // MARK: Continued lines

  /// Returns true if a line ends in a backslash that is not escaped itself.
  private static func continues(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    var begin = text.count
    while begin > 0 && text[begin - 1] == LineWriter.backslash { begin -= 1 }
    // A comment never continues.
    return (text.count - begin) % 2 == 1 && text.first != hash
  }

  private func add(_ text: UnsafeMutableRawBufferPointer) {
    isOverlong = isOverlong || whole.count + text.count > MtreeParser.lengthMax
    if !isOverlong { whole.replace(after: whole.count, by: UnsafeRawBufferPointer(text)) }
  }

  // MARK: Lines

  private func record(_ text: UnsafeMutableRawBufferPointer) -> MtreeContent {
    var words = MtreeWords(text)
    guard let first = words.next() else { return .ignored }
    if first.first == MtreeParser.hash {
      let begin = first.startIndex
      let comment = UnsafeRawBufferPointer(rebasing: text[begin...])
      apply(comment)
      // An entry that was joined to the first line. Weir's own has words with values.
      if comment.starts(with: "#mtree".utf8) && comment.contains(MtreeParser.equals)
        && !comment.starts(with: MtreeParser.ownMark)
      {
        return .malformed
      }
      return .comment(comment)
    }
    if first.elementsEqual("/set".utf8) { return set(&words) }
    if first.elementsEqual("/unset".utf8) { return unset(&words) }
    if first.elementsEqual("..".utf8) { return names.leave() ? .ignored : .malformed }
    return entry(first.rebased, &words)
  }

  /// Applies a comment of weir.
  private func apply(_ comment: UnsafeRawBufferPointer) {
    names.apply(comment)
    if let point = OpenPoint(comment: comment) { open = point }
    if comment.starts(with: MtreeParser.sourceMark.utf8) {
      let number = comment.dropFirst(MtreeParser.sourceMark.utf8.count)
      source = Int(String(decoding: number, as: UTF8.self))
    }
  }

  private func set(_ words: inout MtreeWords) -> MtreeContent {
    hasDefaults = true
    // The target would point into this line.
    defer { defaults.target = nil }
    digests.removeAll()
    while let word = words.next() {
      if !take(word.rebased, into: &defaults) { return .malformed }
    }
    // No program gives all files one digest.
    return digests.count == 0 ? .ignored : .malformed
  }

  private func unset(_ words: inout MtreeWords) -> MtreeContent {
    while let word = words.next() {
      switch MtreeKeyword(UnsafeRawBufferPointer(rebasing: word)) {
      case .type: defaults.type = nil
      case .size: defaults.size = nil
      case .time: defaults.time = nil
      case .optional: defaults.isOptional = false
      case .ignore: defaults.isIgnored = false
      case .otherDigest, .unknown: defaults.otherDigest = nil
      case .other where word.elementsEqual("all".utf8): defaults = MtreeEntry()
      case .link, .digest, .other: break
      }
    }
    return .ignored
  }

  private func entry(
    _ name: UnsafeMutableRawBufferPointer, _ words: inout MtreeWords
  ) -> MtreeContent {
    var entry = defaults
    var isRead = true
    digests.removeAll()
    while let word = words.next() {
      if !take(word.rebased, into: &entry) { isRead = false }
    }
    guard let length = MtreeName.unescape(name), length > 0 else { return .malformed }
    // The names below a directory refer to it even if the rest of its line is malformed.
    let path = names.enter(
      UnsafeRawBufferPointer(rebasing: name[..<length]), isDirectory: entry.type == .directory)
    guard isRead, let path else { return .malformed }
    entry.name = path
    entry.isBare = names.hasLostDot
    entry.digests = digests.all
    // The keyword is about what is below a directory: a digest is verified.
    if !entry.digests.isEmpty { entry.isIgnored = false }
    return .entry(entry)
  }

  // MARK: Words

  /// Parses `KEYWORD=VALUE` or a keyword alone. Returns false if the word is malformed.
  private func take(
    _ word: UnsafeMutableRawBufferPointer, into entry: inout MtreeEntry
  ) -> Bool {
    let equals = word.firstIndex(of: MtreeParser.equals)
    if equals == 0 { return false }
    let keyword = UnsafeRawBufferPointer(rebasing: word[..<(equals ?? word.count)])
    let value = word[((equals ?? word.count - 1) + 1)...].rebased
    let bytes = UnsafeRawBufferPointer(value)
    switch MtreeKeyword(keyword) {
    case .optional: entry.isOptional = true
    case .ignore: entry.isIgnored = true
    case _ where equals == nil: return MtreeKeyword.isFlag(keyword)
    case .type:
      entry.type = MtreeType.type(of: bytes)
      return entry.type != nil
    case .size:
      entry.size = UInt64(decimal: bytes)
      return entry.size != nil
    case .time:
      entry.time = MtreeTime.parse(bytes)
      entry.hasWholeSeconds = keyword.count > 4
      return entry.time != nil
    case .link:
      guard let length = MtreeName.unescape(value) else { return false }
      entry.target = UnsafeRawBufferPointer(rebasing: value[..<length])
      return true
    case .digest(let algorithm): return digests.append(algorithm, digits: value)
    case .otherDigest, .unknown: entry.otherDigest = String(decoding: keyword, as: UTF8.self)
    case .other:
      if MtreeKeyword.mayHideDigest(bytes) {
        entry.otherDigest = String(decoding: keyword, as: UTF8.self)
      }
    }
    return true
  }
}

/// The words of a line, separated by blanks.
struct MtreeWords {
  private let text: UnsafeMutableRawBufferPointer
  private var from = 0

  init(_ text: UnsafeMutableRawBufferPointer) {
    self.text = text
  }

  /// Returns the next word; `nil` at the end, or if a comment begins after other words.
  mutating func next() -> Slice<UnsafeMutableRawBufferPointer>? {
    let isFirst = from == 0
    while from < text.count && text[from].isBlank { from += 1 }
    guard from < text.count, isFirst || text[from] != UInt8(ascii: "#") else { return nil }
    let begin = from
    while from < text.count && !text[from].isBlank { from += 1 }
    return text[begin..<from]
  }
}

enum MtreeTime {
  /// Parses `SECONDS` or `SECONDS.NANOSECONDS`. The nanoseconds are a number of their own,
  /// not a fraction: mtree(8) writes 5 nanoseconds as `.5`.
  static func parse(_ text: UnsafeRawBufferPointer) -> FileTime? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.endIndex
    let secondsMax = isNegative ? Int64.min.magnitude : Int64.max.magnitude
    guard let seconds = UInt64(decimal: digits[..<point]), seconds <= secondsMax else { return nil }
    var nanoseconds: UInt64 = 0
    if point < digits.endIndex {
      guard let value = UInt64(decimal: digits[(point + 1)...]), value < 1_000_000_000 else {
        return nil
      }
      nanoseconds = value
    }
    return FileTime(
      seconds: Int64(truncatingIfNeeded: isNegative ? 0 &- seconds : seconds),
      nanoseconds: Int32(nanoseconds))
  }
}
