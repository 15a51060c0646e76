internal import SystemPackage
internal import Weir

/// The context of a lane that records files. For each file it writes a ``RecordOutput``.
///
/// DESIGN. The record of a file is reused if one stat finds the size and the time, to
/// the nanosecond, that were recorded with its digests. A rotten file is an exception:
/// each run reads it until it is correct again or edited, so that no interruption hides the
/// rot. A run that accepts rot reads all files: only reading finds it.
final class RecordLane {
  private let algorithms: [DigestAlgorithm]
  private let set: DigestSet
  private let line: MtreeLine
  private let manifest: RecordManifest
  /// The indices of the algorithms.
  private let indices: UnsafeMutableRawBufferPointer
  /// The memory of the part of a line after the name.
  private let rest: UnsafeMutableRawBufferPointer
  private let acceptsRot: Bool
  private let isUpdate: Bool
  /// The search for the former records of new files, in an update.
  private let moves: MoveSearch?
  private var formerReader: RecordReader?
  /// Digests of algorithms that only a record has, not this run.
  private var others: [DigestAlgorithm: Digest] = [:]
  private typealias OtherDigest = (DigestAlgorithm, Digest)

  /// - Parameters:
  ///   - acceptsRot: True if the new digest of a rotten file is recorded.
  ///   - isUpdate: True if there is a manifest that is brought up to date.
  init(
    _ algorithms: [DigestAlgorithm], manifest: RecordManifest, acceptsRot: Bool, isUpdate: Bool,
    moves: MoveSearch?, helpers: HelperLanes
  ) throws(Errno) {
    self.algorithms = algorithms
    self.manifest = manifest
    self.acceptsRot = acceptsRot
    self.isUpdate = isUpdate
    self.moves = moves
    set = try DigestSet(algorithms, helpers: helpers)
    line = MtreeLine(algorithms)
    indices = .allocate(byteCount: algorithms.count, alignment: 1)
    indices.copyBytes(from: algorithms.map { UInt8($0.index) })
    rest = .allocate(byteCount: line.capacity(nameCount: 1), alignment: 1)
  }

  deinit {
    indices.deallocate()
    rest.deallocate()
  }

  func record(_ file: borrowing OpenFile) throws(Errno) {
    let note = RecordNote(file.lentNote)
    if let moves, note.manifest == nil, !DashFile.isDash(file.path),
      try recordMoved(file, note, moves)
    {
      return
    }
    if !note.isDescriptor, try reuseRecord(file, note) { return }
    let old = note.manifest
    let other = try compute(file, known: old)
    try conclude(file, old, isSame: old.map { hasDigests(of: $0, other) } ?? true)
  }

  /// Computes the digests of a file. Only an algorithm that its record has too can show rot: returns
  /// the digest by one if this run has none.
  private func compute(
    _ file: borrowing OpenFile, known old: PackedRecord?
  ) throws(Errno) -> OtherDigest? {
    guard let old, let known = old.digests.algorithms.first,
      !algorithms.contains(where: old.digests.has)
    else {
      try set.compute(file)
      return nil
    }
    let other = if let made = others[known] { made } else { try Digest(known) }
    others[known] = other
    try set.compute(file, with: other)
    return (known, other)
  }

  /// Returns true if a digest of a record was computed last.
  private func canCompare(_ record: PackedRecord, _ other: OtherDigest?) -> Bool {
    isComparable(record) || other.map { record.digests.has($0.0) } ?? false
  }

  /// Returns true if a record has digests that were computed last, and no others of the same
  /// algorithms.
  private func hasDigests(of record: PackedRecord, _ other: OtherDigest?) -> Bool {
    let digests = record.digests
    let all = Array(zip(algorithms, set.digests)) + [other].compactMap(\.self)
    let known = all.filter { digests.has($0.0) }
    return !known.isEmpty && known.allSatisfy { digests.permits($0.0, $0.1.bytes) }
  }

  // MARK: Files without a record of their name

  /// Records a file that records may have had under another name. Returns false if none may.
  private func recordMoved(
    _ file: borrowing OpenFile, _ note: RecordNote, _ moves: MoveSearch
  ) throws(Errno) -> Bool {
    guard let status = try? file.pathStatus(), status.type == .file else { return false }
    let (former, tell) = moves.records(of: file.path, status, by: &formerReader)
    guard let first = former.first else { return false }
    let places = former.map(\.place)
    // Of the unfinished run, or the record that tells.
    if let partial = note.partial, !partial.isRotten, isComplete(partial), partial.matches(status),
      former.allSatisfy({ $0.withRecord { isComparable($0) } })
    {
      let same = former.filter { $0.withRecord { hasDigests(partial, of: $0) } }.map(\.place)
      let change: RecordChange = same.isEmpty ? (tell ? .movedRot : .new) : .moved
      try write(
        file, reused: partial, change, of: same.isEmpty && tell ? places : same, isTold: tell)
      return true
    }
    if tell, !acceptsRot, first.withRecord({ !$0.isRotten && isComplete($0) }) {
      try first.withRecord { (record) throws(Errno) in
        try write(file, reused: record, .moved, of: places, isTold: true)
      }
      return true
    }
    // A rotten record that has no algorithm of this run needs its own.
    let known = former.first { $0.withRecord { $0.isRotten && !isComparable($0) } } ?? first
    let other = try known.withRecord { (record) throws(Errno) in
      try compute(file, known: record)
    }
    let isUnchanged =
      file.status.size == status.size && file.status.modified == status.modified
      && set.size == status.size
    let same = former.filter { $0.withRecord { hasDigests(of: $0, other) } }.map(\.place)
    // A rotten file is told by its size and its time alone, or by whole seconds and its last
    // component: its rot is not forgotten by a new name.
    let base = file.path.lastComponent
    let rotten = former.filter { record in
      !tell && record.withRecord { $0.isRotten && canCompare($0, other) }
        && (status.modified.nanoseconds != 0
          || record.name.withUnsafeBytes { $0.lastComponent.hasSameBytes(as: base) })
    }
    if isUnchanged && same.isEmpty, let record = tell ? first : rotten.first {
      try record.withRecord { (record) throws(Errno) in
        try conclude(file, record, .movedRot, of: tell ? places : rotten.map(\.place))
      }
    } else if isUnchanged && !same.isEmpty {
      try conclude(file, nil, .moved, of: same, isTold: tell)
    } else {
      try conclude(file, nil, .new)
    }
    return true
  }

  /// Returns true if a record has a digest that this run computes too.
  private func isComparable(_ record: PackedRecord) -> Bool {
    algorithms.contains(where: record.digests.has)
  }

  /// Returns true if the digests of a record are those of another one.
  private func hasDigests(_ record: PackedRecord, of other: PackedRecord) -> Bool {
    algorithms.allSatisfy { algorithm in
      record.digests.digest(algorithm).map { other.digests.permits(algorithm, $0) } ?? true
    }
  }

  // MARK: Records that are reused

  /// Records a file by an earlier record if that is still valid.
  private func reuseRecord(_ file: borrowing OpenFile, _ note: RecordNote) throws(Errno) -> Bool {
    let (partial, old) = (note.partial, note.manifest)
    if partial?.isRotten == true || old?.isRotten == true { return false }
    let hasPartial = partial.map { isComplete($0) && canCompare(old, with: $0) } ?? false
    let hasOld = old.map(isComplete) ?? false
    guard hasPartial || hasOld else { return false }
    // After a failed stat, the attempt to open the file gives the error.
    guard let status = try? file.pathStatus(), status.type == .file else { return false }
    if hasPartial, let partial, partial.matches(status) {
      try write(file, reused: partial, change(from: old, to: partial))
    } else if !acceptsRot, hasOld, let old, old.matches(status) {
      try write(file, reused: old, .none)
    } else {
      return false
    }
    return true
  }

  private func write(
    _ file: borrowing OpenFile, reused record: PackedRecord, _ change: RecordChange,
    of places: [Int64] = [], isTold: Bool = false
  ) throws(Errno) {
    let verdict = RecordVerdict(change, wasRead: false, isTold: isTold)
    let digests = record.digests
    let wanted = UnsafeRawBufferPointer(indices)
    if digests.indices.hasSameBytes(as: wanted) {
      return try write(file, verdict, digests, of: places)
    }
    try digests.rest(with: algorithms).withUnsafeBufferPointer { (rest) throws(Errno) in
      try write(
        file, verdict, RecordDigests(rest: UnsafeRawBufferPointer(rest), indices: wanted),
        of: places)
    }
  }

  private func isComplete(_ record: PackedRecord) -> Bool {
    record.time != nil && algorithms.allSatisfy(record.digests.has)
  }

  /// Returns true if the change between two records is known: there is no old one, both have a
  /// common digest, or the same size and time. The last tells nothing of a run that accepts rot.
  private func canCompare(_ old: PackedRecord?, with partial: PackedRecord) -> Bool {
    guard let old else { return true }
    return isComparable(old) || !acceptsRot && old.size == partial.size && old.time == partial.time
  }

  /// Returns the change that the unfinished run has found.
  private func change(from old: PackedRecord?, to partial: PackedRecord) -> RecordChange {
    guard let old else { return isUpdate ? .new : .none }
    return RecordLane.change(
      isSame: hasDigests(partial, of: old), old, size: partial.size ?? 0, time: partial.time)
  }

  // MARK: Files that are read

  private func conclude(
    _ file: borrowing OpenFile, _ old: PackedRecord?, isSame: Bool
  ) throws(Errno) {
    let status = file.status
    let isFile = status.type == .file
    // In /proc the size of a file is wrong and its time has no meaning.
    let hasContentOnly =
      RecordNote(file.lentNote).isDescriptor || isFile && status.size != set.size
    let change =
      old.map { old in
        hasContentOnly
          ? (isSame ? .none : .edited)
          : RecordLane.change(
            isSame: isSame, old, size: set.size, time: isFile ? status.modified : nil)
      } ?? (isUpdate ? .new : .none)
    try conclude(file, old, change)
  }

  /// Records a file that was read. `places` are those of records that it may have had under
  /// another name.
  private func conclude(
    _ file: borrowing OpenFile, _ old: PackedRecord?, _ change: RecordChange,
    of places: [Int64] = [], isTold: Bool = true
  ) throws(Errno) {
    let status = file.status
    let verdict = RecordVerdict(change, wasRead: true, isTold: isTold)
    // The old record of a rotten file again.
    if change.isRot && !acceptsRot, let old {
      return try write(file, verdict, old.digests, of: places)
    }
    let time = status.type == .file ? status.modified : nil
    let rest = line.writeRest(
      type: status.type == .blockDevice ? .blockDevice : .file, size: set.size, time: time,
      digests: set.digests.lazy.map(\.bytes), to: rest)
    try write(
      file, verdict, RecordDigests(rest: rest, indices: UnsafeRawBufferPointer(indices)),
      of: places)
  }

  private static func change(
    isSame: Bool, _ old: PackedRecord, size: UInt64, time: FileTime?
  ) -> RecordChange {
    // A record from a line of text has neither size nor time.
    guard let oldTime = old.time, let oldSize = old.size else { return isSame ? .none : .edited }
    let isUntouched = oldSize == size && oldTime == time
    if isSame { return isUntouched ? .none : .touched }
    return isUntouched ? .rot : .edited
  }

  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, _ digests: RecordDigests,
    of places: [Int64]
  ) throws(Errno) {
    let name = file.path
    // Standard input is always read, so a reused record is that of a file, which need not be
    // opened.
    let isDashFile = verdict.wasRead ? file.isDashFile : DashFile.isDash(name)
    let lineCapacity = MtreeLine.capacity(nameCount: name.count, restCount: digests.rest.count)
    let capacity = lineCapacity + manifest.capacity(nameCount: name.count, digests)
    let begin = RecordOutput.headerSize + places.count * 8
    try file.write(capacity: begin + capacity) { memory in
      let lines = UnsafeMutableRawBufferPointer(rebasing: memory[begin...])
      let record = MtreeLine.write(
        name: name, isDashFile: isDashFile, rest: digests.rest, to: lines)
      let text = manifest.write(
        name: isDashFile ? DashFile.name : name, digests,
        to: UnsafeMutableRawBufferPointer(rebasing: lines[record...]))
      memory[0] = verdict.byte
      memory.storeBytes(of: UInt32(record), toByteOffset: 1, as: UInt32.self)
      memory.storeBytes(of: UInt16(places.count), toByteOffset: 5, as: UInt16.self)
      for (index, place) in places.enumerated() {
        memory.storeBytes(
          of: place, toByteOffset: RecordOutput.headerSize + index * 8, as: Int64.self)
      }
      return begin + record + text
    }
  }
}

/// The output of a job for one file: a byte with the verdict, the length of the record, the number
/// of records that the file may have had under another name and their places, the lines of the
/// record, and those of a manifest of text.
struct RecordOutput {
  fileprivate static let headerSize = 7

  let verdict: RecordVerdict
  let places: [Int64]
  let record: UnsafeRawBufferPointer
  let text: UnsafeRawBufferPointer

  /// Reads the output of a job; `nil` if it is empty.
  init?(_ output: UnsafeRawBufferPointer) {
    guard output.count >= RecordOutput.headerSize else { return nil }
    let length = Int(output.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    let places = Int(output.loadUnaligned(fromByteOffset: 5, as: UInt16.self))
    let begin = RecordOutput.headerSize + places * 8
    let end = begin + length
    verdict = RecordVerdict(byte: output[0])
    self.places = stride(from: RecordOutput.headerSize, to: begin, by: 8).map {
      output.loadUnaligned(fromByteOffset: $0, as: Int64.self)
    }
    record = UnsafeRawBufferPointer(rebasing: output[begin..<end])
    text = UnsafeRawBufferPointer(rebasing: output[end...])
  }
}
