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
  /// Digests of algorithms that only a record has, not this run.
  private var others: [DigestAlgorithm: Digest] = [:]

  /// - Parameters:
  ///   - acceptsRot: True if the new digest of a rotten file is recorded.
  ///   - isUpdate: True if there is a manifest that is brought up to date.
  init(
    _ algorithms: [DigestAlgorithm], manifest: RecordManifest, acceptsRot: Bool, isUpdate: Bool,
    helpers: HelperLanes
  ) throws(Errno) {
    self.algorithms = algorithms
    self.manifest = manifest
    self.acceptsRot = acceptsRot
    self.isUpdate = isUpdate
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
    if !note.isDescriptor, try reuseRecord(file, note) { return }
    let old = note.manifest
    var isSame = true
    // Only an algorithm that the record has too can show rot.
    if let old, let known = old.digests.algorithms.first,
      !algorithms.contains(where: old.digests.has)
    {
      let other = if let made = others[known] { made } else { try Digest(known) }
      others[known] = other
      try set.compute(file, with: other)
      isSame = old.digests.permits(known, other.bytes)
    } else {
      try set.compute(file)
      if let old {
        isSame = zip(algorithms, set.digests).allSatisfy { old.digests.permits($0, $1.bytes) }
      }
    }
    try conclude(file, old, isSame: isSame)
  }

  // MARK: Records that are reused

  /// Records a file by an earlier record if that is still valid.
  private func reuseRecord(_ file: borrowing OpenFile, _ note: RecordNote) throws(Errno) -> Bool {
    let (partial, old) = (note.partial, note.manifest)
    if partial?.isRotten == true || old?.isRotten == true { return false }
    let (hasPartial, hasOld) = (partial.map(isComplete) ?? false, old.map(isComplete) ?? false)
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
    _ file: borrowing OpenFile, reused record: PackedRecord, _ change: RecordChange
  ) throws(Errno) {
    let verdict = RecordVerdict(change, wasRead: false)
    let digests = record.digests
    let wanted = UnsafeRawBufferPointer(indices)
    if digests.indices.hasSameBytes(as: wanted) { return try write(file, verdict, digests) }
    try digests.rest(with: algorithms).withUnsafeBufferPointer { (rest) throws(Errno) in
      try write(
        file, verdict, RecordDigests(rest: UnsafeRawBufferPointer(rest), indices: wanted))
    }
  }

  private func isComplete(_ record: PackedRecord) -> Bool {
    record.time != nil && algorithms.allSatisfy(record.digests.has)
  }

  /// Returns the change that the unfinished run has found.
  private func change(from old: PackedRecord?, to partial: PackedRecord) -> RecordChange {
    guard let old else { return isUpdate ? .new : .none }
    let isSame = algorithms.allSatisfy { algorithm in
      partial.digests.digest(algorithm).map { old.digests.permits(algorithm, $0) } ?? true
    }
    return RecordLane.change(isSame: isSame, old, size: partial.size ?? 0, time: partial.time)
  }

  // MARK: Files that are read

  private func conclude(
    _ file: borrowing OpenFile, _ old: PackedRecord?, isSame: Bool
  ) throws(Errno) {
    let status = file.status
    let isFile = status.type == .file
    let time = isFile ? status.modified : nil
    // In /proc the size of a file is wrong and its time has no meaning.
    let hasContentOnly =
      RecordNote(file.lentNote).isDescriptor || isFile && status.size != set.size
    let change =
      old.map { old in
        hasContentOnly
          ? (isSame ? .none : .edited)
          : RecordLane.change(isSame: isSame, old, size: set.size, time: time)
      } ?? (isUpdate ? .new : .none)
    let verdict = RecordVerdict(change, wasRead: true)
    // The old record of a rotten file again.
    if change == .rot && !acceptsRot, let old { return try write(file, verdict, old.digests) }
    let rest = line.writeRest(
      type: status.type == .blockDevice ? .blockDevice : .file, size: set.size, time: time,
      digests: set.digests.lazy.map(\.bytes), to: rest)
    try write(
      file, verdict, RecordDigests(rest: rest, indices: UnsafeRawBufferPointer(indices)))
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
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, _ digests: RecordDigests
  ) throws(Errno) {
    let name = file.path
    // Standard input is always read, so a reused record is that of a file, which need not be
    // opened.
    let isDashFile = verdict.wasRead ? file.isDashFile : DashFile.isDash(name)
    let lineCapacity = MtreeLine.capacity(nameCount: name.count, restCount: digests.rest.count)
    let capacity = lineCapacity + manifest.capacity(nameCount: name.count, digests)
    try file.write(capacity: RecordOutput.headerSize + capacity) { memory in
      let lines = UnsafeMutableRawBufferPointer(rebasing: memory[RecordOutput.headerSize...])
      let record = MtreeLine.write(
        name: name, isDashFile: isDashFile, rest: digests.rest, to: lines)
      let text = manifest.write(
        name: isDashFile ? DashFile.name : name, digests,
        to: UnsafeMutableRawBufferPointer(rebasing: lines[record...]))
      memory[0] = verdict.byte
      memory.storeBytes(of: UInt32(record), toByteOffset: 1, as: UInt32.self)
      return RecordOutput.headerSize + record + text
    }
  }
}

/// The output of a job for one file: a byte with the verdict, the length of the record, the
/// lines of the record, and those of a manifest of text.
struct RecordOutput {
  fileprivate static let headerSize = 5

  let verdict: RecordVerdict
  let record: UnsafeRawBufferPointer
  let text: UnsafeRawBufferPointer

  /// Reads the output of a job; `nil` if it is empty.
  init?(_ output: UnsafeRawBufferPointer) {
    guard output.count >= RecordOutput.headerSize else { return nil }
    let length = Int(output.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    let end = RecordOutput.headerSize + length
    verdict = RecordVerdict(byte: output[0])
    record = UnsafeRawBufferPointer(rebasing: output[RecordOutput.headerSize..<end])
    text = UnsafeRawBufferPointer(rebasing: output[end...])
  }
}
