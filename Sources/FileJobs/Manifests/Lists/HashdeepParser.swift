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
  private enum Column {
    case size
    case digest(DigestAlgorithm)
    case other(String)
  }

  /// The columns before the name; `nil` before the line that names them.
  private var columns: [Column]?
  private let digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(
    capacity: DigestAlgorithm.countMax)

  private static let mark = Array("%%%% ".utf8)
  private static let comma = UInt8(ascii: ",")

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
    if line.isEmpty || HashdeepParser.isHeader(line) { return .ignored }
    if line.first == UInt8(ascii: "#") { return .comment(UnsafeRawBufferPointer(line)) }
    if line.starts(with: HashdeepParser.mark) {
      columns = HashdeepParser.columns(line.dropFirst(HashdeepParser.mark.count))
      return columns == nil ? .malformed : .ignored
    }
    return entry(line).map { .entry($0) } ?? .malformed
  }

  private static func columns(_ text: Slice<UnsafeMutableRawBufferPointer>) -> [Column]? {
    let words = text.split(separator: comma).map { String(decoding: $0, as: UTF8.self) }
    guard words.last == "filename", words.count <= DigestAlgorithm.countMax else { return nil }
    return words.dropLast().map { word in
      word == "size" ? .size : DigestAlgorithm(word).map { .digest($0) } ?? .other(word)
    }
  }

  private func entry(_ line: UnsafeMutableRawBufferPointer) -> MtreeEntry? {
    guard let columns, let text = ManifestText(line) else { return nil }
    var entry = MtreeEntry()
    entry.type = .file
    var (begin, count) = (0, 0)
    for column in columns {
      guard let end = line[begin...].firstIndex(of: HashdeepParser.comma) else { return nil }
      switch column {
      case .size:
        guard let size = UInt64(decimal: line[begin..<end]) else { return nil }
        entry.size = size
      case .digest(let algorithm):
        let digits = algorithm.byteCount * 2
        guard end - begin == digits, text.digitCount(at: begin) == digits else { return nil }
        let bytes = text.decode(at: begin, byteCount: algorithm.byteCount)
        digests.initializeElement(at: count, to: MtreeDigest(algorithm: algorithm, bytes: bytes))
        count += 1
      case .other(let word): entry.otherDigest = word
      }
      begin = end + 1
    }
    if begin == line.count || line[begin...].contains(0) { return nil }
    entry.name = text.part(begin..<line.count)
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return entry
  }
}
