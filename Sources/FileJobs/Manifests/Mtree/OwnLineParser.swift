// A fast parser of the lines of files that weir writes.
//
// DESIGN. An update reads each record in step with the walk, on one thread, while the lanes only
// stat each file. Accepting every form of a line takes several times as long. This parser reads
// only lines whose part after the name ``MtreeLine`` would write again byte for byte, and leaves
// others to ``MtreeParser``.

internal import CFileKernels
internal import WeirLibC
internal import Weir

final class OwnLineParser {
  /// ` sha256=`, and what follows it.
  ///
  /// @unchecked Sendable: the bytes never change.
  private struct Label: @unchecked Sendable {
    let text: UnsafeRawBufferPointer
    let digitCount: Int
  }

  /// The labels of all algorithms, by their indices. Their memory stays until the end.
  private static let labels = DigestAlgorithm.allCases.map { algorithm in
    let text = Array(" \(algorithm.name)=".utf8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
    memory.copyBytes(from: text)
    return Label(text: UnsafeRawBufferPointer(memory), digitCount: algorithm.byteCount * 2)
  }

  private let labels = OwnLineParser.labels
  /// The index of the last algorithm at each place of a line.
  private let usual = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: placeMax)
  private let digests = DigestBuffer()
  private let unescaped = ByteBuffer()

  private static let placeMax = 16
  private static let type: StaticString = " type=file size="
  private static let time: StaticString = " time="
  private static let blank = UInt8(ascii: " ")

  init() { usual.initialize(repeating: 0) }

  deinit { usual.deallocate() }

  /// Parses the line of a file, and does not change it. Returns `nil` if it is in another form. The
  /// entry is valid until the next call.
  func parse(_ line: UnsafeRawBufferPointer) -> MtreeEntry? {
    guard let start = line.baseAddress, line.count > 2, line[0] == UInt8(ascii: "."),
      line[1] == UInt8(ascii: "/"),
      let end = memchr(start + 2, Int32(OwnLineParser.blank), line.count - 2)
    else { return nil }
    let nameEnd = UnsafeRawPointer(end) - start
    guard nameEnd > 2 else { return nil }
    var scanner = Scanner(line, from: nameEnd)
    guard scanner.skip(OwnLineParser.type), let size = scanner.number(),
      scanner.skip(OwnLineParser.time),
      let seconds = scanner.number(), scanner.skip(UInt8(ascii: ".")),
      let nanoseconds = scanner.nanoseconds(), readDigests(&scanner),
      let name = name(line[..<nameEnd].rebased)
    else { return nil }
    var entry = MtreeEntry()
    (entry.type, entry.size, entry.name, entry.digests) = (.file, size, name, digests.all)
    entry.time = FileTime(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    return entry
  }

  /// Returns a name without its escapes; `nil` if it has an invalid one or a NUL.
  private func name(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let start = text.baseAddress else { return nil }
    if memchr(start, Int32(LineWriter.backslash), text.count) == nil {
      return memchr(start, 0, text.count) == nil ? text : nil
    }
    return unescape(text)
  }

  private func unescape(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if text.contains(0) { return nil }
    unescaped.replace(after: 0, by: text)
    let name = unescaped.memory[..<text.count].rebased
    guard let count = MtreeName.unescape(name), count > 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: name[..<count])
  }

  /// Reads the digests in the rest of a line, and keeps their algorithms in `usual`. Returns false if
  /// the rest has none or anything else.
  private func readDigests(_ scanner: inout Scanner) -> Bool {
    digests.removeAll()
    var place = 0
    while !scanner.isAtEnd {
      guard place < OwnLineParser.placeMax,
        let index = algorithm(&scanner, usual: Int(usual[place])),
        let digits = scanner.digits(labels[index].digitCount),
        digests.append(decoding: digits, labels[index].digitCount / 2, of: index)
      else { return false }
      usual[place] = UInt8(index)
      place += 1
    }
    return place > 0
  }

  private func algorithm(_ scanner: inout Scanner, usual: Int) -> Int? {
    if scanner.skip(labels[usual].text) { return usual }
    return labels.indices.first { scanner.skip(labels[$0].text) }
  }

  private struct Scanner {
    private var next: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    init(_ line: UnsafeRawBufferPointer, from: Int) {
      guard let start = line.baseAddress else { fatalError("a line needs memory") }
      next = start.assumingMemoryBound(to: UInt8.self) + from
      end = start.assumingMemoryBound(to: UInt8.self) + line.count
    }

    var isAtEnd: Bool { next == end }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard next < end, next.pointee == byte else { return false }
      next += 1
      return true
    }

    mutating func skip(_ text: StaticString) -> Bool {
      skip(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func skip(_ text: UnsafeRawBufferPointer) -> Bool {
      guard let bytes = text.baseAddress, end - next >= text.count,
        memcmp(next, bytes, text.count) == 0
      else { return false }
      next += text.count
      return true
    }

    /// Reads a number of at most 18 digits, without leading zeros.
    mutating func number() -> UInt64? {
      let begin = next
      var value: UInt64 = 0
      while next < end, case let digit = next.pointee &- 0x30, digit < 10 {
        if next - begin == 18 { return nil }
        value = value &* 10 &+ UInt64(digit)
        next += 1
      }
      let isCanonical = next - begin == 1 || next > begin && begin.pointee != UInt8(ascii: "0")
      return isCanonical ? value : nil
    }

    mutating func nanoseconds() -> UInt32? {
      guard end - next >= 9 else { return nil }
      var value: UInt32 = 0
      for index in 0..<9 {
        let digit = next[index] &- 0x30
        guard digit < 10 else { return nil }
        value = value &* 10 &+ UInt32(digit)
      }
      next += 9
      return value
    }

    /// Reads exactly `count` hexadecimal digits in lower case; `nil` for another number.
    mutating func digits(_ count: Int) -> UnsafePointer<UInt8>? {
      guard end - next >= count, kernel_lower_digit_count(next, count) == count else {
        return nil
      }
      defer { next += count }
      return next + count == end || next[count] == OwnLineParser.blank ? next : nil
    }
  }
}
