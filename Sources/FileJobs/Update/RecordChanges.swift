// The changed files of an update. A refused update reports none.
//
// DESIGN. The names are in a file without a name, so that memory does not grow with them. With a
// limit of few descriptors there is none to spare for it: then they are in memory.
//
// A file that a record may have had under another name is an entry with the places of such
// records, and a gone record is one with its own. Only the end of the run shows which records are
// gone, so only then each of them gets at most one file: first the files that it tells without
// their content, then the others, both in the order of the run. (Rejected: to decide when the
// file is found. A copy that the walk finds first would take the record of the renamed file.)
// This takes about 40 bytes of memory for a moved file.

package import SystemPackage
internal import Weir
internal import WeirLibC

/// The changes that an update finds, which are reported once the manifest is replaced.
///
/// @unchecked Sendable: one thread at a time appends and reads.
package final class RecordChanges: @unchecked Sendable {
  /// A file whose record an update would lose.
  package enum Loss {
    /// A file that would be gone under one name and new under another.
    case renamed(from: [UInt8], to: [UInt8])
    /// A rotten file that would be gone, although it is there or cannot be examined.
    case rotten([UInt8], Errno?)
    /// A rotten file that would be gone or edited, and a new, edited or unreadable file of its size
    /// and time.
    case rot(of: [UInt8], in: [UInt8])
  }

  /// A changed file as it is kept.
  private struct Entry {
    let change: RecordChange
    let wasRotten: Bool
    /// True if a record tells that the file has moved, without its content.
    let isTold: Bool
    let name: UnsafeRawBufferPointer
    /// Of a gone record its place, its end, the hash of its size and time and the numbers of its
    /// sources; of an edited file that was rotten this hash; of a file that may have moved the
    /// places of its records.
    let numbers: [Int64]

    /// The hash of the size and the time of a rotten file.
    var hash: Int64? { wasRotten ? numbers[change.isGone ? 2 : 0] : nil }

    static let rotten: UInt8 = 0x80
    static let told: UInt8 = 0x40

    init?(_ line: UnsafeRawBufferPointer) {
      let flags = Entry.rotten | Entry.told
      guard let kind = line.first, let change = RecordChange(rawValue: kind & ~flags),
        let end = line.dropFirst().firstIndex(of: UInt8(ascii: " "))
      else { return nil }
      self.change = change
      (wasRotten, isTold) = (kind & Entry.rotten != 0, kind & Entry.told != 0)
      name = UnsafeRawBufferPointer(rebasing: line[(end + 1)...])
      numbers = line[1..<end].split(separator: UInt8(ascii: ",")).compactMap {
        UInt64(decimal: $0).map { Int64($0) }
      }
    }

    var isMove: Bool { change == .moved || change == .movedRot }
  }

  private let name: [UInt8]
  private let manifest: PreviousManifest?
  private var memory: [UInt8] = []
  private let descriptor: FileDescriptor?
  private let writer: BufferedWriter?
  private static let fewDescriptors: Int32 = 16
  private var kinds: Set<RecordChange> = []
  private var (hasGone, hasRot) = (false, false)
  /// The number of the moved file, from 1, that has the record of a place.
  private var moves: [Int64: Int] = [:]

  /// Called before the output has a text, which takes the same name.
  package init(of output: OutputFile, manifest: PreviousManifest?) throws(Fault) {
    name = RecordChanges.scratchName(of: output)
    self.manifest = manifest
    descriptor = try RecordChanges.scratch(of: output)
    writer = descriptor.map { BufferedWriter($0) }
  }

  deinit { if let descriptor { close(descriptor.rawValue) } }

  static func scratchName(of output: OutputFile) -> [UInt8] { output.path + ".partial.text".utf8 }

  /// Creates a file without a name beside an output; returns `nil` with a limit of few descriptors.
  static func scratch(of output: OutputFile) throws(Fault) -> FileDescriptor? {
    if getdtablesize() <= fewDescriptors { return nil }
    let name = scratchName(of: output)
    return try Fault.of(name, try ReplacingFile.unnamed(beside: name))
  }

  /// Appends a changed file.
  func append(_ file: UnsafeRawBufferPointer, _ change: RecordChange) throws(Fault) {
    try append(file, change, change.rawValue, [])
  }

  /// Appends an edited file that was rotten.
  func append(_ file: UnsafeRawBufferPointer, editedSince rotten: PackedRecord) throws(Fault) {
    hasRot = true
    try append(
      file, .edited, RecordChange.edited.rawValue | Entry.rotten,
      [RecordChanges.hash(rotten.size, rotten.time)])
  }

  /// Returns a hash of a size and a time; 0 without them.
  static func hash(_ size: UInt64?, _ time: FileTime?) -> Int64 {
    guard let size, let time else { return 0 }
    return Int64(MoveIndex.hash(size, time) >> 1)
  }

  /// Appends a file that records may have had under another name.
  ///
  /// - Parameters:
  ///   - places: The places of the records, the likeliest first.
  ///   - isTold: True if they tell it without the content of the file.
  func append(
    _ file: UnsafeRawBufferPointer, _ change: RecordChange, of places: [Int64], isTold: Bool
  ) throws(Fault) {
    try append(file, change, change.rawValue | (isTold ? Entry.told : 0), places)
  }

  /// Appends a record whose file is gone or became a link, under its present name.
  func append(
    _ change: RecordChange, _ file: UnsafeRawBufferPointer, _ record: FileRecord, sources: [Int]
  ) throws(Fault) {
    if record.isRotten { hasRot = true }
    hasGone = true
    let hash = RecordChanges.hash(record.line.size, record.line.time)
    try append(
      file, change, change.rawValue | (record.isRotten ? Entry.rotten : 0),
      [record.before.place, record.after.offset, hash] + sources.map { Int64($0) })
  }

  private func append(
    _ file: UnsafeRawBufferPointer, _ change: RecordChange, _ kind: UInt8, _ numbers: [Int64]
  ) throws(Fault) {
    kinds.insert(change)
    let fields = numbers.map { "\($0)" }.joined(separator: ",")
    let line = [kind] + fields.utf8 + [UInt8(ascii: " ")] + file + [0]
    guard let writer else { return memory += line }
    try Fault.of(name, try writer.append(line))
  }

  // MARK: Moves

  /// The moved files of a run.
  struct Moves {
    /// All files, those without rot, and those whose former name is that of a link.
    var all: UInt64 = 0
    var intact: UInt64 = 0
    var linked: UInt64 = 0
    /// By source: the number of records that would be gone.
    var bySource: [Int: UInt64] = [:]
  }

  /// Gives gone records to the files that may have moved. Called once, when all are known.
  func assignMoves() throws -> Moves {
    var moves = Moves()
    guard hasGone, !kinds.isDisjoint(with: [.moved, .movedRot]) else { return moves }
    var gone = RecordMatches()
    try forEachEntry { entry in
      if entry.change.isGone { gone.insert(entry.numbers[0] >> 1..<entry.numbers[1]) }
    }
    gone.sort()
    for isTold in [true, false] {
      var number = 0
      try forEachEntry { entry in
        guard entry.isMove else { return }
        number += 1
        let free = entry.numbers.first { self.moves[$0] == nil && gone.contains($0 >> 1) }
        guard entry.isTold == isTold, let free else { return }
        self.moves[free] = number
        moves.all += 1
        if entry.change == .moved { moves.intact += 1 }
      }
    }
    try forEachEntry { entry in
      guard entry.change.isGone, self.moves[entry.numbers[0]] != nil else { return }
      if entry.change == .linked { moves.linked += 1 }
      for source in entry.numbers[3...] { moves.bySource[Int(source), default: 0] += 1 }
    }
    return moves
  }

  /// Returns the first file, in the order of the run, that the record of each place tells.
  func firstTold(_ places: Set<Int64>) throws -> [(place: Int64, name: [UInt8])] {
    if places.isEmpty { return [] }
    var rest = places
    var found: [(place: Int64, name: [UInt8])] = []
    try forEachEntry { entry in
      guard entry.isMove, entry.isTold, let place = entry.numbers.first, rest.remove(place) != nil
      else { return }
      found.append((place, Array(entry.name)))
    }
    return found
  }

  /// Calls `body` with the name of each changed file, in the order of the run, and with the former
  /// name of one that was moved.
  package func forEach(
    _ body: (UnsafeRawBufferPointer, RecordChange, _ former: [UInt8]?) throws -> Void
  ) throws {
    let reader = manifest?.reader()
    try forEachMoved { entry, change, place in
      guard let place, let reader, let manifest else {
        return try body(entry.name, change, nil)
      }
      if reader.position.place != place { reader.move(to: RecordPosition(place: place)) }
      let record = try Fault.of(manifest.name, try reader.next())
      try body(entry.name, change, record.map { manifest.presentName(of: $0).name })
    }
  }

  /// Calls `body` with each changed file as the moves are assigned, and with the place of its
  /// record if it was moved.
  private func forEachMoved(
    _ body: (Entry, RecordChange, _ place: Int64?) throws -> Void
  ) throws {
    var number = 0
    try forEachEntry { entry in
      if entry.isMove {
        number += 1
        var place = entry.numbers.first { moves[$0] == number }
        // The record of a rotten file stays, so that a second copy has it too.
        if entry.change == .movedRot { place = place ?? entry.numbers.first }
        try body(entry, place == nil ? .new : entry.change, place)
      } else if !entry.change.isGone || moves[entry.numbers[0]] == nil {
        try body(entry, entry.change, nil)
      }
    }
  }

  // MARK: Entries

  private func forEachEntry(_ body: (Entry) throws -> Void) throws {
    try memory.withUnsafeBytes { bytes in
      for line in bytes.split(separator: 0) {
        if let entry = Entry(UnsafeRawBufferPointer(rebasing: line)) { try body(entry) }
      }
    }
    guard let descriptor, let writer else { return }
    try Fault.of(name, try writer.flush())
    let lines = ManifestReader(descriptor, from: 0, terminator: 0, lengthMax: .max)
    while let line = try Fault.of(name, try lines.next()) {
      if let entry = Entry(UnsafeRawBufferPointer(line)) { try body(entry) }
    }
  }

  // MARK: Losses

  /// The records that an update would drop.
  private struct Dropped {
    /// The names of gone files that are there under that name.
    var present: [FileIdentity: [UInt8]] = [:]
    /// The names of rotten files that would be gone or edited, by the hash of their size and time.
    var rotten: [Int64: [UInt8]] = [:]
    /// The first rotten file that would be gone, and is there or cannot be examined.
    var loss: Loss?
  }

  /// Returns a file whose record the update would lose; `nil` if there is none.
  ///
  /// The files are compared, not the names: a path may lead through a symbolic link.
  ///
  /// - Parameter unread: Files without a record that could not be read, by ``hash(of:)``.
  package func firstLoss(unread: [Int64: [UInt8]]) throws -> Loss? {
    let hasNew = !kinds.isDisjoint(with: [.new, .moved])
    guard hasRot || hasNew && hasGone else { return nil }
    let dropped = try dropped(besidesNew: hasNew)
    var loss = dropped.loss
    for (hash, file) in unread {
      if let rotten = dropped.rotten[hash] { loss = .rot(of: rotten, in: file) }
    }
    if dropped.present.isEmpty && dropped.rotten.isEmpty { return loss }
    try forEachMoved { entry, change, _ in
      guard change == .new || change == .edited && !dropped.rotten.isEmpty,
        let file = try? RecordChanges.status(of: entry.name)
      else { return }
      let name = Array(entry.name)
      if change == .new, let gone = dropped.present[FileIdentity(file)] {
        loss = .renamed(from: gone, to: name)
      } else if let rotten = dropped.rotten[RecordChanges.hash(of: file)], rotten != name {
        loss = .rot(of: rotten, in: name)
      }
    }
    return loss
  }

  /// Returns the dropped records: all gone ones if there are new files, else those that are rotten.
  private func dropped(besidesNew hasNew: Bool) throws -> Dropped {
    var dropped = Dropped()
    try forEachMoved { entry, change, _ in
      let name = Array(entry.name)
      if let hash = entry.hash { dropped.rotten[hash] = name }
      guard change.isGone, entry.wasRotten || hasNew else { return }
      var failure: Errno?
      do throws(Errno) {
        guard let file = try RecordChanges.status(of: entry.name) else { return }
        dropped.present[FileIdentity(file)] = name
      } catch {
        failure = error
      }
      if entry.wasRotten && dropped.loss == nil { dropped.loss = .rotten(name, failure) }
    }
    return dropped
  }

  /// Returns a hash of the size and the time of a file.
  static func hash(of file: stat) -> Int64 {
    let status = FileStatus(file)
    return hash(status.size, status.modified)
  }

  /// Returns the status of a file; `nil` if there is none.
  static func status(of name: UnsafeRawBufferPointer) throws(Errno) -> stat? {
    // Standard input, not the file of that name.
    if DashFile.isDash(name) { return nil }
    do throws(Errno) {
      return try LongPath.status(Array(name) + [0], followsLinks: false)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
