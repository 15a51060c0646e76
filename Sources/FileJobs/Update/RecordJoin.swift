// A merge join of earlier records with the files that a walk finds.
//
// DESIGN. Records and files come in the same order, that of the arguments and of the
// walk, so the join reads them in step, with one record in memory. A table of all names
// was rejected: 20 million names take gigabytes.
//
// The order is decided by the source, a number, and below a walked directory by the
// names, compared component by component as the walk sorts them. A record that precedes
// the present file has lost its file; a file that precedes the next record is new.
// However many files have come and gone, every other file is found.
//
// Names from a list are in no order. There the join searches the next few thousand
// records for a name, and takes the records before the match as gone. The first name
// that is not among them makes the join read the rest of the source once, for an index
// of hashes and offsets: 16 bytes for each record. (Rejected: to skip the few thousand
// after as many misses. After a longer gap the distance stays the same forever.) A
// match from the index does not move the read position in the records, until enough
// files in a row were found close after one another. Then the records before them are
// skipped. So one name that has moved loses no record, and after a gap of any length all
// records are found. The same applies if the records do not name their source.
//
// No digest depends on this: a record is used only for a file of exactly its name, its
// size and its time.

internal import SystemPackage

/// A join that finds the records of files in step with a walk.
struct RecordJoin {
  /// The number of records that are searched for a name from a list.
  static let windowMax = 4096
  /// The number of files in a row that are found ahead before the read position moves
  /// there.
  static let outOfOrderMax = 64
  /// The largest distance, in bytes, between records that are close.
  private static let closeness: Int64 = 1 << 18

  private let reader: RecordReader
  /// Returns true if a source is one path, below which the names are sorted.
  private let isOrdered: (Int) -> Bool
  /// The source of records that do not name theirs.
  private let onlySource: Int?
  /// The next record, which is the reader's last one.
  private var head: UnsafePointer<FileRecord>?
  private var isRead = false
  /// Records that were read ahead. They precede `head`.
  private var window = RecordWindow()
  /// The index of the present source, once it was needed.
  private var index: RecordIndex?
  /// The end of the last record that was found out of order.
  private var lastOutOfOrder: Int64 = 0
  /// The number of records found out of order, each close after the one before.
  private var outOfOrderCount = 0

  /// A record that was found, valid until the next one is searched.
  enum Match {
    case record(UnsafePointer<FileRecord>)
    /// A ``PackedRecord``.
    case packed([UInt8])

    /// The number of bytes of the record when it is packed.
    var length: Int {
      switch self {
      case .record(let file): PackedRecord.length(of: file.pointee)
      case .packed(let bytes): bytes.count
      }
    }

    /// Packs the record into memory of `length` bytes.
    func write(to memory: UnsafeMutableRawBufferPointer) {
      switch self {
      case .record(let file): PackedRecord.write(file.pointee, to: memory)
      case .packed(let bytes): memory.copyBytes(from: bytes)
      }
    }
  }

  /// - Parameters:
  ///   - reader: The records.
  ///   - onlySource: The source of records that do not name theirs, if there is only one
  ///     source.
  ///   - isOrdered: Returns true if a source is a path, whose files come in the order of
  ///     a walk, and false if it is a list.
  init(
    _ reader: RecordReader, onlySource: Int? = nil, isOrdered: @escaping (Int) -> Bool
  ) {
    self.reader = reader
    self.onlySource = onlySource
    self.isOrdered = isOrdered
  }

  /// Returns the position of the first record that was not skipped or found.
  func position() -> RecordPosition {
    window.first?.before ?? head?.pointee.before ?? reader.position
  }

  /// Returns the record of a file; `nil` if there is none.
  ///
  /// Must be called for the files in the order of the walk.
  mutating func find(
    _ name: UnsafeRawBufferPointer, source: Int
  ) throws(Errno) -> Match? {
    while true {
      if window.isEmpty { try read() }
      switch relationOfFirst(to: name, source) {
      case .before: if window.isEmpty { skipHead() } else { skip(1) }
      case .after, nil: return nil
      case .same: return takeFirst()
      case .unknown: return try searchAhead(name, source)
      }
    }
  }

  // MARK: Order

  /// The place of a record relative to a file.
  private enum Relation {
    case before, same, after
    /// The names are in no order.
    case unknown
  }

  /// Returns the relation of the next record; `nil` if there is none.
  private func relationOfFirst(to name: UnsafeRawBufferPointer, _ source: Int) -> Relation? {
    if window.isEmpty {
      guard let head else { return nil }
      return relation(
        of: head.pointee.source ?? onlySource, head.pointee.name, to: name, source)
    }
    guard let first = window.first else { return nil }
    return first.name.withUnsafeBytes {
      relation(of: first.source ?? onlySource, $0, to: name, source)
    }
  }

  private func relation(
    of recordSource: Int?, _ recordName: UnsafeRawBufferPointer,
    to name: UnsafeRawBufferPointer, _ source: Int
  ) -> Relation {
    if let recordSource, recordSource != source {
      return recordSource < source ? .before : .after
    }
    let order = WalkOrder.compare(recordName, name)
    if order == 0 { return .same }
    guard recordSource != nil, isOrdered(source) else { return .unknown }
    return order < 0 ? .before : .after
  }

  // MARK: One record at a time

  private mutating func read() throws(Errno) {
    guard !isRead else { return }
    head = try reader.advance() ? reader.record : nil
    isRead = true
  }

  private mutating func skipHead() {
    isRead = false
    head = nil
  }

  /// Takes the next record; `nil` if there is none.
  private mutating func takeFirst() -> Match? {
    if window.isEmpty {
      guard let file = head else { return nil }
      outOfOrderCount = 0
      skipHead()
      return .record(file)
    }
    outOfOrderCount = 0
    return window.removeFirst().map { .packed($0.packed) }
  }

  // MARK: The window

  private mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = window.removeFirst() }
  }

  private mutating func searchAhead(
    _ name: UnsafeRawBufferPointer, _ source: Int
  ) throws(Errno) -> Match? {
    try fillWindow(source)
    if let distance = window.find(name) {
      skip(distance)
      return takeFirst()
    }
    guard let first = window.first else { return nil }
    let key = first.source ?? onlySource
    if index?.source != key || index == nil {
      // A window that is not full has the whole rest of the source.
      guard window.count >= RecordJoin.windowMax else { return nil }
      index = try RecordIndex(reader.copy(from: first.before), source: key, onlySource)
    }
    return try findOutOfOrder(name, from: first.before.offset)
  }

  /// Reads ahead, up to the end of the source.
  private mutating func fillWindow(_ source: Int) throws(Errno) {
    while window.count < RecordJoin.windowMax {
      try read()
      guard let file = head?.pointee else { return }
      if let recordSource = file.source ?? onlySource, recordSource != source { return }
      window.append(file)
      skipHead()
    }
  }

  // MARK: The index

  private mutating func findOutOfOrder(
    _ name: UnsafeRawBufferPointer, from begin: Int64
  ) throws(Errno) -> Match? {
    guard let position = index?.find(name, from: begin) else { return nil }
    let other = reader.copy(from: position)
    guard let file = try other.next(), WalkOrder.compare(file.name, name) == 0 else {
      return nil
    }
    let distance = file.before.offset - lastOutOfOrder
    let isClose = distance >= 0 && distance < RecordJoin.closeness && position.offset >= begin
    outOfOrderCount = isClose ? outOfOrderCount + 1 : 1
    lastOutOfOrder = file.after.offset
    // The record points into the memory of a reader that ends with this call.
    let packed = withExtendedLifetime(other) { PackedRecord.bytes(of: file, isOutOfOrder: true) }
    if outOfOrderCount > RecordJoin.outOfOrderMax { return try skipTo(position) }
    return .packed(packed)
  }

  /// Skips the records before a position, and takes the record there.
  private mutating func skipTo(_ position: RecordPosition) throws(Errno) -> Match? {
    skip(window.count)
    while true {
      try read()
      guard let head, head.pointee.before.offset < position.offset else { break }
      skipHead()
    }
    return takeFirst()
  }
}

/// A queue of records that were read ahead, searchable by name.
private struct RecordWindow {
  struct Element {
    let name: [UInt8]
    let source: Int?
    let before: RecordPosition
    let packed: [UInt8]
  }

  private var records: [Element?] = []
  /// The number of removed elements at the beginning of the array.
  private var begin = 0
  /// The number of each name's first record, counted from the first record ever added.
  private var numbers: [[UInt8]: Int] = [:]
  private var removedCount = 0

  var count: Int { records.count - begin }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : records[begin] }

  mutating func append(_ file: FileRecord) {
    let name = Array(file.name)
    if numbers[name] == nil { numbers[name] = removedCount + count }
    records.append(
      Element(
        name: name, source: file.source, before: file.before, packed: PackedRecord.bytes(of: file)))
  }

  mutating func removeFirst() -> Element? {
    guard let first else { return nil }
    if numbers[first.name] == removedCount { numbers[first.name] = nil }
    removedCount += 1
    records[begin] = nil
    begin += 1
    if begin == records.count {
      records.removeAll(keepingCapacity: true)
      begin = 0
    } else if begin >= RecordJoin.windowMax {
      records.removeFirst(begin)
      begin = 0
    }
    return first
  }

  /// Returns the number of records before the first one of a name.
  func find(_ name: UnsafeRawBufferPointer) -> Int? {
    numbers[Array(name)].map { $0 - removedCount }
  }
}

/// An index of the records of one source, by the hashes of their names.
private struct RecordIndex {
  /// The source; `nil` if the records do not name it.
  let source: Int?
  private var entries: [Entry] = []
  /// The seed of the hashes, another one in each run of the program.
  private let seed = Hasher()

  private struct Entry {
    let hash: UInt64
    /// Twice the offset, plus 1 if the names there are bare.
    let position: Int64

    func precedes(_ hash: UInt64, _ position: Int64) -> Bool {
      self.hash == hash ? self.position < position : self.hash < hash
    }
  }

  /// - Parameters:
  ///   - reader: A reader at the first record of the source.
  ///   - source: The source.
  ///   - onlySource: As of ``RecordJoin``.
  init(_ reader: RecordReader, source: Int?, _ onlySource: Int?) throws(Errno) {
    self.source = source
    while let file = try reader.next() {
      if (file.source ?? onlySource) != source { break }
      let position = file.before.offset * 2 + (file.before.isBare ? 1 : 0)
      entries.append(Entry(hash: hash(of: file.name), position: position))
    }
    entries.sort { $0.precedes($1.hash, $1.position) }
  }

  private func hash(of name: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = seed
    hasher.combine(bytes: name)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Returns the position of a name's record: the first one from an offset on, or else
  /// the last one before that offset.
  func find(_ name: UnsafeRawBufferPointer, from offset: Int64) -> RecordPosition? {
    let hash = hash(of: name)
    let next = entries.indices.binarySearch { !entries[$0].precedes(hash, offset * 2) }
    for candidate in [next, next - 1]
    where entries.indices.contains(candidate) && entries[candidate].hash == hash {
      let position = entries[candidate].position
      return RecordPosition(offset: position >> 1, source: source, isBare: position & 1 != 0)
    }
    return nil
  }
}
