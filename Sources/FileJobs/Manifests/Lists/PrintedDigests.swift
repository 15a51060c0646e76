internal import Weir

/// A parser of the output of gpg --print-md and --print-mds.
///
/// ```text
/// f: 90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72
/// f: SHA256 = BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61
///             F20015AD
/// ```
///
/// A digest can continue on lines that begin with a blank, or with a digit if its first line has none.
/// So an entry is complete when the next one begins.
final class PrintedDigests: EntryParser {
  private struct Part {
    var name: [UInt8]
    /// The word before the digits; empty if there is none.
    var label: [UInt8]
    var digits: [UInt8]
  }

  private var part: Part?
  /// True if a line was refused whose record is still to be returned.
  private var isRefused = false
  private static let digitsMax = 128
  private let memory = ByteBuffer()
  private let digests = DigestBuffer()

  private static let (blank, colon) = (UInt8(ascii: " "), UInt8(ascii: ":"))

  let isLate = true

  /// Returns true if a line begins such output: a name, and digits in groups, or nothing else.
  static func isBeginning(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    guard let part = begin(line) else { return false }
    let end = part.name.count + 1
    let groups = line[min(end, line.count)...].split(separator: blank)
    return part.digits.isEmpty
      ? !part.label.isEmpty || line.last == blank : part.digits.count >= 8 && groups.count > 1
  }

  func parse(_ whole: UnsafeMutableRawBufferPointer) -> MtreeContent {
    let line = whole.withoutReturn
    if line.isEmpty { return .ignored }
    if let part, part.digits.count < PrintedDigests.digitsMax,
      line[0] == PrintedDigests.blank || part.digits.isEmpty,
      let digits = PrintedDigests.digits(line)
    {
      self.part?.digits += digits
      return .ignored
    }
    let next = PrintedDigests.begin(line) ?? labelled(line)
    defer { part = next }
    if part == nil {
      defer { isRefused = false }
      return next == nil || isRefused ? .malformed : .ignored
    }
    // The record of a line that is refused comes after the entry before it.
    isRefused = next == nil
    if part?.digits.isEmpty == true && part?.label.isEmpty == true { return .ignored }
    return complete()
  }

  /// Returns the part of a line that has a label and digits, below a line with the name alone.
  private func labelled(_ line: UnsafeMutableRawBufferPointer) -> Part? {
    guard let part, part.digits.isEmpty && part.label.isEmpty || line[0] == PrintedDigests.blank,
      let equals = line.firstIndex(of: UInt8(ascii: "=")),
      let digits = PrintedDigests.digits(line[(equals + 1)...].rebased)
    else { return nil }
    return Part(
      name: part.name, label: line[..<equals].filter { $0 != PrintedDigests.blank }, digits: digits)
  }

  func finish() -> MtreeContent {
    if isRefused {
      isRefused = false
      return .malformed
    }
    return complete()
  }

  private func complete() -> MtreeContent {
    guard let part = part.take() else { return .ignored }
    let label = String(decoding: part.label, as: UTF8.self).lowercased()
    let byLength = [32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"]
    guard let word = label.isEmpty ? byLength[part.digits.count] : label else { return .malformed }
    let bytes = memory.hold(part.name + part.digits)
    var entry = MtreeEntry()
    entry.type = .file
    entry.name = bytes[..<part.name.count].rebased
    guard let algorithm = DigestAlgorithm(word) else {
      entry.otherDigest = word
      return .entry(entry)
    }
    let digits = memory.memory[part.name.count..<bytes.count]
    digests.removeAll()
    if !digests.append(algorithm, digits: digits.rebased) { return .malformed }
    entry.digests = digests.all
    return .entry(entry)
  }

  /// Returns the hexadecimal digits of a line that has nothing else but blanks.
  private static func digits(_ line: UnsafeMutableRawBufferPointer) -> [UInt8]? {
    let digits = line.filter { $0 != blank }
    let isHexadecimal = digits.allSatisfy {
      $0.isDigit || $0 & 0x20 == 0 && $0.hexadecimalValue != nil
    }
    return isHexadecimal && !digits.isEmpty ? digits : nil
  }

  /// Returns the first line of an entry. A name can contain ": ": the last one counts.
  private static func begin(_ line: UnsafeMutableRawBufferPointer) -> Part? {
    guard let end = line.lastIndex(of: colon), end > 0, end + 1 < line.count,
      line[end + 1] == blank
    else { return nil }
    var rest = line[(end + 1)...].drop { $0 == blank }
    var label: [UInt8] = []
    if let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      label = rest[..<equals].filter { $0 != blank }
      rest = rest[(equals + 1)...]
    }
    let digits = digits(rest.rebased)
    if digits == nil && !rest.allSatisfy({ $0 == blank }) { return nil }
    return Part(name: Array(line[..<end]), label: label, digits: digits ?? [])
  }
}
