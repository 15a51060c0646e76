// One line of a record, and a fast parser of it.
//
// DESIGN. An update reads each record in step with the walk, on one thread, while the lanes
// only stat each file. The mtree(5) parser accepts every form of a line, and takes several
// times as long as necessary for the one form that weir writes. This parser reads only lines
// whose part after the name ``MtreeLine`` would write again byte for byte, and leaves any
// other to the mtree(5) parser. So that part can be copied to the new records if the file has
// not changed: no number and no digest is converted. (Rejected: runs of bytes from the old M.
// It may have been edited by hand, so each of its lines would be compared with its record.)

internal import CFileKernels
internal import WeirLibC
internal import Weir

/// The line of a file as ``MtreeLine`` writes it. It points into the memory of its reader, and is
/// valid until the next line is read.
struct RecordLine {
  /// The name, without escapes.
  let name: UnsafeRawBufferPointer
  /// The size and the time, if they are known.
  let size: UInt64?
  let time: FileTime?
  let digests: RecordDigests
}

/// The digests of a line as text, which is copied if the file has not changed.
struct RecordDigests {
  /// The part of the line after the name, from the blank to the end. Its last words are the
  /// digests.
  let rest: UnsafeRawBufferPointer
  /// The indices of the algorithms, in the order of the line.
  let indices: UnsafeRawBufferPointer

  static var none: RecordDigests { RecordDigests(rest: .empty, indices: .empty) }

  var algorithms: [DigestAlgorithm] { indices.map { DigestAlgorithm(index: Int($0)) } }

  func has(_ algorithm: DigestAlgorithm) -> Bool { indices.contains(UInt8(algorithm.index)) }

  /// Calls `body` with the digits of each digest, from the last to the first.
  @inline(__always)
  func forEachReversed(_ body: (DigestAlgorithm, _ digits: UnsafeRawBufferPointer) -> Void) {
    var end = rest.count
    for index in indices.reversed() {
      let algorithm = DigestAlgorithm(index: Int(index))
      let begin = end - algorithm.byteCount * 2
      body(algorithm, UnsafeRawBufferPointer(rebasing: rest[begin..<end]))
      // ` sha256=` before the digits.
      end = begin - algorithm.nameByteCount - 2
    }
  }

  /// Returns the digits of an algorithm's digest; `nil` if there is none. Of several the first
  /// counts, as in every reader.
  func digits(of algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    forEachReversed { if $0 == algorithm { found = $1 } }
    return found
  }

  /// Returns the digest of an algorithm; `nil` if there is none.
  func digest(_ algorithm: DigestAlgorithm) -> [UInt8]? {
    digits(of: algorithm).map { digits in
      [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { bytes, count in
        guard let out = bytes.baseAddress,
          let digits = digits.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        count = algorithm.byteCount
        kernel_bytes(out, digits, count)
      }
    }
  }

  /// Returns false if there is a digest of an algorithm, and it has other bytes.
  func permits(_ algorithm: DigestAlgorithm, _ bytes: some Sequence<UInt8>) -> Bool {
    digest(algorithm).map { $0.elementsEqual(bytes) } ?? true
  }

  /// Returns the part of a line after the name with the digests of some algorithms.
  func rest(with algorithms: [DigestAlgorithm]) -> [UInt8] {
    var end = rest.count
    forEachReversed { end -= $0.nameByteCount + 2 + $1.count }
    var bytes = Array(rest[..<end])
    for algorithm in algorithms {
      guard let digits = digits(of: algorithm) else { continue }
      bytes += Array(" \(algorithm.name)=".utf8)
      bytes += digits
    }
    return bytes
  }
}

/// A parser for the lines of files that ``MtreeLine`` writes.
final class RecordLineParser {
  /// ` sha256=`, and what follows it.
  private struct Label {
    let text: UnsafeRawBufferPointer
    let digitCount: Int
  }

  private let labels: UnsafeBufferPointer<Label>
  /// The index of the last algorithm at each place of a line.
  private let usual = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: placeMax)
  /// The memory of a name without its escapes.
  private var unescaped = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  private static let placeMax = 16
  private static let type: StaticString = " type=file size="
  private static let time: StaticString = " time="
  private static let blank = UInt8(ascii: " ")

  init() {
    usual.initialize(repeating: 0)
    let labels = UnsafeMutableBufferPointer<Label>.allocate(
      capacity: DigestAlgorithm.allCases.count)
    for algorithm in DigestAlgorithm.allCases {
      let text = Array(" \(algorithm.name)=".utf8)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      memory.copyBytes(from: text)
      labels.initializeElement(
        at: algorithm.index,
        to: Label(text: UnsafeRawBufferPointer(memory), digitCount: algorithm.byteCount * 2))
    }
    self.labels = UnsafeBufferPointer(labels)
  }

  deinit {
    for label in labels { label.text.deallocate() }
    labels.deallocate()
    usual.deallocate()
    unescaped.deallocate()
  }

  /// Parses a line. Returns `nil` if it is in another form.
  ///
  /// - Parameters:
  ///   - isBare: True if the name has lost a `./` that it has in the line.
  func parse(_ line: UnsafeRawBufferPointer, isBare: Bool) -> RecordLine? {
    guard let start = line.baseAddress, line.count > 2, line[0] == UInt8(ascii: "."),
      line[1] == UInt8(ascii: "/"),
      let end = memchr(start + 2, Int32(RecordLineParser.blank), line.count - 2)
    else { return nil }
    let nameEnd = UnsafeRawPointer(end) - start
    guard nameEnd > 2 else { return nil }
    var scanner = Scanner(line, from: nameEnd)
    guard scanner.skip(RecordLineParser.type), let size = scanner.number(),
      scanner.skip(RecordLineParser.time),
      let seconds = scanner.number(), scanner.skip(UInt8(ascii: ".")),
      let nanoseconds = scanner.nanoseconds(), let count = algorithmCount(&scanner),
      let name = name(UnsafeRawBufferPointer(rebasing: line[(isBare ? 2 : 0)..<nameEnd]))
    else { return nil }
    return RecordLine(
      name: name, size: size,
      time: FileTime(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds)),
      digests: RecordDigests(
        rest: UnsafeRawBufferPointer(rebasing: line[nameEnd...]),
        indices: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(usual)[..<count])))
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
    unescaped.ensure(text.count, alignment: 1)
    unescaped.copyMemory(from: text)
    let name = UnsafeMutableRawBufferPointer(rebasing: unescaped[..<text.count])
    guard let count = MtreeName.unescape(name), count > 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: name[..<count])
  }

  /// Returns the number of digests in the rest of a line, whose algorithms are then in
  /// `usual`; `nil` if the rest has none or anything else.
  private func algorithmCount(_ scanner: inout Scanner) -> Int? {
    var count = 0
    while !scanner.isAtEnd {
      guard count < RecordLineParser.placeMax,
        let index = algorithm(&scanner, usual: Int(usual[count])),
        scanner.skipDigits(labels[index].digitCount)
      else { return nil }
      usual[count] = UInt8(index)
      count += 1
    }
    return count > 0 ? count : nil
  }

  private func algorithm(_ scanner: inout Scanner, usual: Int) -> Int? {
    if scanner.skip(labels[usual].text) { return usual }
    return labels.indices.first { scanner.skip(labels[$0].text) }
  }

  /// The unread rest of a line.
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

    /// Reads a number of nine digits.
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

    /// Skips hexadecimal digits in lower case, exactly `count` of them. Returns false if
    /// there are fewer or more.
    mutating func skipDigits(_ count: Int) -> Bool {
      guard end - next >= count, kernel_lower_digit_count(next, count) == count else {
        return false
      }
      next += count
      return next == end || next.pointee == RecordLineParser.blank
    }
  }
}
