internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A record of a file. It points into the memory of its reader and is valid until the
/// next record is read. It is large: what handles every record of a run refers to that of the
/// reader.
struct FileRecord {
  let line: RecordLine
  /// The source of the file, as a number of this run; `nil` if the record names none.
  let source: Int?
  /// The open point of the file; `nil` if there is none. The record has the digests that the file
  /// should have.
  let open: OpenPoint?
  /// The target of a symbolic link; `nil` for a file.
  let target: UnsafeRawBufferPointer?

  init(
    _ line: RecordLine, source: Int? = nil, open: OpenPoint? = nil,
    target: UnsafeRawBufferPointer? = nil
  ) {
    (self.line, self.source, self.open, self.target) = (line, source, open, target)
  }

  var name: UnsafeRawBufferPointer { line.name }
}

/// A reader of the records of files: those of `M.partial` and `M.mtree`, and of any
/// manifest of mtree(5). Directories and links are skipped.
///
/// The reader uses `pread`: the offset of the descriptor does not change.
final class RecordReader {
  private let lines: ManifestReader
  private let parser = MtreeParser()
  private let quick = RecordLineParser()
  /// The meaning of an unreadable or incomplete line.
  private let unreadable: Unreadable
  private let listsLinks: Bool
  private let size: Int64
  private var open: OpenPoint?
  private var isOver = false
  /// The offset after the last line that was read.
  private(set) var offset: Int64 = 0
  private var source: Int?
  /// As of ``MtreeWriter``.
  private var isBare = false
  /// The memory of a line that was in another form.
  private var normal = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  /// The record that was read last; uninitialized before the first one.
  private let last = UnsafeMutablePointer<FileRecord>.allocate(capacity: 1)

  static let source = "#weir source "

  /// The meaning of a line that no run of weir has written.
  enum Unreadable {
    /// The records end there, as those of an unfinished run do.
    case end
    /// The manifest is damaged: ``advance()`` throws `badMessage`.
    case failure
    /// The line is skipped.
    case nothing
  }

  init(
    _ descriptor: FileDescriptor, unreadable: Unreadable, listsLinks: Bool = false
  ) {
    self.listsLinks = listsLinks
    self.unreadable = unreadable
    lines = ManifestReader(descriptor, from: 0)
    size = (try? stat(of: descriptor)).map { Int64($0.st_size) } ?? 0
  }

  deinit {
    last.deallocate()
    normal.deallocate()
  }

  /// The record that was read last.
  var record: UnsafePointer<FileRecord> { UnsafePointer(last) }

  /// Reads the next record and returns it; returns `nil` at the end.
  func next() throws(Errno) -> FileRecord? {
    try advance() ? last.pointee : nil
  }

  /// Reads the next record; returns false at the end.
  func advance() throws(Errno) -> Bool {
    while !isOver, let line = try lines.next() {
      let end = offset + Int64(line.count) + 1
      if unreadable != .nothing && end > size { return try endUnreadably() }
      // A name without a slash is in a directory that only the mtree(5) parser knows.
      if let quickLine = quick.parse(UnsafeRawBufferPointer(line), isBare: isBare) {
        offset = end
        setLast(quickLine)
        return true
      }
      let parsed = parse(line)
      if unreadable != .nothing && !isOurs(parsed) { return try endUnreadably() }
      offset = end
      switch parsed {
      case .entry(let entry)
      where entry.type == .file || entry.type == nil || !entry.digests.isEmpty:
        setLast(normalized(entry))
        return true
      case .entry(let entry) where listsLinks && entry.type == .symbolicLink:
        guard let target = entry.target else { break }
        setLast(
          RecordLine(name: entry.name, size: nil, time: nil, digests: .none), target)
        return true
      case .comment(let comment): apply(comment)
      case .entry, .ignored, .malformed: break
      }
    }
    isOver = true
    return false
  }

  private func endUnreadably() throws(Errno) -> Bool {
    isOver = true
    if unreadable == .failure { throw .badMessage }
    return false
  }

  private func setLast(
    _ line: RecordLine, _ target: UnsafeRawBufferPointer? = nil
  ) {
    last.initialize(to: FileRecord(line, source: source, open: open, target: target))
    open = nil
  }

  private func normalized(_ entry: MtreeEntry) -> RecordLine {
    let count = entry.digests.count
    let line = MtreeLine(entry.digests.map(\.algorithm))
    normal.ensure(count + line.capacity(nameCount: 1))
    for (place, digest) in entry.digests.enumerated() {
      normal[place] = UInt8(digest.algorithm.index)
    }
    let rest = line.writeRest(
      size: entry.size, time: entry.time, digests: entry.digests.lazy.map(\.bytes),
      to: UnsafeMutableRawBufferPointer(rebasing: normal[count...]))
    return RecordLine(
      name: entry.name, size: entry.size, time: entry.time,
      digests: RecordDigests(
        rest: rest, indices: UnsafeRawBufferPointer(rebasing: normal[..<count])))
  }

  private func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    if unreadable != .nothing && line.contains(0) { return .malformed }
    return parser.parse(line)
  }

  /// Returns true if a run of weir can have written the record.
  private func isOurs(_ record: MtreeContent) -> Bool {
    switch record {
    case .malformed: false
    // Another manifest was appended.
    case .comment(let comment) where comment.starts(with: "#mtree".utf8): offset == 0
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
      isBare = true
    } else if comment.elementsEqual("#weir dotted".utf8) {
      isBare = false
    } else if let point = OpenPoint(comment: comment) {
      open = point
    } else if comment.starts(with: RecordReader.source.utf8) {
      source = RecordReader.sourceNumber(comment)
    }
  }

  /// Returns the number in a comment that begins the records of a source; `nil` for any other.
  static func sourceNumber(_ comment: UnsafeRawBufferPointer) -> Int? {
    guard comment.starts(with: source.utf8) else { return nil }
    return Int(String(decoding: comment.dropFirst(source.utf8.count), as: UTF8.self))
  }
}
