// One line of a record: a fast parser, and a writer for records with unknown parts.
//
// DESIGN. An update reads each record twice, once in step with the walk and once to make
// the manifest, both on one thread, while the lanes only stat each file. The mtree(5)
// parser accepts every form of a line, and takes several times as long as necessary for
// the one form that weir writes. This parser reads only that form and leaves any other
// to the mtree(5) parser.

internal import CFileKernels
internal import WeirLibC
internal import Weir

/// A parser for the lines of files that ``MtreeLine`` writes.
final class RecordLineParser {
  private let digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(capacity: digestMax)
  private let keywords = DigestAlgorithm.allCases.map { Array("\($0.name)=".utf8) }
  /// The index of the last algorithm at each position of a line.
  private var usual = [Int](repeating: 0, count: digestMax)

  private static let digestMax = 8
  private static let type = Array(" type=file size=".utf8)
  private static let time = Array(" time=".utf8)

  deinit { digests.deallocate() }

  /// Parses a line, whose memory is overwritten. Returns `nil`, with the line unchanged,
  /// if it is in another form.
  func parse(_ line: UnsafeMutableRawBufferPointer, isBare: Bool) -> MtreeEntry? {
    guard let start = line.baseAddress, line.count > 2, line[0] == UInt8(ascii: "."),
      line[1] == UInt8(ascii: "/"), let blank = memchr(start, 0x20, line.count)
    else { return nil }
    let nameCount = UnsafeMutableRawPointer(blank) - start
    var rest = Rest(line, from: nameCount)
    guard rest.skip(RecordLineParser.type), let size = rest.number(),
      rest.skip(RecordLineParser.time),
      let seconds = rest.number(), seconds <= UInt64(Int64.max), rest.skip(0x2E),
      let nanoseconds = rest.number(digits: 9), let count = countDigests(rest)
    else { return nil }
    var name = UnsafeMutableRawBufferPointer(rebasing: line[..<nameCount])
    if memchr(start, 0x5C, nameCount) != nil || memchr(start, 0, nameCount) != nil {
      return nil  // an escaped name: rare, and left to the other parser
    }
    if isBare { name = UnsafeMutableRawBufferPointer(rebasing: name[2...]) }
    var entry = MtreeEntry()
    entry.name = UnsafeRawBufferPointer(name)
    entry.type = .file
    entry.size = size
    entry.time = FileTime(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    decode(rest, count)
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return name.isEmpty ? nil : entry
  }

  /// Returns the number of digests; `nil` if the rest of the line has anything else.
  /// Changes nothing but `usual`.
  private func countDigests(_ rest: Rest) -> Int? {
    var rest = rest
    var count = 0
    while !rest.isAtEnd {
      guard count < RecordLineParser.digestMax, rest.skip(0x20),
        let index = algorithm(&rest, count),
        rest.digits(DigestAlgorithm(index: index).byteCount * 2) != nil
      else { return nil }
      count += 1
    }
    return count > 0 ? count : nil
  }

  private func algorithm(_ rest: inout Rest, _ place: Int) -> Int? {
    if rest.skip(keywords[usual[place]]) { return usual[place] }
    for index in keywords.indices where rest.skip(keywords[index]) {
      usual[place] = index
      return index
    }
    return nil
  }

  /// Decodes the digests that were counted.
  private func decode(_ rest: Rest, _ count: Int) {
    var rest = rest
    for place in 0..<count {
      let algorithm = DigestAlgorithm(index: usual[place])
      _ = rest.skip(0x20)
      _ = rest.skip(keywords[usual[place]])
      guard let digits = rest.digits(algorithm.byteCount * 2) else { return }
      kernel_bytes(digits, digits, algorithm.byteCount)
      digits.withMemoryRebound(to: UInt8.self, capacity: algorithm.byteCount) { bytes in
        digests.initializeElement(
          at: place,
          to: MtreeDigest(
            algorithm: algorithm,
            bytes: UnsafeRawBufferPointer(start: bytes, count: algorithm.byteCount)))
      }
    }
  }

  /// The unread rest of a line.
  private struct Rest {
    private let start: UnsafeMutablePointer<UInt8>
    private let count: Int
    private var from: Int

    init(_ line: UnsafeMutableRawBufferPointer, from: Int) {
      guard let start = line.baseAddress else { fatalError("a line needs memory") }
      self.start = start.assumingMemoryBound(to: UInt8.self)
      count = line.count
      self.from = from
    }

    var isAtEnd: Bool { from == count }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard from < count, start[from] == byte else { return false }
      from += 1
      return true
    }

    mutating func skip(_ bytes: [UInt8]) -> Bool {
      guard count - from >= bytes.count else { return false }
      let isThere = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { memcmp($0, start + from, bytes.count) == 0 } ?? true
      }
      if isThere { from += bytes.count }
      return isThere
    }

    /// Reads a number of 1 to 18 digits, or of exactly `digits`.
    mutating func number(digits: Int? = nil) -> UInt64? {
      let begin = from
      var value: UInt64 = 0
      while from < count, case let digit = start[from] &- 0x30, digit < 10 {
        if from - begin == 18 { return nil }
        value = value * 10 + UInt64(digit)
        from += 1
      }
      let length = from - begin
      return length > 0 && length == digits ?? length ? value : nil
    }

    /// Reads hexadecimal digits, exactly `length` of them.
    mutating func digits(_ length: Int) -> UnsafeMutablePointer<UInt8>? {
      guard count - from >= length, kernel_digit_count(start + from, length) == length,
        from + length == count || start[from + length] == 0x20
      else { return nil }
      defer { from += length }
      return start + from
    }
  }
}

/// A writer for records whose size and time may be unknown.
enum RecordLineWriter {
  private static let noSize = Array(" size=0".utf8)

  /// Appends the line of a file, without its size or time if that is `nil`.
  static func append(
    _ name: UnsafeRawBufferPointer, size: UInt64?, time: FileTime?,
    _ digests: [(DigestAlgorithm, UnsafeRawBufferPointer)], to bytes: inout [UInt8]
  ) {
    let line = MtreeLine(digests.map(\.0))
    let capacity = line.capacity(nameCount: name.count)
    let begin = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: capacity))
    let count = bytes.withUnsafeMutableBytes { memory in
      line.write(
        name: name, size: size ?? 0, time: time, digests: digests.map(\.1),
        to: UnsafeMutableRawBufferPointer(rebasing: memory[begin...]))
    }
    bytes.removeLast(capacity - count)
    guard size == nil else { return }
    // The name has no blanks: the first two precede the type and the size.
    let blank = UInt8(ascii: " ")
    guard let type = bytes[begin...].firstIndex(of: blank),
      let blankOfSize = bytes[(type + 1)...].firstIndex(of: blank)
    else { return }
    bytes.removeSubrange(blankOfSize..<blankOfSize + noSize.count)
  }
}
