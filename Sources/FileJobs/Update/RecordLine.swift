// Lines as MtreeLine writes them, read faster.
//
// DESIGN. An update reads each record twice, once in step with the walk and once to
// make the manifest, both on one thread, while the lanes have but a look at each
// file. The parser of mtree(5) knows every form there is, and takes several times
// as long as need be for the one that is ours. What is in any other form is left to
// it.

internal import CFileKernels
internal import Glibc
internal import Weir

/// Reads lines of files in the one form that ``MtreeLine`` writes.
final class RecordLine {
  private let digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(capacity: digestMax)
  private let keywords = DigestAlgorithm.allCases.map { Array("\($0.name)=".utf8) }
  /// The algorithm that stood last in this place of a line.
  private var usual = [Int](repeating: 0, count: digestMax)

  private static let digestMax = 8
  private static let type = Array(" type=file size=".utf8)
  private static let time = Array(" time=".utf8)

  deinit { digests.deallocate() }

  /// What a line says; `nil`, and the line is as it was, where it is in another
  /// form. It is written over.
  func parse(_ line: UnsafeMutableRawBufferPointer, isBare: Bool) -> MtreeEntry? {
    guard let start = line.baseAddress, line.count > 2, line[0] == UInt8(ascii: "."),
      line[1] == UInt8(ascii: "/"), let blank = memchr(start, 0x20, line.count)
    else { return nil }
    let nameCount = UnsafeMutableRawPointer(blank) - start
    var rest = Rest(line, from: nameCount)
    guard rest.skip(RecordLine.type), let size = rest.number(), rest.skip(RecordLine.time),
      let seconds = rest.number(), seconds <= UInt64(Int64.max), rest.skip(0x2E),
      let nanoseconds = rest.number(digits: 9), let count = check(rest)
    else { return nil }
    var name = UnsafeMutableRawBufferPointer(rebasing: line[..<nameCount])
    if memchr(start, 0x5C, nameCount) != nil || memchr(start, 0, nameCount) != nil {
      return nil  // not as often
    }
    if isBare { name = UnsafeMutableRawBufferPointer(rebasing: name[2...]) }
    var entry = MtreeEntry()
    entry.name = UnsafeRawBufferPointer(name)
    entry.type = .file
    entry.size = size
    entry.time = FileTime(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    take(rest, count)
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return name.isEmpty ? nil : entry
  }

  /// How many digests there are; `nil` where there is anything else. Finds out
  /// which, and changes nothing.
  private func check(_ rest: Rest) -> Int? {
    var rest = rest
    var count = 0
    while !rest.isAtEnd {
      guard count < RecordLine.digestMax, rest.skip(0x20), let index = algorithm(&rest, count),
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

  /// Reads what was checked.
  private func take(_ rest: Rest, _ count: Int) {
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

  /// What is left of a line.
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

    /// A number of 1 to 18 digits, or of just so many.
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

    /// So many hexadecimal digits, and no more.
    mutating func digits(_ length: Int) -> UnsafeMutablePointer<UInt8>? {
      guard count - from >= length, kernel_digit_count(start + from, length) == length,
        from + length == count || start[from + length] == 0x20
      else { return nil }
      defer { from += length }
      return start + from
    }
  }
}
