// Reading the lines of a manifest of mtree(5).

internal import CFileKernels
internal import Weir

/// Tells what the lines of a manifest of mtree(5) say, one after the other, in
/// memory of the size of a line.
///
/// It reads what Weir, mtree(8) of NetBSD and FreeBSD, and bsdtar write: whole
/// paths, or names below the directory that was named before and `..`; lines
/// that go on behind a backslash; `/set` and `/unset`; every escape of vis(3).
/// Words that it does not know, as `mode=0644`, are passed over.
///
/// It is for one thread at a time.
public final class MtreeParser {
  private var place = MtreePlace()
  private var defaults = MtreeEntry()
  private var digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(capacity: digestMax)
  /// A line that goes on, up to here; or the whole of one that did.
  private var whole = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
  private var length = 0
  /// Whether the line before goes on in the next one.
  public private(set) var isContinued = false
  private var isOverlong = false

  private static let digestMax = 16
  /// The most bytes of a line that goes on.
  private static let lengthMax = 1 << 20
  private static let hash = UInt8(ascii: "#")
  private static let equals = UInt8(ascii: "=")
  private static let slash = UInt8(ascii: "/")

  /// A parser at the beginning of a manifest.
  public init() {}

  deinit {
    digests.deallocate()
    whole.deallocate()
  }

  /// Reads a line.
  ///
  /// - Parameter line: The line without the newline that ended it. What is found
  ///   is written over it.
  public func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeRecord {
    var text = line
    if text.last == UInt8(ascii: "\r") { text = .init(rebasing: text.dropLast()) }
    let goesOn = MtreeParser.goesOn(text)
    if goesOn { text = .init(rebasing: text.dropLast()) }
    if isContinued || goesOn {
      if !isContinued {
        length = 0
        isOverlong = false
      }
      isContinued = goesOn
      add(text)
      if goesOn { return .ignored }
      if isOverlong { return .malformed }
      text = UnsafeMutableRawBufferPointer(rebasing: whole[..<length])
    }
    return record(text)
  }

  /// Ends the manifest. Whether the last line did not go on.
  public func finish() -> Bool {
    defer { isContinued = false }
    return !isContinued
  }

  // MARK: Lines that go on

  /// Whether a line ends in a backslash that is not escaped itself.
  private static func goesOn(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    var begin = text.count
    while begin > 0 && text[begin - 1] == LineWriter.backslash { begin -= 1 }
    // A comment never does.
    return (text.count - begin) % 2 == 1 && text.first != hash
  }

  private func add(_ text: UnsafeMutableRawBufferPointer) {
    if length + text.count > MtreeParser.lengthMax { isOverlong = true }
    if isOverlong { return }
    if length + text.count > whole.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: (length + text.count) * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[..<length]))
      whole.deallocate()
      whole = larger
    }
    UnsafeMutableRawBufferPointer(rebasing: whole[length...])
      .copyMemory(from: UnsafeRawBufferPointer(text))
    length += text.count
  }

  // MARK: Lines

  private func record(_ text: UnsafeMutableRawBufferPointer) -> MtreeRecord {
    var words = MtreeWords(text)
    guard let first = words.next() else { return .ignored }
    if first.first == MtreeParser.hash {
      let begin = first.startIndex
      let comment = UnsafeRawBufferPointer(rebasing: text[begin...])
      place.obey(comment)
      return .comment(comment)
    }
    if first.elementsEqual("/set".utf8) { return set(&words) }
    if first.elementsEqual("/unset".utf8) { return unset(&words) }
    if first.elementsEqual("..".utf8) { return place.leave() ? .ignored : .malformed }
    return entry(UnsafeMutableRawBufferPointer(rebasing: first), &words)
  }

  private func set(_ words: inout MtreeWords) -> MtreeRecord {
    var count = 0
    while let word = words.next() {
      let isRead = take(
        UnsafeMutableRawBufferPointer(rebasing: word), into: &defaults, digestCount: &count)
      if !isRead { return .malformed }
    }
    // They would point into this line.
    defaults.target = nil
    return .ignored
  }

  private func unset(_ words: inout MtreeWords) -> MtreeRecord {
    while let word = words.next() {
      switch MtreeKeyword(UnsafeRawBufferPointer(rebasing: word)) {
      case .type: defaults.type = nil
      case .size: defaults.size = nil
      case .time: defaults.time = nil
      case .optional: defaults.isOptional = false
      case .ignore: defaults.isIgnored = false
      case .otherDigest: defaults.otherDigest = nil
      case .other where word.elementsEqual("all".utf8): defaults = MtreeEntry()
      case .link, .digest, .other: break
      }
    }
    return .ignored
  }

  private func entry(
    _ name: UnsafeMutableRawBufferPointer, _ words: inout MtreeWords
  ) -> MtreeRecord {
    var entry = defaults
    var count = 0
    var isRead = true
    while let word = words.next() {
      let word = UnsafeMutableRawBufferPointer(rebasing: word)
      if !take(word, into: &entry, digestCount: &count) { isRead = false }
    }
    guard let length = MtreeName.unescape(name), length > 0 else { return .malformed }
    // Also where the rest is malformed, a directory is that of what is below it.
    entry.name = place.enter(
      UnsafeRawBufferPointer(rebasing: name[..<length]), isDirectory: entry.type == .directory)
    if !isRead { return .malformed }
    entry.isBare = place.hasLostDot
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return .entry(entry)
  }

  // MARK: Words

  /// Reads `KEYWORD=VALUE` or a word alone. Whether it can be read.
  private func take(
    _ word: UnsafeMutableRawBufferPointer, into entry: inout MtreeEntry,
    digestCount: inout Int
  ) -> Bool {
    guard let equals = word.firstIndex(of: MtreeParser.equals) else {
      return takeFlag(UnsafeRawBufferPointer(word), into: &entry)
    }
    if equals == 0 { return false }
    let value = UnsafeMutableRawBufferPointer(rebasing: word[(equals + 1)...])
    let bytes = UnsafeRawBufferPointer(value)
    let keyword = UnsafeRawBufferPointer(rebasing: word[..<equals])
    switch MtreeKeyword(keyword) {
    case .type:
      entry.type = MtreeType.type(of: bytes)
      return entry.type != nil
    case .size:
      entry.size = MtreeNumber.natural(bytes)
      return entry.size != nil
    case .time:
      entry.time = MtreeNumber.time(bytes)
      return entry.time != nil
    case .link:
      guard let length = MtreeName.unescape(value) else { return false }
      entry.target = UnsafeRawBufferPointer(rebasing: value[..<length])
      return true
    case .digest(let algorithm):
      return take(algorithm, value, count: &digestCount)
    case .otherDigest: entry.otherDigest = String(decoding: keyword, as: UTF8.self)
    case .optional: entry.isOptional = true
    case .ignore: entry.isIgnored = true
    case .other: break
    }
    return true
  }

  private func takeFlag(_ word: UnsafeRawBufferPointer, into entry: inout MtreeEntry) -> Bool {
    switch MtreeKeyword(word) {
    case .optional: entry.isOptional = true
    case .ignore: entry.isIgnored = true
    default: return MtreeKeyword.isFlag(word)
    }
    return true
  }

  private func take(
    _ algorithm: DigestAlgorithm, _ value: UnsafeMutableRawBufferPointer, count: inout Int
  ) -> Bool {
    let byteCount = algorithm.byteCount
    guard value.count == byteCount * 2, count < MtreeParser.digestMax,
      let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self),
      kernel_digit_count(start, value.count) == value.count
    else { return false }
    kernel_bytes(start, start, byteCount)
    digests.initializeElement(
      at: count,
      to: MtreeDigest(
        algorithm: algorithm, bytes: UnsafeRawBufferPointer(start: start, count: byteCount)))
    count += 1
    return true
  }
}

/// The words of a line.
struct MtreeWords {
  private let text: UnsafeMutableRawBufferPointer
  private var from = 0

  init(_ text: UnsafeMutableRawBufferPointer) {
    self.text = text
  }

  /// The next word; `nil` at the end, or where a comment begins behind others.
  mutating func next() -> Slice<UnsafeMutableRawBufferPointer>? {
    let isFirst = from == 0
    while from < text.count && MtreeWords.isBlank(text[from]) { from += 1 }
    guard from < text.count, isFirst || text[from] != UInt8(ascii: "#") else { return nil }
    let begin = from
    while from < text.count && !MtreeWords.isBlank(text[from]) { from += 1 }
    return text[begin..<from]
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

/// The numbers of mtree(5).
enum MtreeNumber {
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A number without a sign.
  static func natural(_ text: some Collection<UInt8>) -> UInt64? {
    if text.isEmpty { return nil }
    var value: UInt64 = 0
    for byte in text {
      guard isDigit(byte) else { return nil }
      let (ten, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = ten.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if isTooLarge || overflows { return nil }
      value = sum
    }
    return value
  }

  /// `SECONDS` or `SECONDS.NANOSECONDS`. The second is a number of its own,
  /// not a fraction: mtree(8) writes 5 nanoseconds as `.5`.
  static func time(_ text: UnsafeRawBufferPointer) -> FileTime? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.endIndex
    guard let seconds = natural(digits[..<point]), seconds <= UInt64(Int64.max) else {
      return nil
    }
    var nanoseconds: UInt64 = 0
    if point < digits.endIndex {
      guard let behind = natural(digits[(point + 1)...]), behind < 1_000_000_000 else {
        return nil
      }
      nanoseconds = behind
    }
    return FileTime(
      seconds: isNegative ? -Int64(seconds) : Int64(seconds), nanoseconds: Int32(nanoseconds))
  }
}
