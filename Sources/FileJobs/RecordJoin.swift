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
// next few thousand; what lies before it is taken to be gone. Where as many files
// in a row are not found, what is looked through is let go, so that a gap of any
// length ends: then some files are taken for new that are not, and are read again.
// The same is done where records do not say their source.
//
// Nothing here is relied upon for a digest: a record is used for the file of the
// very name it has, of the size and time it has.

#if Tool
  internal import SystemPackage

  /// Goes through records in step with a walk.
  struct RecordJoin {
    /// How far a name of a list is looked for.
    static let windowMax = 4096

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
    /// How many files in a row were not found in a full window.
    private var misses = 0
    /// How many records were passed over since the last one that was found.
    private var passed: UInt64 = 0
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
      passed += 1
    }

    private mutating func takeHead() -> Bool {
      guard let file = head else { return false }
      note.removeAll(keepingCapacity: true)
      RecordNote.append(file, passed: passed, to: &note)
      isRead = false
      head = nil
      return found()
    }

    private mutating func found() -> Bool {
      passed = 0
      misses = 0
      return true
    }

    // MARK: Ahead

    private mutating func takeFirst() -> Bool {
      guard let first = window.removeFirst() else { return false }
      note = first.note
      RecordNote.set(passed: passed, in: &note)
      return found()
    }

    private mutating func pass(_ count: Int) {
      for _ in 0..<count { _ = window.removeFirst() }
      passed += UInt64(count)
    }

    private mutating func lookAhead(
      _ name: UnsafeRawBufferPointer, _ source: Int
    ) throws(Errno) -> Bool {
      try fill(source)
      if let distance = window.find(name) {
        pass(distance)
        return takeFirst()
      }
      misses += 1
      if misses >= RecordJoin.windowMax && window.count >= RecordJoin.windowMax {
        pass(window.count)
        misses = 0
      }
      return false
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
      RecordNote.append(file, passed: 0, to: &note)
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
#endif
