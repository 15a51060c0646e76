// What former runs have recorded, file by file.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What was recorded of a file. It points into the memory of its reader, and is
/// of use until the next one is asked for.
struct FileRecord {
  let entry: MtreeEntry
  /// Which of that run's sources it comes from; `nil` where that is not said.
  let source: Int?
  /// Whether it had other content than before, with the same size and time, and
  /// what stands here is what it should have.
  let isRotten: Bool
  /// Where what is said of it begins and ends.
  let before: RecordPlace
  let after: RecordPlace
}

/// A place in a file of records, and what holds there.
struct RecordPlace: Equatable {
  var offset: Int64 = 0
  var source: Int?
  /// As of ``MtreeWriter``.
  var isBare = false
}

/// Reads the records of files: those of `M.partial` and `M.mtree`, and of any
/// manifest of mtree(5). Directories and links are passed over.
///
/// It reads by `pread`, so that several can read by one descriptor.
final class RecordReader {
  private let descriptor: FileDescriptor
  private let lines: ManifestReader
  private let parser = MtreeParser()
  private let quick = RecordLine()
  /// Whether the first line that cannot be read is the end, and so is one that is
  /// not ended: of a run that was cut short.
  private let isStrict: Bool
  private let size: Int64
  private var isRotten = false
  private var isOver = false
  /// Behind the last line that was read.
  private(set) var place: RecordPlace
  /// What the number of a source means to this run.
  private let meaning: (Int) -> Int?

  static let source = "#weir source "
  static let rot = "#weir rot"

  init(
    _ descriptor: FileDescriptor, from place: RecordPlace = RecordPlace(), isStrict: Bool,
    meaning: @escaping (Int) -> Int? = { $0 }
  ) {
    self.meaning = meaning
    self.descriptor = descriptor
    lines = ManifestReader(descriptor, from: place.offset)
    self.isStrict = isStrict
    self.place = place
    var status = stat()
    size = fstat(descriptor.rawValue, &status) == 0 ? Int64(status.st_size) : 0
    if place.isBare { obey("#weir bare") }
  }

  /// Another reader of the same records, from a place in them.
  func again(from place: RecordPlace) -> RecordReader {
    RecordReader(descriptor, from: place, isStrict: isStrict, meaning: meaning)
  }

  private func obey(_ comment: String) {
    var bytes = Array(comment.utf8)
    bytes.withUnsafeMutableBytes { _ = parser.parse($0) }
  }

  /// The next file; `nil` at the end.
  func next() throws(Errno) -> FileRecord? {
    let before = place
    while !isOver, let line = try lines.next() {
      let end = place.offset + Int64(line.count) + 1
      if isStrict && end > size { break }
      let record = parse(line)
      if isStrict && !RecordReader.isOurs(record) { break }
      place.offset = end
      switch record {
      case .entry(let entry)
      where entry.type == .file || entry.type == nil || !entry.digests.isEmpty:
        defer { isRotten = false }
        return FileRecord(
          entry: entry, source: place.source, isRotten: isRotten, before: before, after: place)
      case .comment(let comment): take(comment)
      case .entry, .ignored, .malformed: break
      }
    }
    isOver = true
    return nil
  }

  private func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeRecord {
    // A name without a slash before it is in a directory that the parser knows.
    if let entry = quick.parse(line, isBare: place.isBare) { return .entry(entry) }
    if isStrict && line.contains(0) { return .malformed }
    return parser.parse(line)
  }

  /// Whether a run could have written it.
  private static func isOurs(_ record: MtreeRecord) -> Bool {
    switch record {
    case .malformed: false
    // Of what was kept of lines of text, neither size nor time is known.
    case .entry(let entry) where entry.type == .file:
      !entry.digests.isEmpty && (entry.size != nil || entry.time == nil)
    case .entry(let entry): entry.type != nil
    case .comment, .ignored: true
    }
  }

  private func take(_ comment: UnsafeRawBufferPointer) {
    guard comment.starts(with: "#weir ".utf8) else { return }
    if comment.elementsEqual("#weir bare".utf8) {
      place.isBare = true
    } else if comment.elementsEqual("#weir dotted".utf8) {
      place.isBare = false
    } else if comment.elementsEqual(RecordReader.rot.utf8) {
      isRotten = true
    } else if comment.starts(with: RecordReader.source.utf8) {
      let number = comment.dropFirst(RecordReader.source.utf8.count)
      place.source = Int(String(decoding: number, as: UTF8.self)).flatMap(meaning)
    }
  }
}
