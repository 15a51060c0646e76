// The writer of a part: an attempt at a shard, which becomes the part or is dropped.
//
// DESIGN. Several attempts at one shard may run at a time: an engine that has lost a node starts
// another one while the first still runs. So every attempt writes a file of its own, and link(2)
// gives the first that is whole the name of the part; it is atomic and fails if the name exists, on
// NFS too. rename(2) would replace the first. An attempt that continues another one's work copies
// its whole blocks: the other one may still be writing. Records without an item belong to the next
// record that answers one, and are not copied without it.

internal import SystemPackage

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
  private let attempt: ReplacingFile
  private let sync: FileSync
  private let sha256: Digest
  private let checksum: Digest
  private var block: [UInt8] = []
  /// The totals of what was written or copied.
  package private(set) var totals = PartTotals()

  /// The content of a block at which it is written, so that a merge of many parts holds little.
  private static let blockSize = 8192
  /// The seconds between two times that the file is written back.
  private static let interval = 5.0

  /// Begins an attempt. With `resumes`, continues the one of this shard that came farthest.
  package init(
    _ file: PartFile, _ header: PartHeader, resumes: Bool
  ) throws(Fault) {
    self.file = file
    self.header = header
    let earlier = resumes ? PartDirectory.attempts(at: file) : []
    let (path, line) = (file.path, header.line)
    let attempt = try Fault.attributing(to: path) { () throws(Errno) in try ReplacingFile(path) }
    self.attempt = attempt
    (sha256, checksum) = try Fault.attributing(to: attempt.temporary) { () throws(Errno) in
      try attempt.descriptor.write(all: line)
      return (try Digest.begun(.sha256, line), try Digest(.xxh3))
    }
    sync = FileSync(
      attempt.descriptor, directory: file.directory, interval: PartWriter.interval)
    if let best = PartWriter.farthest(earlier, header) { try copy(best.path, best.records) }
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

  private func copy(_ path: [UInt8], _ records: UInt64) throws(Fault) {
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
  ) throws(Fault) {
    if block.count + payload.count + PartLayout.recordHead > PartWriter.blockSize { try flush() }
    block.append(littleEndian: UInt32(payload.count))
    block.append(littleEndian: UInt32(items))
    block.append(littleEndian: nameCheck)
    block.append(verdict.rawValue)
    block += [0, 0, 0]
    block.append(contentsOf: payload)
    totals.add(items: UInt32(items), verdict)
  }

  package func append(
    _ payload: [UInt8], items: Int, nameCheck: UInt32, _ verdict: PartVerdict
  ) throws(Fault) {
    try payload.withUnsafeBufferPointer { (bytes) throws(Fault) in
      try append(UnsafeRawBufferPointer(bytes), items: items, nameCheck: nameCheck, verdict)
    }
  }

  /// Writes the records so far, as a block.
  package func flush() throws(Fault) {
    if let failure = sync.failure { throw Fault(attempt.temporary, .system(failure)) }
    if block.isEmpty { return }
    try write(PartLayout.block, block)
    block.removeAll(keepingCapacity: true)
    sync.markDirty()
  }

  private func write(_ mark: [UInt8], _ content: [UInt8]) throws(Fault) {
    try attributing { () throws(Errno) in
      var bytes = mark
      bytes.append(littleEndian: UInt32(content.count))
      bytes += try checksum.bytes(of: content)
      bytes += content
      if mark == PartLayout.block { try sha256.update(bytes) }
      try attempt.descriptor.write(all: bytes)
    }
  }

  // MARK: The end

  /// Ends the attempt: it becomes the part, unless another attempt was the first.
  package func finish() throws(Fault) -> Outcome {
    try flush()
    try writeEnd()
    try attributing { () throws(Errno) in try sync.finish() }
    let isFirst = try Fault.of(file.path, try attempt.claim())
    if !isFirst { try PartReader(file.path).header.expect(header, of: file.path) }
    // By its name, since the directory of the others may be unreadable.
    attempt.discard()
    file.removeAttempts()
    try Fault.of(file.path, try FileSync.writeBack(directory: file.directory))
    return isFirst ? .first : .late
  }

  /// Keeps the file as it is, for another attempt to continue.
  package func abandon() {
    try? flush()
    try? sync.finish()
  }

  /// Removes the file: its results may be wrong.
  package func discard() {
    attempt.discard()
    try? sync.finish()
  }

  private func writeEnd() throws(Fault) {
    try attributing { () throws(Errno) in try sha256.finish() }
    let line = totals.line(sha256: sha256.hexadecimal)
    try write(PartLayout.end, line)
    try attributing { () throws(Errno) in
      var tail: [UInt8] = []
      tail.append(littleEndian: UInt32(line.count))
      try attempt.descriptor.write(all: tail + PartLayout.last)
    }
    sync.markDirty()
  }

  private func attributing<R>(_ body: () throws(Errno) -> R) throws(Fault) -> R {
    try Fault.attributing(to: attempt.temporary, body)
  }
}
