// Recording a file: by what is known of it, or by reading it.

internal import SystemPackage
internal import Weir

/// What a lane needs to record files. It writes, for each, a byte with the
/// verdict and the line of mtree(5).
///
/// DESIGN. A file is taken over unread where one look finds the size and the
/// time, to the nanosecond, that were recorded with its digests. One that a run
/// has found rotten is not: it is read in each run until it is right again, so
/// that an interruption does not make anybody forget it.
final class RecordLane {
  private let algorithms: [DigestAlgorithm]
  private let set: DigestSet
  private let line: MtreeLine
  private let acceptsRot: Bool
  private let isUpdate: Bool
  /// Digests of algorithms that are not asked for, but stand in a record.
  private var others: [DigestAlgorithm: Digest] = [:]
  /// Those that are about to be written.
  private var digests: [UnsafeRawBufferPointer] = []

  /// - Parameters:
  ///   - algorithms: Those of the digests, each once.
  ///   - acceptsRot: Whether what has rotted is taken over.
  ///   - isUpdate: Whether there is a manifest that is brought up to date.
  init(
    _ algorithms: [DigestAlgorithm], acceptsRot: Bool, isUpdate: Bool
  ) throws(Errno) {
    self.algorithms = algorithms
    self.acceptsRot = acceptsRot
    self.isUpdate = isUpdate
    set = try DigestSet(algorithms)
    line = MtreeLine(algorithms)
  }

  func record(_ file: borrowing OpenFile) throws(Errno) {
    let notes = RecordNotes(note: file.note)
    if !notes.isOfDescriptor, try takeOver(file, notes) { return }
    let old = notes.old
    // Rot shows by an algorithm that both have.
    if let old, let known = old.algorithm, !algorithms.contains(where: { old.digest($0) != nil }) {
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

  // MARK: Unread

  /// Records what is known, where that still holds.
  private func takeOver(_ file: borrowing OpenFile, _ notes: RecordNotes) throws(Errno) -> Bool {
    let (former, old) = (notes.former, notes.old)
    if former?.isRotten == true || old?.isRotten == true { return false }
    let (hasFormer, hasOld) = (former.map(isWhole) ?? false, old.map(isWhole) ?? false)
    guard hasFormer || hasOld else { return false }
    // Where it cannot be looked at, opening it says why.
    guard let status = try? file.pathStatus(), status.type == .file else { return false }
    if hasFormer, let former, former.isOf(status) {
      try takeOver(file, former, change(from: old, to: former))
    } else if hasOld, let old, old.isOf(status) {
      try takeOver(file, old, .none)
    } else {
      return false
    }
    return true
  }

  private func takeOver(
    _ file: borrowing OpenFile, _ known: RecordNote, _ change: RecordChange
  ) throws(Errno) {
    try write(
      file, RecordVerdict(change, wasRead: false), size: known.size ?? 0, time: known.time
    ) { known.digest($0) }
  }

  private func isWhole(_ known: RecordNote) -> Bool {
    known.time != nil && algorithms.allSatisfy { known.digest($0) != nil }
  }

  /// What the run that was cut short had found out.
  private func change(from old: RecordNote?, to known: RecordNote) -> RecordChange {
    guard let old else { return isUpdate ? .new : .none }
    let isSame = algorithms.allSatisfy { algorithm in
      guard let ours = known.digest(algorithm), let its = old.digest(algorithm) else {
        return true
      }
      return ours.elementsEqual(its)
    }
    return RecordLane.change(isSame: isSame, old, size: known.size ?? 0, time: known.time)
  }

  // MARK: Read

  /// Computes one digest more, by which it can be told whether it is the same.
  private func read(
    _ file: borrowing OpenFile, _ old: RecordNote, comparing known: DigestAlgorithm
  ) throws(Errno) {
    let other: Digest
    if let made = others[known] {
      other = made
    } else {
      other = try Digest(known)
      others[known] = other
    }
    try set.compute(file, with: other)
    try conclude(file, old, isSame: old.digest(known)?.elementsEqual(other.bytes) ?? true)
  }

  private func conclude(
    _ file: borrowing OpenFile, _ old: RecordNote?, isSame: Bool
  ) throws(Errno) {
    let status = file.status
    let isFile = status.type == .file
    let time =
      isFile
      ? FileTime(seconds: status.modified.seconds, nanoseconds: status.modified.nanoseconds) : nil
    // Nor does the time of one in /proc say anything, which has not the size it says.
    let isContentAll =
      RecordNotes(note: file.note).isOfDescriptor || isFile && status.size != set.size
    let change =
      old.map { old in
        isContentAll
          ? (isSame ? .none : .edited)
          : RecordLane.change(isSame: isSame, old, size: set.size, time: time)
      } ?? (isUpdate ? .new : .none)
    let verdict = RecordVerdict(change, wasRead: true)
    if change == .rot && !acceptsRot, let old {
      try write(file, verdict, old)
      return
    }
    let digests = set.digests
    let algorithms = algorithms
    try write(file, verdict, size: set.size, time: time, type: status.type) { algorithm in
      algorithms.firstIndex(of: algorithm).map { digests[$0].bytes }
    }
  }

  private static func change(
    isSame: Bool, _ old: RecordNote, size: UInt64, time: FileTime?
  ) -> RecordChange {
    // Lines of text have neither.
    guard let oldTime = old.time, let oldSize = old.size else { return isSame ? .none : .edited }
    let isUntouched = oldSize == size && oldTime == time
    if isSame { return isUntouched ? .none : .touched }
    return isUntouched ? .rot : .edited
  }

  // MARK: Lines

  /// Whether it is one that is called `-`. Of standard input nothing is known, and a
  /// file that is taken over is not to be opened to find that out.
  private func isDashFile(_ file: borrowing OpenFile, _ verdict: RecordVerdict) -> Bool {
    verdict.wasRead ? file.isDashFile : DashFile.isDash(file.path)
  }

  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, size: UInt64, time: FileTime?,
    type: EntryType = .file, digest: (DigestAlgorithm) -> UnsafeRawBufferPointer?
  ) throws(Errno) {
    let name = file.path
    let isDashFile = isDashFile(file, verdict)
    let line = line
    digests.removeAll(keepingCapacity: true)
    for algorithm in algorithms {
      if let bytes = digest(algorithm) { digests.append(bytes) }
    }
    let digests = digests
    try file.write(capacity: 1 + line.capacity(nameCount: name.count)) { memory in
      memory[0] = verdict.byte
      return 1
        + line.write(
          name: name, isDashFile: isDashFile,
          type: type == .blockDevice ? type : .file, size: size, time: time,
          digests: digests,
          to: UnsafeMutableRawBufferPointer(rebasing: memory[1...]))
    }
  }

  /// Writes again what was recorded.
  private func write(
    _ file: borrowing OpenFile, _ verdict: RecordVerdict, _ old: RecordNote
  ) throws(Errno) {
    let name = file.path
    let isDashFile = isDashFile(file, verdict)
    let known = DigestAlgorithm.allCases.filter { old.digest($0) != nil }
    let line = MtreeLine(known)
    try file.write(capacity: 1 + line.capacity(nameCount: name.count)) { memory in
      memory[0] = verdict.byte
      return 1
        + line.write(
          name: name, isDashFile: isDashFile, size: old.size ?? 0, time: old.time,
          digests: known.compactMap { old.digest($0) },
          to: UnsafeMutableRawBufferPointer(rebasing: memory[1...]))
    }
  }
}
