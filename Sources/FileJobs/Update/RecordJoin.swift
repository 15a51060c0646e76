// Finding what was recorded of the files that a walk finds.
//
// DESIGN. Both come in the same order, that of the arguments and of the walk, so
// they are gone through in step: a merge join, with one record in memory. A table
// of all names was rejected: 20 million take gigabytes.
//
// Which comes first is told by the source, a number, and below a walked directory
// by the names, compared component by component as the walk sorts them: a record
// that would come before the file has lost its own, and a file that would come
// before the record is new. However much has come and gone, nothing else is
// missed.
//
// Names that a list gives are in no order. There a record is looked for among the
// next few thousand; what lies before it is taken to be gone. The first name that is
// not among them has the rest of the source gone through, once, for an index of
// hashes and offsets: 16 bytes for each record. (To let the few thousand go after as
// many misses was rejected: behind a longer gap the distance stays the same for ever.)
// What the index finds is taken out of its turn, and the place in the records stays;
// until enough files in a row were found one close behind the other. Then what lies
// before them is passed. So one name that has moved loses nothing, and behind a gap
// of any length all is found. The same is done where records do not say their source.
//
// Nothing here is relied upon for a digest: a record is used for the file of the
// very name it has, of the size and time it has.

internal import SystemPackage

/// Goes through records in step with a walk.
struct RecordJoin {
  /// How far a name of a list is looked for.
  static let windowMax = 4096
  /// How many files in a row are found further ahead until that is where to go on.
  static let asideMax = 64
  /// How far, in bytes, records lie apart that are close.
  private static let closeness: Int64 = 1 << 18

  private let reader: RecordReader
  /// Whether a source is one path: what is below it is sorted.
  private let isOrdered: (Int) -> Bool
  /// The source that records mean which do not say it.
  private let onlySource: Int?
  /// The next record; it points into the memory of the reader.
  private var head: FileRecord?
  private var isRead = false
  /// Records that were read ahead, if any were: the first of them come before
  /// `head`.
  private var window = RecordWindow()
  /// All records of the source that is gone through, once it was needed.
  private var index: RecordIndex?
  /// The last record that was found out of its turn, and how many were, each close
  /// behind the one before.
  private var lastAside: Int64 = 0
  private var asideCount = 0
  /// What was found, packed.
  private(set) var note: [UInt8] = []

  /// - Parameters:
  ///   - reader: The records.
  ///   - onlySource: The source of those that do not say theirs, where there is
  ///     but one.
  ///   - isOrdered: Whether a source is a path, whose files come in the order of
  ///     a walk; else it is a list.
  init(
    _ reader: RecordReader, onlySource: Int? = nil, isOrdered: @escaping (Int) -> Bool
  ) {
    self.reader = reader
    self.onlySource = onlySource
    self.isOrdered = isOrdered
  }

  /// Where the first record begins that was not passed.
  func place() -> RecordPlace {
    window.first?.before ?? head?.before ?? reader.place
  }

  /// Looks for the record of a file. Whether there is one, which is then `note`,
  /// and is passed.
  ///
  /// To be called for the files in the order of the walk.
  mutating func find(
    _ name: UnsafeRawBufferPointer, source: Int
  ) throws(Errno) -> Bool {
    while true {
      if window.isEmpty {
        try read()
        guard let head else { return false }
        switch relation(of: head.source ?? onlySource, head.entry.name, to: name, source) {
        case .before: passHead()
        case .behind: return false
        case .same: return takeHead()
        case .elsewhere: return try lookAhead(name, source)
        }
      } else {
        guard let first = window.first else { return false }
        let relation = first.name.withUnsafeBytes {
          self.relation(of: first.source ?? onlySource, $0, to: name, source)
        }
        switch relation {
        case .before: pass(1)
        case .behind: return false
        case .same: return takeFirst()
        case .elsewhere: return try lookAhead(name, source)
        }
      }
    }
  }

  // MARK: Order

  private enum Relation {
    case before, same, behind
    /// Who knows.
    case elsewhere
  }

  private func relation(
    of itsSource: Int?, _ itsName: UnsafeRawBufferPointer, to name: UnsafeRawBufferPointer,
    _ source: Int
  ) -> Relation {
    if let itsSource, itsSource != source { return itsSource < source ? .before : .behind }
    let order = WalkOrder.compare(itsName, name)
    if order == 0 { return .same }
    guard itsSource != nil, isOrdered(source) else { return .elsewhere }
    return order < 0 ? .before : .behind
  }

  // MARK: One at a time

  private mutating func read() throws(Errno) {
    guard !isRead else { return }
    head = try reader.next()
    isRead = true
  }

  private mutating func passHead() {
    isRead = false
    head = nil
  }

  private mutating func takeHead() -> Bool {
    guard let file = head else { return false }
    note.removeAll(keepingCapacity: true)
    RecordNote.append(file, to: &note)
    isRead = false
    head = nil
    return found()
  }

  private mutating func found() -> Bool {
    asideCount = 0
    return true
  }

  // MARK: Ahead

  private mutating func takeFirst() -> Bool {
    guard let first = window.removeFirst() else { return false }
    note = first.note
    return found()
  }

  private mutating func pass(_ count: Int) {
    for _ in 0..<count { _ = window.removeFirst() }
  }

  private mutating func lookAhead(
    _ name: UnsafeRawBufferPointer, _ source: Int
  ) throws(Errno) -> Bool {
    try fill(source)
    if let distance = window.find(name) {
      pass(distance)
      return takeFirst()
    }
    guard let first = window.first else { return false }
    let key = first.source ?? onlySource
    if index?.source != key || index == nil {
      // All that there is of the source is in the window.
      guard window.count >= RecordJoin.windowMax else { return false }
      index = try RecordIndex(reader.again(from: first.before), source: key, onlySource)
    }
    return try findAside(name, from: first.before.offset)
  }

  // MARK: Out of turn

  private mutating func findAside(
    _ name: UnsafeRawBufferPointer, from begin: Int64
  ) throws(Errno) -> Bool {
    guard let place = index?.find(name, from: begin) else { return false }
    let other = reader.again(from: place)
    guard let file = try other.next(), WalkOrder.compare(file.entry.name, name) == 0 else {
      return false
    }
    let distance = file.before.offset - lastAside
    let isClose = distance >= 0 && distance < RecordJoin.closeness && place.offset >= begin
    asideCount = isClose ? asideCount + 1 : 1
    lastAside = file.after.offset
    if asideCount > RecordJoin.asideMax { return try goOn(at: place) }
    note.removeAll(keepingCapacity: true)
    RecordNote.append(file, isAside: true, to: &note)
    return true
  }

  /// Passes what lies before a place, and takes the record there.
  private mutating func goOn(at place: RecordPlace) throws(Errno) -> Bool {
    pass(window.count)
    while true {
      try read()
      guard let head, head.before.offset < place.offset else { break }
      passHead()
    }
    return takeHead()
  }

  /// Reads ahead, within the source.
  private mutating func fill(_ source: Int) throws(Errno) {
    while window.count < RecordJoin.windowMax {
      try read()
      guard let file = head else { return }
      if let its = file.source ?? onlySource, its != source { return }
      window.append(file)
      isRead = false
      head = nil
    }
  }
}

/// Records that were read ahead.
private struct RecordWindow {
  struct Kept {
    let name: [UInt8]
    let source: Int?
    let before: RecordPlace
    let note: [UInt8]
  }

  private var records: [Kept?] = []
  /// How many of them are gone.
  private var begin = 0
  /// Where a name stands first, as a number that goes on.
  private var places: [[UInt8]: Int] = [:]
  private var removed = 0

  var count: Int { records.count - begin }
  var isEmpty: Bool { count == 0 }
  var first: Kept? { isEmpty ? nil : records[begin] }

  mutating func append(_ file: FileRecord) {
    var note: [UInt8] = []
    RecordNote.append(file, to: &note)
    let name = Array(file.entry.name)
    if places[name] == nil { places[name] = removed + count }
    records.append(
      Kept(name: name, source: file.source, before: file.before, note: note))
  }

  mutating func removeFirst() -> Kept? {
    guard let first else { return nil }
    if places[first.name] == removed { places[first.name] = nil }
    removed += 1
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

  /// How far behind the first one of a name stands.
  func find(_ name: UnsafeRawBufferPointer) -> Int? {
    places[Array(name)].map { $0 - removed }
  }
}

/// Where records of one source are, by their names.
private struct RecordIndex {
  /// Of the records; `nil` where they do not say it.
  let source: Int?
  private var entries: [Entry] = []
  /// Other hashes in each run of the program.
  private let seed = Hasher()

  private struct Entry {
    let hash: UInt64
    /// Twice the offset, and 1 where what is there is bare.
    let place: Int64

    func precedes(_ hash: UInt64, _ place: Int64) -> Bool {
      self.hash == hash ? self.place < place : self.hash < hash
    }
  }

  /// - Parameters:
  ///   - reader: Reads the records, up to the end of the source.
  ///   - source: Which that is.
  ///   - onlySource: As of ``RecordJoin``.
  init(_ reader: RecordReader, source: Int?, _ onlySource: Int?) throws(Errno) {
    self.source = source
    while let file = try reader.next() {
      if (file.source ?? onlySource) != source { break }
      let place = file.before.offset * 2 + (file.before.isBare ? 1 : 0)
      entries.append(Entry(hash: hash(of: file.entry.name), place: place))
    }
    entries.sort { $0.precedes($1.hash, $1.place) }
  }

  private func hash(of name: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = seed
    hasher.combine(bytes: name)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Before the record of a name: the first one from an offset on, or else the last
  /// one before that.
  func find(_ name: UnsafeRawBufferPointer, from offset: Int64) -> RecordPlace? {
    let hash = hash(of: name)
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].precedes(hash, offset * 2) { low = middle + 1 } else { high = middle }
    }
    for candidate in [low, low - 1]
    where entries.indices.contains(candidate) && entries[candidate].hash == hash {
      let place = entries[candidate].place
      return RecordPlace(offset: place >> 1, source: source, isBare: place & 1 != 0)
    }
    return nil
  }
}

/// The order of a walk.
enum WalkOrder {
  private static let slash = UInt8(ascii: "/")

  /// Below 0 where the first name comes before the second one, 0 where they are
  /// the same: a slash before every other byte.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    var index = 0
    while index < count && left[index] == right[index] { index += 1 }
    if index == count { return left.count - right.count }
    let (one, other) = (left[index], right[index])
    if one == slash { return -1 }
    if other == slash { return 1 }
    return Int(one) - Int(other)
  }
}
