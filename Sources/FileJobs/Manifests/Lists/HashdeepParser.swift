// The lists of hashdeep: a size, digests and a name in each line.

internal import Weir

/// A parser of the lines of a list of hashdeep, one after the other.
///
/// ```text
/// %%%% HASHDEEP-1.0
/// %%%% size,md5,sha256,filename
/// ## a comment
/// 3,900150983cd24fb0d6963f7d28e17f72,ba7816bf...,a.c
/// ```
///
/// The name is what remains after the digests, so it may contain commas. hashdeep escapes nothing.
/// Columns of algorithms that Weir does not compute, Tiger and Whirlpool, are skipped.
final class HashdeepParser: EntryParser {
  /// The columns before the name; `nil` before the line that names them.
  private var columns: [(word: String, algorithm: DigestAlgorithm?)]?
  private let digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(
    capacity: DigestAlgorithm.countMax)

  private static let mark = Array("%%%% ".utf8)

  deinit { digests.deallocate() }

  /// Returns true if a list of hashdeep begins with this line.
  static func isHeader(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    line.starts(with: "%%%% HASHDEEP-".utf8)
  }

  let isContinued = false
  func finish() -> Bool { true }

  func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeRecord {
    var line = line
    if line.last == UInt8(ascii: "\r") { line = .init(rebasing: line.dropLast()) }
    if line.isEmpty || line[0] == UInt8(ascii: "#") || HashdeepParser.isHeader(line) {
      return .ignored
    }
    if line.starts(with: HashdeepParser.mark) {
      let text = String(decoding: line.dropFirst(HashdeepParser.mark.count), as: UTF8.self)
      let words = text.split(separator: ",").map(String.init)
      let isValid = words.last == "filename" && words.count <= DigestAlgorithm.countMax
      columns = isValid ? words.dropLast().map { ($0, DigestAlgorithm($0)) } : nil
      return isValid ? .ignored : .malformed
    }
    return entry(line).map { .entry($0) } ?? .malformed
  }

  private func entry(_ line: UnsafeMutableRawBufferPointer) -> MtreeEntry? {
    guard let columns, let text = ManifestText(line) else { return nil }
    var entry = MtreeEntry()
    entry.type = .file
    var (begin, count) = (0, 0)
    for (word, algorithm) in columns {
      guard let end = line[begin...].firstIndex(of: UInt8(ascii: ",")) else { return nil }
      if let algorithm {
        let digits = algorithm.byteCount * 2
        guard end - begin == digits, text.digitCount(at: begin) == digits else { return nil }
        let bytes = text.decode(at: begin, byteCount: algorithm.byteCount)
        digests.initializeElement(at: count, to: MtreeDigest(algorithm: algorithm, bytes: bytes))
        count += 1
      } else if word == "size" {
        guard let size = UInt64(decimal: line[begin..<end]) else { return nil }
        entry.size = size
      } else {
        entry.otherDigest = word
      }
      begin = end + 1
    }
    if begin == line.count || line[begin...].contains(0) { return nil }
    entry.name = text.part(begin..<line.count)
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return entry
  }
}
