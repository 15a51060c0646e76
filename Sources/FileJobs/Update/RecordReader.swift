// The records of earlier runs, file by file.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A record of a file. It points into the memory of its reader and is valid until the
/// next record is read.
struct FileRecord {
  let entry: MtreeEntry
  /// The source of the file, as a number of this run; `nil` if the record names none.
  let source: Int?
  /// True if the run found other content with the same size and time. The record then
  /// has the digests that the file should have.
  let isRotten: Bool
  /// The positions before and after the record.
  let before: RecordPosition
  let after: RecordPosition
}

/// A position in a file of records, with the state of a reader there.
struct RecordPosition: Equatable {
  var offset: Int64 = 0
  var source: Int?
  /// As of ``MtreeWriter``.
  var isBare = false
}

/// A reader of the records of files: those of `M.partial` and `M.mtree`, and of any
/// manifest of mtree(5). Directories and links are skipped.
///
/// It reads with `pread`, so that several readers can share a descriptor.
final class RecordReader {
  private let descriptor: FileDescriptor
  private let lines: ManifestReader
  private let parser = MtreeParser()
  private let quick = RecordLineParser()
  /// True if the records end at the first unreadable or incomplete line, as those of an
  /// unfinished run do.
  private let isStrict: Bool
  private let size: Int64
  private var isRotten = false
  private var isOver = false
  /// The position after the last line that was read.
  private(set) var position: RecordPosition
  /// Converts the number of a source to a number of this run.
  private let sourceNumber: (Int) -> Int?

  static let source = "#weir source "
  static let rot = "#weir rot"

  init(
    _ descriptor: FileDescriptor, from position: RecordPosition = RecordPosition(), isStrict: Bool,
    sourceNumber: @escaping (Int) -> Int? = { $0 }
  ) {
    self.sourceNumber = sourceNumber
    self.descriptor = descriptor
    lines = ManifestReader(descriptor, from: position.offset)
    self.isStrict = isStrict
    self.position = position
    size = (try? stat(of: descriptor)).map { Int64($0.st_size) } ?? 0
    if position.isBare { parseComment("#weir bare") }
  }

  /// Returns another reader of the same records, from a position on.
  func copy(from position: RecordPosition) -> RecordReader {
    RecordReader(descriptor, from: position, isStrict: isStrict, sourceNumber: sourceNumber)
  }

  private func parseComment(_ comment: String) {
    var bytes = Array(comment.utf8)
    bytes.withUnsafeMutableBytes { _ = parser.parse($0) }
  }

  /// Reads the next record; returns `nil` at the end.
  func next() throws(Errno) -> FileRecord? {
    let before = position
    while !isOver, let line = try lines.next() {
      let end = position.offset + Int64(line.count) + 1
      if isStrict && end > size { break }
      let record = parse(line)
      if isStrict && !RecordReader.isOurs(record) { break }
      position.offset = end
      switch record {
      case .entry(let entry)
      where entry.type == .file || entry.type == nil || !entry.digests.isEmpty:
        defer { isRotten = false }
        return FileRecord(
          entry: entry, source: position.source, isRotten: isRotten, before: before, after: position
        )
      case .comment(let comment): apply(comment)
      case .entry, .ignored, .malformed: break
      }
    }
    isOver = true
    return nil
  }

  private func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeRecord {
    // A name without a slash is in a directory that only the mtree(5) parser knows.
    if let entry = quick.parse(line, isBare: position.isBare) { return .entry(entry) }
    if isStrict && line.contains(0) { return .malformed }
    return parser.parse(line)
  }

  /// Returns true if a run of weir can have written the record.
  private static func isOurs(_ record: MtreeRecord) -> Bool {
    switch record {
    case .malformed: false
    // A record that was kept from a line of text has neither size nor time.
    case .entry(let entry) where entry.type == .file:
      !entry.digests.isEmpty && (entry.size != nil || entry.time == nil)
    case .entry(let entry): entry.type != nil
    case .comment, .ignored: true
    }
  }

  private func apply(_ comment: UnsafeRawBufferPointer) {
    guard comment.starts(with: "#weir ".utf8) else { return }
    if comment.elementsEqual("#weir bare".utf8) {
      position.isBare = true
    } else if comment.elementsEqual("#weir dotted".utf8) {
      position.isBare = false
    } else if comment.elementsEqual(RecordReader.rot.utf8) {
      isRotten = true
    } else if comment.starts(with: RecordReader.source.utf8) {
      let number = comment.dropFirst(RecordReader.source.utf8.count)
      position.source = Int(String(decoding: number, as: UTF8.self)).flatMap(sourceNumber)
    }
  }
}
