// A join of earlier records with the files that a run finds.
//
// DESIGN. If all sources are the same paths, records and files come in the same order, that of the
// arguments and of the walk, so the join reads them in step, with one record in memory. A
// table of all names was rejected: 20 million names take gigabytes. The order is decided by
// the source, a number, and below a walked directory by the names, compared component by
// component as the walk sorts them. A record that precedes the present file has lost its
// file; a file that precedes the next record is new.
//
// Names from a list are in no order, and those of other PATHs, of another working directory or
// of another program are in another one. There the join compares a file with the next record,
// and the first file that differs makes it read all records once, for an index of hashes and
// offsets: 16 bytes for each record. A match from the index moves the read position there,
// since the names after it often come in the same order. (Rejected: to search a window of
// records and to take those before a match as gone. A name that moved to the front of a list
// lost all others.)
//
// No digest depends on this: a record is used only for a file of its name, its size and its
// time.

internal import SystemPackage

/// A join that finds the records of files.
struct RecordJoin {
  private let reader: RecordReader
  /// True if records and files come in the same order.
  private let isInStep: Bool
  /// The names of the records, and those of the files.
  private let names: RecordNames
  private let now: RecordNames
  /// The next record, which is the reader's last one.
  private var head: UnsafePointer<FileRecord>?
  private var isRead = false
  /// The index of all records, once it was needed.
  private var index: RecordIndex?

  /// - Parameters:
  ///   - isInStep: True if records and files come in the same order, and all records name
  ///     their source.
  init(
    _ reader: RecordReader, isInStep: Bool, names: RecordNames = RecordNames(directory: []),
    now: RecordNames = RecordNames(directory: [])
  ) {
    self.reader = reader
    self.isInStep = isInStep
    self.names = names
    self.now = now
  }

  /// Returns the position of the first record that was not skipped or found.
  func position() -> RecordPosition {
    head?.pointee.before ?? reader.position
  }

  /// Returns the record of a file, valid until the next one is searched; `nil` if there is
  /// none.
  mutating func find(
    _ name: UnsafeRawBufferPointer, source: Int
  ) throws(Errno) -> UnsafePointer<FileRecord>? {
    while true {
      try read()
      guard isInStep else { return try findByName(name) }
      guard let head else { return nil }
      let order = order(of: head, to: name, source)
      if order == 0 { return takeHead() }
      if order > 0 { return nil }
      _ = takeHead()
    }
  }

  private func order(
    of record: UnsafePointer<FileRecord>, to name: UnsafeRawBufferPointer, _ source: Int
  ) -> Int {
    let recordSource = record.pointee.source ?? source
    if recordSource != source { return recordSource < source ? -1 : 1 }
    return Int(WalkOrder.compare(record.pointee.name, name))
  }

  private mutating func read() throws(Errno) {
    guard !isRead else { return }
    head = try reader.advance() ? reader.record : nil
    isRead = true
  }

  private mutating func takeHead() -> UnsafePointer<FileRecord>? {
    defer {
      isRead = false
      head = nil
    }
    return head
  }

  // MARK: Names in no order

  private mutating func findByName(
    _ name: UnsafeRawBufferPointer
  ) throws(Errno) -> UnsafePointer<FileRecord>? {
    if names == now, let head, head.pointee.name.hasSameBytes(as: name) { return takeHead() }
    let path = now.path(of: name)
    if let head, path == names.path(of: head.pointee.name) { return takeHead() }
    if index == nil { index = try RecordIndex(reader.copy(from: RecordPosition()), names) }
    guard let index else { return nil }
    for position in index.positions(of: path) {
      reader.move(to: position)
      isRead = false
      try read()
      if let head, path == names.path(of: head.pointee.name) { return takeHead() }
    }
    return nil
  }
}

/// An index of records by the hashes of their paths.
struct RecordIndex {
  private var entries: [Entry] = []
  /// The seed of the hashes, another one in each run of the program.
  private let seed = Hasher()

  private struct Entry {
    let hash: UInt64
    /// As of ``RecordPosition/place``.
    let position: Int64
  }

  /// - Parameters:
  ///   - reader: A reader at the first record.
  ///   - names: The names of the records.
  ///   - hasDirectories: True if a record is found by the directories of its path, too.
  init(
    _ reader: RecordReader, _ names: RecordNames, hasDirectories: Bool = false
  ) throws(Errno) {
    while let file = try reader.next() {
      let position = file.before.place
      let path = names.path(of: file.name)
      entries.append(Entry(hash: hash(of: path), position: position))
      if !hasDirectories { continue }
      for parent in RecordNames.directories(of: path) {
        entries.append(Entry(hash: hash(of: parent.path), position: position))
      }
    }
    entries.sort { $0.hash == $1.hash ? $0.position < $1.position : $0.hash < $1.hash }
  }

  private func hash(of path: [UInt8]) -> UInt64 {
    var hasher = seed
    path.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Returns the positions of the records that a path may have, in the order of the records.
  func positions(of path: [UInt8]) -> [RecordPosition] {
    let hash = hash(of: path)
    let first = entries.indices.binarySearch { entries[$0].hash >= hash }
    return entries[first...].prefix { $0.hash == hash }.map {
      RecordPosition(place: $0.position)
    }
  }
}
