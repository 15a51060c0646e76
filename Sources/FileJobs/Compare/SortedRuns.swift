// An external sort of byte records, which is also a store of records that come in order.
//
// DESIGN. Records are compared as bytes, so that the sort knows no key: a key that ends in NUL, and
// has none in it, sorts before all that continue it. Records lie in memory one after the other, each
// after its length. Full memory is put in order and becomes a run in one unnamed file; a run that
// continues the last one is a part of it. So records that come in order are never sorted or merged.
// Any other memory gets an index, with the eight bytes of each record that follow what all its
// records share: names of one tree begin alike, and most comparisons need no more. All runs are
// merged at once: beside the memory of the sort, that takes 16 KiB for each memory full of records.
// (Rejected: a file for each run, which takes a descriptor each; ulimit -n may be 8.)

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// Records of bytes, read in order. All records are appended first; after ``finish()`` they can be
/// read any number of times.
///
/// @unchecked Sendable: one thread at a time uses it.
final class SortedRuns: @unchecked Sendable {
  private let memory: Int
  private let directory: [UInt8]
  private var arena = RecordArena()
  private var file: FileDescriptor?
  /// The parts of the file whose records are in order.
  private var runs: [Range<Int>] = []
  private var last: [UInt8] = []
  /// The number of records.
  private(set) var count = 0

  /// The memory of a reader for each run, at least and at most.
  private static let (bufferMin, bufferMax) = (1 << 14, 1 << 18)

  /// - Parameters:
  ///   - memory: The number of bytes of memory to use; once more is used while it is put in order.
  ///   - directory: The directory of the file, which is made when the memory is full.
  init(memory: Int, in directory: [UInt8]) {
    self.memory = memory
    self.directory = directory
  }

  deinit {
    arena.deallocate()
    if let file { close(file.rawValue) }
  }

  /// Appends the record that a closure writes, which returns the number of its bytes.
  @inline(__always)
  func append(
    capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(Fault) {
    if arena.size(adding: capacity) > memory && arena.count > 0 { try spill() }
    arena.append(capacity: capacity, body)
    count += 1
  }

  /// Appends the record that a closure writes.
  @inline(__always)
  func append(writing capacity: Int, _ body: (inout LineWriter) -> Void) throws(Fault) {
    try append(capacity: capacity) { memory in
      var line = LineWriter(memory)
      body(&line)
      return line.count
    }
  }

  /// Ends the appending.
  func finish() throws(Fault) {
    if file == nil { return arena.sort() }
    if arena.count > 0 { try spill() }
    arena.deallocate()
  }

  /// Returns a reader of all records in order. Several can read at the same time.
  func makeReader() -> Reader { Reader(self) }

  /// Writes the records in memory to the file.
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
    let first = arena.record(at: 0)
    if let before = runs.last, last.withUnsafeBytes({ first.order(to: $0) >= 0 }) {
      runs[runs.count - 1] = before.lowerBound..<run.upperBound
    } else {
      runs.append(run)
    }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: arena.lastRecord)
    arena.removeAll()
  }

  private func makeFile() throws(Errno) -> FileDescriptor {
    try DescriptorBudget.retrying { () throws(Errno) in
      try ReplacingFile.unnamed(beside: directory + Array("/weir-sort".utf8))
    }
  }
}

/// Records in memory, one after the other, each after its length.
private struct RecordArena {
  /// A record for the sort: the bytes at the place where its records begin to differ, and its offset.
  private struct Entry {
    let prefix: UInt64
    let offset: Int
  }

  static let headerSize = 4
  /// An entry, and half of one for the sort.
  private static let indexSize = MemoryLayout<Entry>.stride * 3 / 2

  private var start: UnsafeMutableRawPointer?
  private var capacity = 0
  private var used = 0
  private var lastOffset = 0
  private(set) var count = 0
  private var isInOrder = true

  mutating func deallocate() {
    free(start)
    self = RecordArena()
  }

  mutating func removeAll() { (used, lastOffset, count, isInOrder) = (0, 0, 0, true) }

  /// The memory that the records take with one more, and with the index.
  func size(adding capacity: Int) -> Int {
    used + RecordArena.headerSize + capacity + (isInOrder ? 0 : (count + 1) * RecordArena.indexSize)
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: used) }
  var lastRecord: UnsafeRawBufferPointer { record(at: lastOffset) }

  @inline(__always)
  func record(at offset: Int) -> UnsafeRawBufferPointer {
    guard let start else { fatalError("a sort has no memory") }
    let record = start + offset
    return UnsafeRawBufferPointer(
      start: record + RecordArena.headerSize, count: Int(record.loadUnaligned(as: UInt32.self)))
  }

  @inline(__always)
  mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    let needed = used + RecordArena.headerSize + capacity
    if needed > self.capacity { grow(to: needed) }
    guard let start else { fatalError("a sort has no memory") }
    let offset = used
    let place = start + offset
    let length = body(
      UnsafeMutableRawBufferPointer(start: place + RecordArena.headerSize, count: capacity))
    place.storeBytes(of: UInt32(length), as: UInt32.self)
    used += RecordArena.headerSize + length
    if isInOrder && count > 0 { isInOrder = record(at: offset).order(to: lastRecord) >= 0 }
    lastOffset = offset
    count += 1
  }

  private mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2, 1 << 16)
    guard let larger = realloc(start, capacity) else { fatalError("a sort has no memory") }
    start = larger
  }

  // MARK: Order

  /// Puts the records in order.
  mutating func sort() {
    if isInOrder { return }
    guard let old = start, let sorted = malloc(capacity) else { fatalError("a sort has no memory") }
    var offset = 0
    for entry in index() {
      let size = RecordArena.headerSize + record(at: entry.offset).count
      (sorted + offset).copyMemory(from: old + entry.offset, byteCount: size)
      lastOffset = offset
      offset += size
    }
    free(old)
    (start, isInOrder) = (sorted, true)
  }

  /// Returns the records in order.
  private func index() -> [Entry] {
    let shared = sharedCount()
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    forEach { offset in
      entries.append(Entry(prefix: prefix(of: record(at: offset), from: shared), offset: offset))
    }
    entries.sort { left, right in
      left.prefix == right.prefix
        ? record(at: left.offset).order(to: record(at: right.offset)) < 0
        : left.prefix < right.prefix
    }
    return entries
  }

  /// Calls a closure with the offset of each record.
  private func forEach(_ body: (Int) -> Void) {
    var offset = 0
    while offset < used {
      body(offset)
      offset += RecordArena.headerSize + record(at: offset).count
    }
  }

  /// The number of bytes with which all records begin alike.
  private func sharedCount() -> Int {
    let first = record(at: 0)
    var shared = first.count
    forEach { offset in
      let other = record(at: offset)
      shared =
        (0..<min(shared, other.count)).first { first[$0] != other[$0] }
        ?? min(shared, other.count)
    }
    return shared
  }

  private func prefix(of record: UnsafeRawBufferPointer, from shared: Int) -> UInt64 {
    if record.count >= shared + 8 {
      return UInt64(bigEndian: record.loadUnaligned(fromByteOffset: shared, as: UInt64.self))
    }
    return (shared..<shared + 8).reduce(0) { value, place in
      value << 8 | (place < record.count ? UInt64(record[place]) : 0)
    }
  }
}

// MARK: - Reading

extension SortedRuns {
  /// A reader of the records in order. A record is valid until the next one is read.
  final class Reader {
    private let source: SortedRuns
    private let cursors: UnsafeMutableBufferPointer<RunCursor>
    /// The loser at each node of the tree of comparisons; the winner is at 0.
    private let losers: UnsafeMutableBufferPointer<Int>
    private var hasBegun = false

    fileprivate init(_ source: SortedRuns) {
      self.source = source
      let runs = source.runs
      cursors = .allocate(capacity: max(runs.count, 1))
      losers = .allocate(capacity: cursors.count)
      losers.initialize(repeating: 0)
      guard let file = source.file else {
        cursors.initializeElement(at: 0, to: RunCursor(source.arena.bytes))
        return
      }
      let buffer = min(max(source.memory / runs.count, bufferMin), bufferMax)
      for (place, run) in runs.enumerated() {
        cursors.initializeElement(
          at: place, to: RunCursor(run, of: file, buffer: min(buffer, run.count)))
      }
    }

    deinit {
      if source.file != nil { for cursor in cursors { cursor.memory.deallocate() } }
      cursors.deallocate()
      losers.deallocate()
    }

    /// Returns the next record; `nil` at the end.
    func next() throws(Fault) -> UnsafeRawBufferPointer? {
      do throws(Errno) {
        if hasBegun {
          try cursors[losers[0]].advance()
          replay(losers[0])
        } else {
          hasBegun = true
          for place in cursors.indices { try cursors[place].advance() }
          losers[0] = play(at: 1)
        }
        return cursors[losers[0]].record
      } catch {
        throw Fault(source.directory, .system(error))
      }
    }

    /// Plays the matches below a node, and returns the winner. The leaves follow the inner nodes.
    private func play(at node: Int) -> Int {
      if node >= cursors.count { return node - cursors.count }
      let (left, right) = (play(at: node * 2), play(at: node * 2 + 1))
      let isLeft = precedes(left, right)
      losers[node] = isLeft ? right : left
      return isLeft ? left : right
    }

    /// Plays the matches on the way of a leaf to the top again.
    @inline(__always)
    private func replay(_ leaf: Int) {
      var winner = leaf
      var node = (leaf + cursors.count) / 2
      while node > 0 {
        if precedes(losers[node], winner) { swap(&losers[node], &winner) }
        node /= 2
      }
      losers[0] = winner
    }

    @inline(__always)
    private func precedes(_ left: Int, _ right: Int) -> Bool {
      guard let one = cursors[left].record else { return false }
      guard let other = cursors[right].record else { return true }
      return one.order(to: other) < 0
    }
  }
}

/// A position in a run, and the part of the run that is in memory.
private struct RunCursor {
  /// The record; `nil` at the end.
  private(set) var record: UnsafeRawBufferPointer?
  private(set) var memory: UnsafeMutableRawBufferPointer
  private var rest = 0..<0
  private let file: FileDescriptor
  /// The part of the file that is not in memory yet.
  private var unread: Range<Int>

  init(_ run: Range<Int>, of file: FileDescriptor, buffer: Int) {
    (self.file, unread) = (file, run)
    memory = .allocate(byteCount: buffer, alignment: 16)
  }

  /// Makes the cursor of a run that is in memory as a whole.
  init(_ run: UnsafeRawBufferPointer) {
    (file, unread, rest) = (FileDescriptor(rawValue: -1), 0..<0, 0..<run.count)
    memory = UnsafeMutableRawBufferPointer(mutating: run)
  }

  @inline(__always)
  mutating func advance() throws(Errno) {
    if rest.count < RecordArena.headerSize {
      if rest.isEmpty && unread.isEmpty { return record = nil }
      try fill(RecordArena.headerSize)
    }
    var length = RecordArena.headerSize
    length += Int(memory.loadUnaligned(fromByteOffset: rest.lowerBound, as: UInt32.self))
    if rest.count < length { try fill(length) }
    record = UnsafeRawBufferPointer(
      rebasing: memory[rest.lowerBound + RecordArena.headerSize..<rest.lowerBound + length])
    rest = rest.lowerBound + length..<rest.upperBound
  }

  /// Reads until at least `count` bytes are in memory.
  private mutating func fill(_ count: Int) throws(Errno) {
    let old = memory
    if memory.count < count { memory = .allocate(byteCount: count * 2, alignment: 16) }
    if !rest.isEmpty { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[rest])) }
    if old.baseAddress != memory.baseAddress { old.deallocate() }
    let room = min(memory.count - rest.count, unread.count)
    let space = UnsafeMutableRawBufferPointer(rebasing: memory[rest.count..<rest.count + room])
    // No other process can have truncated a file without a name.
    if try file.read(filling: space, at: unread.lowerBound) < room { throw .ioError }
    rest = 0..<rest.count + room
    unread = unread.lowerBound + room..<unread.upperBound
    if rest.count < count { throw .ioError }
  }
}
