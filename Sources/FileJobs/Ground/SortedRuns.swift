// An external sort of byte records, which is also a store of records that come in order.
//
// DESIGN. Records are compared as bytes, so that the sort knows no key: a key that ends in NUL, and
// has none in it, sorts before all that continue it. Records lie in memory one after the other, each
// after its length. Full memory becomes a run in one unnamed file; a run that continues the last one
// is a part of it. So records that come in order are never sorted or merged, and are written as they
// lie in memory. Any other memory gets an index, with the eight bytes of each record that follow
// what all its records share: names of one tree begin alike, and most comparisons need no more.
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
  /// The records of the arena in order; `nil` if they came in order.
  private var index: UnsafeMutableBufferPointer<RecordArena.Entry>?
  private var file: UnnamedFile?
  /// The parts of the file whose records are in order.
  private var runs: [Range<Int>] = []
  private var last: [UInt8] = []
  /// The number of records.
  private(set) var count = 0

  /// The memory of a reader for each run, at least and at most.
  private static let (bufferMin, bufferMax) = (1 << 14, 1 << 18)

  /// - Parameters:
  ///   - memory: The number of bytes of memory to use.
  ///   - directory: The directory of the file, which is made when the memory is full.
  init(memory: Int, in directory: [UInt8]) {
    self.memory = memory
    self.directory = directory
  }

  deinit {
    arena.deallocate()
    index?.deallocate()
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

  func append(_ record: UnsafeRawBufferPointer) throws(Fault) {
    try append(capacity: record.count) {
      $0.copyMemory(from: record)
      return record.count
    }
  }

  /// Ends the appending.
  func finish() throws(Fault) {
    if file == nil {
      if !arena.isInOrder { index = arena.sorted() }
      return
    }
    if arena.count > 0 { try spill() }
    arena.deallocate()
    let fanIn = max(4, memory / SortedRuns.bufferMin)
    while runs.count > fanIn {
      try Fault.attributing(to: directory) { () throws(Errno) in try mergeRuns(by: fanIn) }
    }
  }

  /// Returns a reader of all records in order. Several can read at the same time.
  func makeReader() -> Reader {
    guard let file else { return Reader(arena, index) }
    return Reader(file, runs, buffer: bufferSize, name: directory)
  }

  private var bufferSize: Int {
    min(max(memory / max(runs.count, 1), SortedRuns.bufferMin), SortedRuns.bufferMax)
  }

  // MARK: Runs

  /// Writes the records in memory to the file.
  private func spill() throws(Fault) {
    try Fault.attributing(to: directory) { () throws(Errno) in try writeRun() }
  }

  private func writeRun() throws(Errno) {
    let file = if let file { file } else { try UnnamedFile(in: directory) }
    self.file = file
    let begin = runs.last?.upperBound ?? 0
    var (first, end) = (arena.record(at: 0), arena.lastRecord)
    if arena.isInOrder {
      try file.descriptor.write(all: arena.bytes)
    } else {
      let index = arena.sorted()
      defer { index.deallocate() }
      let writer = BufferedWriter(file.descriptor)
      for entry in index { try writer.append(record: arena.record(at: entry.offset)) }
      try writer.flush()
      first = arena.record(at: index[0].offset)
      end = arena.record(at: index[index.count - 1].offset)
    }
    let run = begin..<begin + arena.bytes.count
    if let before = runs.last, last.withUnsafeBytes({ !RecordArena.precedes(first, $0) }) {
      runs[runs.count - 1] = before.lowerBound..<run.upperBound
    } else {
      runs.append(run)
    }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: end)
    arena.removeAll()
  }

  /// Merges some runs at a time into longer ones, in a new file.
  private func mergeRuns(by fanIn: Int) throws(Errno) {
    guard let file else { return }
    let next = try UnnamedFile(in: directory)
    var merged: [Range<Int>] = []
    for first in stride(from: 0, to: runs.count, by: fanIn) {
      let part = Array(runs[first..<min(first + fanIn, runs.count)])
      let reader = Reader(file, part, buffer: SortedRuns.bufferMin, name: directory)
      let writer = BufferedWriter(next.descriptor)
      while let record = try reader.read() { try writer.append(record: record) }
      try writer.flush()
      let begin = merged.last?.upperBound ?? 0
      merged.append(begin..<begin + writer.count)
    }
    (self.file, runs) = (next, merged)
  }
}

/// A file without a name, closed with the last reference.
private final class UnnamedFile {
  let descriptor: FileDescriptor

  init(in directory: [UInt8]) throws(Errno) {
    descriptor = try DescriptorBudget.retrying { () throws(Errno) in
      try ReplacingFile.unnamed(beside: directory + Array("/weir-sort".utf8))
    }
  }

  deinit { close(descriptor.rawValue) }
}

extension BufferedWriter {
  fileprivate func append(record: UnsafeRawBufferPointer) throws(Errno) {
    try append(capacity: RecordArena.headerSize + record.count) { memory in
      memory.storeBytes(of: UInt32(record.count), as: UInt32.self)
      UnsafeMutableRawBufferPointer(rebasing: memory[RecordArena.headerSize...])
        .copyMemory(from: record)
      return RecordArena.headerSize + record.count
    }
  }
}

/// Records in memory, one after the other, each after its length.
private struct RecordArena {
  /// A record for the sort: the bytes at the place where its records begin to differ, and its offset.
  struct Entry {
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
  private(set) var isInOrder = true

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

  func next(after offset: Int) -> Int? {
    let next = offset + RecordArena.headerSize + record(at: offset).count
    return next < used ? next : nil
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
    if isInOrder && count > 0 {
      isInOrder = !RecordArena.precedes(record(at: offset), record(at: lastOffset))
    }
    lastOffset = offset
    count += 1
  }

  private mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2, 1 << 16)
    guard let larger = realloc(start, capacity) else { fatalError("a sort has no memory") }
    start = larger
  }

  // MARK: Order

  @inline(__always)
  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.order(to: right) < 0
  }

  /// Returns the records in order, in memory that the caller deallocates.
  func sorted() -> UnsafeMutableBufferPointer<Entry> {
    let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count)
    let shared = sharedCount()
    var offset: Int? = 0
    for place in 0..<count {
      guard let begin = offset else { fatalError("a sort has lost a record") }
      entries.initializeElement(
        at: place, to: Entry(prefix: prefix(of: record(at: begin), from: shared), offset: begin))
      offset = next(after: begin)
    }
    var elements = entries
    elements.sort { left, right in
      left.prefix == right.prefix
        ? RecordArena.precedes(record(at: left.offset), record(at: right.offset))
        : left.prefix < right.prefix
    }
    return entries
  }

  /// The number of bytes with which all records begin alike.
  private func sharedCount() -> Int {
    let first = record(at: 0)
    var shared = first.count
    var offset = next(after: 0)
    while let begin = offset {
      let other = record(at: begin)
      shared = min(shared, other.count)
      var same = 0
      while same < shared && first[same] == other[same] { same += 1 }
      shared = same
      offset = next(after: begin)
    }
    return shared
  }

  private func prefix(of record: UnsafeRawBufferPointer, from shared: Int) -> UInt64 {
    if record.count >= shared + 8 {
      return UInt64(bigEndian: record.loadUnaligned(fromByteOffset: shared, as: UInt64.self))
    }
    var value: UInt64 = 0
    for place in shared..<shared + 8 {
      value = value << 8 | (place < record.count ? UInt64(record[place]) : 0)
    }
    return value
  }
}

// MARK: - Reading

extension SortedRuns {
  /// A reader of the records in order. A record is valid until the next one is read.
  final class Reader {
    private let arena: RecordArena
    private let index: UnsafeMutableBufferPointer<RecordArena.Entry>?
    /// The place in the index, or the offset without one.
    private var place: Int?

    private let file: UnnamedFile?
    private let name: [UInt8]
    private let cursors: UnsafeMutableBufferPointer<RunCursor>
    /// The loser at each node of the tree of comparisons; the winner is at 0.
    private let losers: UnsafeMutableBufferPointer<Int>
    private var hasBegun = false

    fileprivate init(_ arena: RecordArena, _ index: UnsafeMutableBufferPointer<RecordArena.Entry>?)
    {
      self.arena = arena
      self.index = index
      place = arena.count > 0 ? 0 : nil
      file = nil
      name = []
      cursors = .allocate(capacity: 0)
      losers = .allocate(capacity: 0)
    }

    fileprivate init(_ file: UnnamedFile, _ runs: [Range<Int>], buffer: Int, name: [UInt8]) {
      arena = RecordArena()
      index = nil
      self.file = file
      self.name = name
      cursors = .allocate(capacity: runs.count)
      losers = .allocate(capacity: runs.count)
      losers.initialize(repeating: 0)
      for (place, run) in runs.enumerated() {
        cursors.initializeElement(
          at: place, to: RunCursor(run, buffer: min(buffer, run.count)))
      }
    }

    deinit {
      for cursor in cursors { cursor.memory.deallocate() }
      cursors.deallocate()
      losers.deallocate()
    }

    /// Returns the next record; `nil` at the end.
    func next() throws(Fault) -> UnsafeRawBufferPointer? {
      do throws(Errno) {
        return try read()
      } catch {
        throw Fault(name, .system(error))
      }
    }

    @inline(__always)
    fileprivate func read() throws(Errno) -> UnsafeRawBufferPointer? {
      guard let file else { return nextInMemory() }
      if hasBegun {
        try cursors[losers[0]].advance(in: file.descriptor)
        replay(losers[0])
      } else {
        hasBegun = true
        for place in cursors.indices { try cursors[place].advance(in: file.descriptor) }
        losers[0] = play(at: 1)
      }
      return cursors[losers[0]].record
    }

    private func nextInMemory() -> UnsafeRawBufferPointer? {
      guard let place else { return nil }
      if let index {
        self.place = place + 1 < index.count ? place + 1 : nil
        return arena.record(at: index[place].offset)
      }
      self.place = arena.next(after: place)
      return arena.record(at: place)
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
      return RecordArena.precedes(one, other)
    }
  }
}

/// A position in a run, and the part of the run that is in memory.
private struct RunCursor {
  /// The record; `nil` at the end.
  private(set) var record: UnsafeRawBufferPointer?
  private(set) var memory: UnsafeMutableRawBufferPointer
  private var rest = 0..<0
  /// The part of the file that is not in memory yet.
  private var unread: Range<Int>

  init(_ run: Range<Int>, buffer: Int) {
    unread = run
    memory = .allocate(byteCount: buffer, alignment: 16)
  }

  @inline(__always)
  mutating func advance(in file: FileDescriptor) throws(Errno) {
    if rest.count < RecordArena.headerSize {
      if rest.isEmpty && unread.isEmpty { return record = nil }
      try fill(RecordArena.headerSize, from: file)
    }
    var length = RecordArena.headerSize
    length += Int(memory.loadUnaligned(fromByteOffset: rest.lowerBound, as: UInt32.self))
    if rest.count < length { try fill(length, from: file) }
    record = UnsafeRawBufferPointer(
      rebasing: memory[rest.lowerBound + RecordArena.headerSize..<rest.lowerBound + length])
    rest = rest.lowerBound + length..<rest.upperBound
  }

  /// Reads until at least `count` bytes are in memory.
  private mutating func fill(_ count: Int, from file: FileDescriptor) throws(Errno) {
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
