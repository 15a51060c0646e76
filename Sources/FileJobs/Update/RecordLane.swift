// The recording of a file: its earlier record is reused, or the file is read.

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
  /// The indices of the algorithms, and the places of their digits in a line.
  private let indices: [UInt8]
  private let digits: [Range<Int>]
  private let acceptsRot: Bool
  private let isUpdate: Bool
  /// Digests of algorithms that only a record has, not this run.
  private var others: [DigestAlgorithm: Digest] = [:]

  /// - Parameters:
  ///   - algorithms: The algorithms of the digests, each once.
  ///   - manifest: The manifest of the run.
  ///   - acceptsRot: True if the new digest of a rotten file is recorded.
  ///   - isUpdate: True if there is a manifest that is brought up to date.
  ///   - helpers: The lanes that help with a big file.
  init(
    _ algorithms: [DigestAlgorithm], manifest: RecordManifest, acceptsRot: Bool, isUpdate: Bool,
    helpers: HelperLanes
  ) throws(Errno) {
    self.algorithms = algorithms
    self.manifest = manifest
    indices = algorithms.map { UInt8($0.index) }
    digits = manifest.digits
    self.acceptsRot = acceptsRot
    self.isUpdate = isUpdate
    set = try DigestSet(algorithms, helpers: helpers)
    line = MtreeLine(algorithms)
  }

  func record(_ file: borrowing OpenFile) throws(Errno) {
    let note = RecordNote(file.note)
    if !note.isDescriptor, try reuseRecord(file, note) { return }
    let old = note.manifest
    // Only an algorithm that the record has too can show rot.
    if let old, let known = old.algorithms.first, !algorithms.contains(where: old.has) {
      try read(file, old, comparing: known)
    } else {
      try set.compute(file)
      let isSame = old.map { old in
        zip(algorithms, set.digests).allSatisfy { algorithm, digest in
          old.digest(algorithm).map { $0.elementsEqual(digest.bytes) } ?? true
        }
      }
      try conclude(file, old, isSame: isSame ?? true)
    }
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
    if let rest = record.rest(ofLineWith: indices) { return try write(file, verdict, rest) }
    try record.withDigests(algorithms) { (digests) throws(Errno) in
      try write(
        file, verdict, size: record.size ?? 0, time: record.time, algorithms, digests)
    }
  }

  private func isComplete(_ record: PackedRecord) -> Bool {
    record.time != nil && algorithms.allSatisfy(record.has)
  }

  /// Returns the change that the unfinished run has found.
  private func change(from old: PackedRecord?, to partial: PackedRecord) -> RecordChange {
    guard let old else { return isUpdate ? .new : .none }
    let isSame = algorithms.allSatisfy { algorithm in
      guard let digest = partial.digest(algorithm), let oldDigest = old.digest(algorithm) else {
        return true
      }
      return digest.elementsEqual(oldDigest)
    }
    return RecordLane.change(isSame: isSame, old, size: partial.size ?? 0, time: partial.time)
  }

  // MARK: Files that are read

  /// Reads a file with one more digest, to compare it with the record.
  private func read(
    _ file: borrowing OpenFile, _ old: PackedRecord, comparing known: DigestAlgorithm
  ) throws(Errno) {
    let other = if let made = others[known] { made } else { try Digest(known) }
    others[known] = other
    try set.compute(file, with: other)
    try conclude(file, old, isSame: old.digest(known)?.elementsEqual(other.bytes) ?? true)
  }

  private func conclude(
    _ file: borrowing OpenFile, _ old: PackedRecord?, isSame: Bool
  ) throws(Errno) {
    let status = file.status
    let isFile = status.type == .file
    let time = isFile ? status.modified : nil
    // In /proc the size of a file is wrong and its time has no meaning.
    let hasContentOnly =
      RecordNote(file.note).isDescriptor || isFile && status.size != set.size
    let change =
      old.map { old in
        hasContentOnly
          ? (isSame ? .none : .edited)
          : RecordLane.change(isSame: isSame, old, size: set.size, time: time)
      } ?? (isUpdate ? .new : .none)
    let verdict = RecordVerdict(change, wasRead: true)
    if change == .rot && !acceptsRot, let old {
      // The old record of a rotten file again.
      let known = DigestAlgorithm.allCases.filter(old.has)
      return try old.withDigests(known) { (digests) throws(Errno) in
        try write(file, verdict, size: old.size ?? 0, time: old.time, known, digests)
      }
    }
    try write(
      file, verdict, type: status.type == .blockDevice ? .blockDevice : .file, size: set.size,
      time: time, algorithms, set.digests.lazy.map(\.bytes))
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

  // MARK: Lines

  /// Returns true if the file has the name `-` and is not standard input. Standard input
  /// is always read, so a reused record is that of a file, which need not be opened.
  private func isDashFile(_ file: borrowing OpenFile, _ verdict: RecordVerdict) -> Bool {
    verdict.wasRead ? file.isDashFile : DashFile.isDash(file.path)
  }

  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, type: EntryType = .file, size: UInt64,
    time: FileTime?, _ algorithms: [DigestAlgorithm],
    _ digests: some Collection<UnsafeRawBufferPointer>
  ) throws(Errno) {
    let name = file.path
    let isDashFile = isDashFile(file, verdict)
    let line = algorithms == self.algorithms ? line : MtreeLine(algorithms)
    try write(
      file, verdict,
      capacity: line.capacity(nameCount: name.count)
        + manifest.capacity(nameCount: name.count, algorithms)
    ) { memory in
      let record = line.write(
        name: name, isDashFile: isDashFile, type: type, size: size, time: time, digests: digests,
        to: memory)
      let text = manifest.write(
        name: isDashFile ? DashFile.name : name, algorithms, digests,
        to: UnsafeMutableRawBufferPointer(rebasing: memory[record...]))
      return (record, text)
    }
  }

  /// Writes the line of an unchanged file from the part after its name.
  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, _ rest: UnsafeRawBufferPointer
  ) throws(Errno) {
    let name = file.path
    let isDashFile = isDashFile(file, verdict)
    try write(
      file, verdict,
      capacity: line.capacity(nameCount: name.count) + rest.count
        + manifest.capacity(nameCount: name.count, algorithms)
    ) { memory in
      let record = line.write(name: name, isDashFile: isDashFile, rest: rest, to: memory)
      let text = manifest.write(
        name: isDashFile ? DashFile.name : name, line: rest, digits,
        to: UnsafeMutableRawBufferPointer(rebasing: memory[record...]))
      return (record, text)
    }
  }

  /// Writes a ``RecordOutput``, whose lines `body` writes. It returns their lengths.
  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, capacity: Int,
    _ body: (UnsafeMutableRawBufferPointer) -> (record: Int, text: Int)
  ) throws(Errno) {
    try file.write(capacity: RecordOutput.headerSize + capacity) { memory in
      let lines = UnsafeMutableRawBufferPointer(rebasing: memory[RecordOutput.headerSize...])
      let (record, text) = body(lines)
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
