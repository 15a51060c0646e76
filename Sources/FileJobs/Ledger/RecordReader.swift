internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A reader of the records of files in `M.partial` and `M.mtree`, without directories, and without
/// links unless `listsLinks` is true. It uses `pread`: the descriptor's offset does not change.
final class RecordReader {
  private let lines: ManifestReader
  private let parser = MtreeParser()
  private let unreadable: Unreadable
  private let listsLinks: Bool
  private let size: Int64
  private var isOver = false
  /// The offset after the last line that was read.
  private(set) var offset: Int64 = 0
  private let text = ByteBuffer()
  /// The record that was read last, valid until the next one is read.
  private(set) var entry = InventoryEntry(nil)

  /// The meaning of a line that no run of weir has written.
  enum Unreadable {
    /// The records end there, as those of an unfinished run do.
    case end
    /// The manifest is damaged: ``advance()`` throws `badMessage`.
    case failure
  }

  init(
    _ descriptor: FileDescriptor, unreadable: Unreadable, listsLinks: Bool = false
  ) {
    self.listsLinks = listsLinks
    self.unreadable = unreadable
    lines = ManifestReader(descriptor, from: 0)
    size = (try? stat(of: descriptor)).map { Int64($0.st_size) } ?? 0
  }

  /// Reads the next record; returns false at the end.
  func advance() throws(Errno) -> Bool {
    while !isOver, let line = try lines.next() {
      let end = offset + Int64(line.count) + 1
      // After a crash the file may have zeros.
      let hasNUL = UnsafeRawBufferPointer(line).keyCount < line.count
      let parsed = end > size || hasNUL ? .malformed : parser.parse(line)
      if !isOurs(parsed) {
        isOver = true
        if unreadable == .failure { throw .badMessage }
        return false
      }
      offset = end
      switch parsed {
      case .entry(let line) where line.type == .file || line.type == nil || !line.digests.isEmpty:
        read(line)
        return true
      case .entry(let line) where listsLinks && line.type == .symbolicLink && line.target != nil:
        read(link: line)
        return true
      case .entry, .comment, .ignored, .malformed: break
      }
    }
    isOver = true
    return false
  }

  /// Returns the next record if it has weir's own form, and no other line precedes it; ``advance()``
  /// returns it again unless ``skip()`` is called.
  func peek() -> InventoryEntry? {
    guard !isOver, let line = lines.peek(), offset + Int64(line.count) < size,
      let found = parser.ownEntry(of: line)
    else { return nil }
    read(found)
    return entry
  }

  /// Skips the record that ``peek()`` has returned.
  func skip() { offset += Int64(lines.skip()) }

  private func read(_ line: MtreeEntry) {
    entry = InventoryEntry(line.type == .blockDevice ? .blockDevice : .file)
    (entry.size, entry.time, entry.text) = (line.size, line.time, line.name)
    (entry.digests, entry.open, entry.source) = (line.digests.bytes, line.open, line.source)
  }

  private func read(link line: MtreeEntry) {
    entry = InventoryEntry(.symbolicLink)
    let target = line.target ?? .empty
    text.replace(after: 0, writing: line.name.count + 1 + target.count) { text in
      text.append(line.name)
      text.append(UInt8(0))
      text.append(target)
    }
    (entry.text, entry.open, entry.source) = (text.bytes, line.open, line.source)
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
}
