// An external sort of byte records, which is also a store of records that come in order.
//
// DESIGN. Records are compared as bytes, so that the sort knows no key: a key that ends in NUL, and
// has none in it, sorts before all that continue it. A record is kept as the number of bytes that it
// shares with the one before, and its other bytes: names of one tree begin alike, and a manifest of
// mtree(5) can name a million bytes in ten. Full memory is put in order and becomes a run in one
// unnamed file; a run that continues the last one is a part of it. So records that come in order are
// never sorted or merged. Any other memory is written out whole, but for what all its records share,
// and gets an index with the eight bytes of each record that follow: most comparisons need no more.
// All runs are merged at once: beside the memory of the sort, that takes 16 KiB for each memory full
// of records. (Rejected: a file for each run, which takes a descriptor each; ulimit -n may be 8.)

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The memory and the directory of sorts.
package struct SortSpace: Sendable {
  /// The number of bytes of memory for what has to be sorted.
  package var memory: UInt64 = 64 << 20
  package var directory = getenv("TMPDIR").map { [UInt8](cString: $0) } ?? Array("/tmp".utf8)

  package init() {}

  func makeRuns(eighths: Int = 1) -> SortedRuns {
    SortedRuns(memory: Int(clamping: memory) / 8 * eighths, in: directory)
  }
}

/// Records of bytes, read in order any number of times. ``finish()`` ends the appending.
///
/// @unchecked Sendable: one thread at a time uses it.
final class SortedRuns: @unchecked Sendable {
  private let memory: Int
  private let directory: [UInt8]
  // One thread at a time uses the sort: that is not checked for each record.
  @exclusivity(unchecked) private var arena = SortArena()
  private var file: FileDescriptor?
  /// The parts of the file whose records are in order.
  private var runs: [Range<Int>] = []
  /// The last record of the last run.
  private var runEnd: [UInt8] = []
  private(set) var count = 0

  /// The memory of a reader for each run, at least and at most.
  private static let (bufferMin, bufferMax) = (1 << 14, 1 << 18)

  /// - Parameter memory: The number of bytes to use, and twice more while they are put in order.
  ///   When they are full, a file is made in `directory`.
  init(memory: Int, in directory: [UInt8]) {
    self.memory = memory
    self.directory = directory
  }

  deinit { removeAll() }

  @inline(__always)
  func append(writing capacity: Int, _ body: (inout LineWriter) -> Void) throws(Fault) {
    arena.next.replace(after: 0, writing: capacity, body)
    if !arena.hasRoomForNext(memory) { try spill() }
    arena.appendNext()
    count += 1
  }

  func append(_ record: UnsafeRawBufferPointer) throws(Fault) {
    try append(writing: record.count) { $0.append(record) }
  }

  func finish() throws(Fault) {
    if file == nil { return arena.sort() }
    if arena.count > 0 { try spill() }
    arena.deallocate()
  }

  func removeAll() {
    arena.deallocate()
    if let file = file.take() { close(file.rawValue) }
  }

  /// Returns a reader of all records in order. Several can read at the same time.
  func makeReader() -> Reader { Reader(self) }

  private func spill() throws(Fault) {
    try Fault.attributing(to: directory) { () throws(Errno) in try writeRun() }
  }

  private func writeRun() throws(Errno) {
    let file = if let file { file } else { try makeFile() }
    self.file = file
    arena.sort()
    try file.write(all: arena.bytes)
    let begin = runs.last?.upperBound ?? 0
    let run = begin..<begin + arena.bytes.count
    if let before = runs.last, runEnd.withUnsafeBytes({ arena.first.order(to: $0) >= 0 }) {
      runs[runs.count - 1] = before.lowerBound..<run.upperBound
    } else {
      runs.append(run)
    }
    runEnd = Array(arena.last.bytes)
    arena.removeAll()
  }

  private func makeFile() throws(Errno) -> FileDescriptor {
    try DescriptorBudget.retrying { () throws(Errno) in
      try ReplacingFile.unnamed(beside: directory + Array("/weir-sort".utf8))
    }
  }
}

/// Records in memory, each after the number of bytes that it shares with the one before and that of
/// its others.
private struct SortArena {
  /// A record for the sort: the bytes at the place where its records begin to differ, and its offset.
  private struct Entry {
    let prefix: UInt64
    let offset: Int
  }

  static let headerSize = 8
  /// An entry, half of one for the sort, and the length of a record.
  private static let indexSize = MemoryLayout<Entry>.stride * 3 / 2 + 4

  private let records = ByteBuffer()
  private(set) var count = 0
  private var isInOrder = true
  /// The record that is to be appended, and the last one.
  private(set) var next = ByteBuffer()
  private(set) var last = ByteBuffer()
  /// The bytes that `next` shares with `last`, and all records with each other.
  private var shared = 0
  private var common = 0
  private var total = 0

  mutating func removeAll() { (records.count, count, isInOrder, total) = (0, 0, true, 0) }

  mutating func deallocate() {
    records.removeAll()
    removeAll()
  }

  var bytes: UnsafeRawBufferPointer { records.bytes }

  /// The first record, which shares no byte with one before.
  var first: UnsafeRawBufferPointer {
    bytes[SortArena.headerSize...].prefix(Int(bytes.littleEndian(at: 4) as UInt32)).rebased
  }

  /// Compares ``next`` with ``last``. Returns true if there is room for it, also when the records
  /// are put in order.
  @inline(__always)
  mutating func hasRoomForNext(_ memory: Int) -> Bool {
    if count == 0 { return true }
    let (new, old) = (next.bytes, last.bytes)
    shared = new.sharedCount(with: old)
    let isAfter =
      shared == old.count || shared < new.count && new[shared] > old[shared]
    if records.count + SortArena.headerSize + new.count - shared > memory { return false }
    if isInOrder && isAfter { return true }
    let rest = total + new.count - (count + 1) * min(common, shared)
    if rest + (count + 1) * SortArena.indexSize > memory { return false }
    isInOrder = false
    return true
  }

  @inline(__always)
  mutating func appendNext() {
    if count == 0 { (shared, common) = (0, next.count) } else { common = min(common, shared) }
    append(next.bytes, after: shared)
    total += next.count
    swap(&next, &last)
  }

  @inline(__always)
  private mutating func append(_ record: UnsafeRawBufferPointer, after shared: Int) {
    let rest = record[shared...].rebased
    records.replace(after: records.count, writing: SortArena.headerSize + rest.count) { line in
      line.append(littleEndian: UInt32(shared))
      line.append(littleEndian: UInt32(rest.count))
      line.append(rest)
    }
    count += 1
  }

  // MARK: Order

  mutating func sort() {
    if isInOrder { return }
    let (whole, common) = (ByteBuffer(), common)
    whole.reserve(total - count * common + count * 4)
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    let cursor = RunCursor(bytes)
    let record = cursor.record
    while (try? cursor.advance()) != nil, cursor.hasRecord {
      let bytes = record.bytes[common...].rebased
      entries.append(Entry(prefix: SortArena.prefix(of: bytes), offset: whole.count))
      whole.replace(after: whole.count, writing: 4 + bytes.count) { line in
        line.append(littleEndian: UInt32(bytes.count))
        line.append(bytes)
      }
    }
    let rests = whole.bytes
    func rest(_ offset: Int) -> UnsafeRawBufferPointer {
      let length = Int(rests.littleEndian(at: offset) as UInt32)
      return rests[offset + 4..<offset + 4 + length].rebased
    }
    entries.sort { left, right in
      left.prefix == right.prefix
        ? rest(left.offset).order(to: rest(right.offset)) < 0 : left.prefix < right.prefix
    }
    removeAll()
    var before = UnsafeRawBufferPointer.empty
    // What they all share is in the record that was read last.
    for entry in entries {
      let bytes = rest(entry.offset)
      record.replace(after: common, by: bytes)
      append(record.bytes, after: self.count == 0 ? 0 : common + bytes.sharedCount(with: before))
      before = bytes
    }
    last.replace(after: 0, by: record.bytes)
  }

  private static func prefix(of record: UnsafeRawBufferPointer) -> UInt64 {
    if record.count >= 8 { return UInt64(bigEndian: record.loadUnaligned(as: UInt64.self)) }
    return (0..<8).reduce(0) { value, place in
      value << 8 | (place < record.count ? UInt64(record[place]) : 0)
    }
  }
}

// MARK: - Reading

extension SortedRuns {
  /// A reader of the records in order. A record is valid until the next one is read.
  final class Reader {
    private let source: SortedRuns
    /// The runs with records that are left, a heap once the first record was read.
    private var cursors: [RunCursor]
    private var hasBegun = false

    fileprivate init(_ source: SortedRuns) {
      self.source = source
      guard let file = source.file else {
        cursors = [RunCursor(source.arena.bytes)]
        return
      }
      let buffer = min(max(source.memory / source.runs.count, bufferMin), bufferMax)
      cursors = source.runs.map { RunCursor($0, of: file, buffer: min(buffer, $0.count)) }
    }

    /// Returns the next record; `nil` at the end.
    func next() throws(Fault) -> UnsafeRawBufferPointer? {
      do throws(Errno) {
        if !hasBegun {
          hasBegun = true
          for cursor in cursors { try cursor.advance() }
          cursors.removeAll { !$0.hasRecord }
          cursors.heapify(RunCursor.precedes)
        } else if let first = cursors.first {
          try first.advance()
          cursors.replaceFirst(by: first.hasRecord ? first : nil, RunCursor.precedes)
        }
        return cursors.first?.record.bytes
      } catch {
        throw Fault(source.directory, .system(error))
      }
    }
  }
}

/// A position in a run, and the part of the run that is in memory.
private final class RunCursor {
  let record = ByteBuffer()
  @exclusivity(unchecked) private(set) var hasRecord = false
  /// The bytes read from the file, and the rest of them; of a run that is in memory, the rest alone.
  private let buffer = ByteBuffer()
  @exclusivity(unchecked) private var rest: UnsafeRawBufferPointer
  private let file: FileDescriptor?
  /// The part of the file that is not in memory yet.
  private var unread: Range<Int>

  init(_ run: Range<Int>, of file: FileDescriptor, buffer size: Int) {
    (self.file, unread, rest) = (file, run, .empty)
    buffer.reserve(size)
  }

  /// Makes the cursor of a run that is in memory as a whole.
  init(_ run: UnsafeRawBufferPointer) { (file, unread, rest) = (nil, 0..<0, run) }

  static func precedes(_ left: RunCursor, _ right: RunCursor) -> Bool {
    left.record.bytes.order(to: right.record.bytes) < 0
  }

  @inline(__always)
  func advance() throws(Errno) {
    let header = SortArena.headerSize
    if rest.count < header {
      if rest.isEmpty && unread.isEmpty { return hasRecord = false }
      try fill(header)
    }
    let (shared, count): (UInt32, UInt32) = (rest.littleEndian(at: 0), rest.littleEndian(at: 4))
    let end = header + Int(count)
    if rest.count < end { try fill(end) }
    record.replace(after: Int(shared), by: rest[header..<end].rebased)
    rest = rest[end...].rebased
    hasRecord = true
  }

  /// Reads until at least `count` bytes are in memory.
  private func fill(_ count: Int) throws(Errno) {
    guard let file else { throw .ioError }
    buffer.move(rest)
    buffer.reserve(count)
    let room = min(buffer.memory.count - buffer.count, unread.count)
    let space = buffer.memory[buffer.count..<buffer.count + room].rebased
    // No other process can have truncated a file without a name.
    if try file.read(filling: space, at: unread.lowerBound) < room { throw .ioError }
    buffer.count += room
    unread = unread.lowerBound + room..<unread.upperBound
    rest = buffer.bytes
    if rest.count < count { throw .ioError }
  }
}
