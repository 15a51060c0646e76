// The writer of a part: an attempt at a shard, which becomes the part or is dropped.
//
// DESIGN. Several attempts at one shard may run at a time: an engine that has lost a node starts
// another one while the first still runs on the far side of a partition. So every attempt writes a file of
// its own, and link(2) gives the first that is whole the name of the part; it is atomic and fails
// if the name exists, on NFS too. rename(2) would replace the part of the first. An attempt that
// continues another one's work copies its whole blocks: the other one may still be writing.
// Records without an item belong to the next record that answers one: those after the last such
// record are not copied, since their end is missing.

internal import CFileKernels
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The file of an attempt at a shard.
///
/// @unchecked Sendable: one thread at a time appends and ends.
package final class PartWriter: @unchecked Sendable {
  /// The end of an attempt.
  package enum Outcome: Sendable {
    /// The attempt is the part now.
    case first
    /// Another attempt was the first; this one is dropped.
    case late
  }

  package let file: PartFile
  private let header: PartHeader
  private let attempt: [UInt8]
  private let descriptor: FileDescriptor
  private let sync: OutputSync
  private let sha256: Digest
  private let checksum: Digest
  private var block: [UInt8] = []
  /// The totals of what was written or copied.
  package private(set) var totals = PartTotals()

  /// The content of a block at which it is written, so that a merge of many parts holds little.
  private static let blockSize = 8192
  /// The seconds between two times that the file is written back.
  private static let interval = 5.0

  /// Begins an attempt.
  ///
  /// - Parameter resumes: True to continue the attempt of this shard that came farthest.
  package init(
    _ file: PartFile, _ header: PartHeader, resumes: Bool
  ) throws(PartError) {
    self.file = file
    self.header = header
    let earlier = resumes ? PartDirectory.attempts(at: file) : []
    (attempt, descriptor) = try PartWriter.create(file, header)
    let name = attempt
    (sha256, checksum) = try PartError.attributing(to: name) { () throws(Errno) in
      (try Digest.begun(.sha256, header.line), try Digest(.xxh3))
    }
    sync = OutputSync(
      descriptor, directory: file.directory, interval: PartWriter.interval)
    let line = header.line
    try PartError.attributing(to: name) { () throws(Errno) in try descriptor.write(all: line) }
    if let best = PartWriter.farthest(earlier, header) { try copy(best.path, best.records) }
  }

  deinit { try? descriptor.close() }

  /// Creates the file of the attempt.
  private static func create(
    _ file: PartFile, _ header: PartHeader
  ) throws(PartError) -> ([UInt8], FileDescriptor) {
    let base = file.attemptPrefix + "\(HostName.current).\(getpid()).\(header.attempt)"
    let name = file.directory + Array("/\(base)".utf8)
    return try PartError.attributing(to: name) { () throws(Errno) in
      try ReplacingFile.create(name)
    }
  }

  /// Returns the attempt with the most items among those of the same command, and the number of
  /// its records up to the last one that answers items.
  private static func farthest(
    _ attempts: [[UInt8]], _ header: PartHeader
  ) -> (path: [UInt8], records: UInt64)? {
    var best: (path: [UInt8], items: UInt64, records: UInt64)?
    for path in attempts {
      guard let reader = try? PartReader(path),
        (try? reader.header.expect(header, of: path)) != nil
      else { continue }
      var (items, records, answers): (UInt64, UInt64, UInt64) = (0, 0, 0)
      while let record = try? reader.next() {
        items += UInt64(record.items)
        records += 1
        if record.items > 0 { answers = records }
      }
      if items > best?.items ?? 0 { best = (path, items, answers) }
    }
    return best.map { ($0.path, $0.records) }
  }

  /// Copies the first records of another attempt, which were read before.
  private func copy(_ path: [UInt8], _ records: UInt64) throws(PartError) {
    let reader = try PartReader(path)
    while totals.records < records, let record = try reader.next() {
      try append(
        record.payload, items: record.items, nameCheck: record.nameCheck, record.verdict)
    }
    try flush()
  }

  // MARK: Appending

  /// Appends a record, which reaches the file with the next ``flush()`` or earlier.
  package func append(
    _ payload: UnsafeRawBufferPointer, items: Int, nameCheck: UInt32, _ verdict: PartVerdict
  ) throws(PartError) {
    if block.count + payload.count + PartLayout.recordHead > PartWriter.blockSize { try flush() }
    block.append(littleEndian: UInt32(payload.count))
    block.append(littleEndian: UInt32(items))
    block.append(littleEndian: nameCheck)
    block.append(verdict.rawValue)
    block += [0, 0, 0]
    block.append(contentsOf: payload)
    totals.add(items: UInt32(items), verdict)
  }

  /// Appends a record.
  package func append(
    _ payload: [UInt8], items: Int, nameCheck: UInt32, _ verdict: PartVerdict
  ) throws(PartError) {
    let result = payload.withUnsafeBytes { bytes in
      Result { () throws(PartError) in
        try append(bytes, items: items, nameCheck: nameCheck, verdict)
      }
    }
    try result.get()
  }

  /// Writes the records so far, as a block.
  package func flush() throws(PartError) {
    if let failure = sync.failure { throw PartError(attempt, .system(failure)) }
    if block.isEmpty { return }
    try write(PartLayout.block, block)
    block.removeAll(keepingCapacity: true)
    sync.markDirty()
  }

  private func write(_ mark: [UInt8], _ content: [UInt8]) throws(PartError) {
    try PartError.attributing(to: attempt) { () throws(Errno) in
      try checksum.begin()
      try checksum.update(content)
      try checksum.finish()
      var bytes = mark
      bytes.append(littleEndian: UInt32(content.count))
      bytes.append(contentsOf: checksum.bytes)
      bytes += content
      if mark == PartLayout.block { try sha256.update(bytes) }
      try descriptor.write(all: bytes)
    }
  }

  // MARK: The end

  /// Ends the attempt: it becomes the part, unless another attempt was the first.
  package func finish() throws(PartError) -> Outcome {
    try flush()
    try writeEnd()
    try PartError.attributing(to: attempt) { () throws(Errno) in try sync.finish() }
    let outcome = try publish()
    // By its name, since the directory of the others may be unreadable.
    _ = withPath(attempt) { unlink($0) }
    file.removeAttempts()
    try PartError.attributing(to: file.path) { () throws(Errno) in
      try OutputSync.writeBack(directory: file.directory)
    }
    return outcome
  }

  /// Keeps the file as it is, for another attempt to continue.
  package func abandon() {
    try? flush()
    try? sync.finish()
  }

  /// Removes the file: its results may be wrong.
  package func discard() {
    _ = withPath(attempt) { unlink($0) }
    try? sync.finish()
  }

  private func writeEnd() throws(PartError) {
    let digest = try PartError.attributing(to: attempt) { () throws(Errno) in
      try sha256.finish()
      return sha256.hexadecimal
    }
    let line = totals.line(sha256: digest)
    try write(PartLayout.end, line)
    var tail: [UInt8] = []
    tail.append(littleEndian: UInt32(line.count))
    tail += PartLayout.last
    let bytes = tail
    try PartError.attributing(to: attempt) { () throws(Errno) in
      try descriptor.write(all: bytes)
    }
    sync.markDirty()
  }

  /// Gives the file the name of the part.
  private func publish() throws(PartError) -> Outcome {
    let path = file.path
    let error = withPath(attempt) { from in
      withPath(path) { link(from, $0) == 0 ? 0 : errno }
    }
    switch error {
    case 0: return .first
    case EPERM, EOPNOTSUPP, EMLINK, ENOSYS: return try publishWithoutLinks()
    // A server whose answer was lost is asked again, and finds the name that it has made. And
    // the attempt that was the first removes the files of all others.
    case EEXIST, ENOENT: return try outcome(of: error)
    default: throw PartError(path, .system(Errno(rawValue: error)))
    }
  }

  /// For file systems without hard links.
  private func publishWithoutLinks() throws(PartError) -> Outcome {
    let path = file.path
    let error = withPath(attempt) { from in
      withPath(path) { kernel_rename_new(from, $0) }
    }
    switch error {
    case 0: return .first
    case EEXIST, ENOENT: return try outcome(of: error)
    // A file system that knows neither hard links nor such a rename.
    case EINVAL, ENOSYS: throw PartError(path, .system(.notSupported))
    default: throw PartError(path, .system(Errno(rawValue: error)))
    }
  }

  /// The outcome if the name exists, or the file of this attempt does not.
  private func outcome(of error: Int32) throws(PartError) -> Outcome {
    guard let part = try? stat(of: file.path), let own = try? stat(of: descriptor) else {
      throw PartError(file.path, .system(Errno(rawValue: error)))
    }
    if FileIdentity(part) == FileIdentity(own) { return .first }
    try PartReader(file.path).header.expect(header, of: file.path)
    return .late
  }
}
