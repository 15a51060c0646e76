internal import SystemPackage

/// A reader of a plan's records, in order.
///
/// The header is checked against the size of the file at once; the SHA-256 and all totals
/// when the last record has been read. Until ``next()`` has returned `nil`, a plan may still
/// turn out to be damaged.
package final class PlanReader {
  package let header: PlanHeader
  private let name: [UInt8]
  private let file: OwnedFile
  private let digest: Digest
  private let input: PlanEntryInput
  /// The header with the totals of the records read so far.
  private var found: PlanHeader
  private var isOver = false

  /// Opens a plan. Throws a `Fault` if the file is unreadable, no plan, or has another length than
  /// its header says.
  package init(_ path: [UInt8]) throws(Fault) {
    name = path
    let sealed = try SealedFile(path, "plan", version: PlanHeader.version)
    file = sealed.file
    guard let header = PlanHeader(sealed.header),
      header.line(width: sealed.line.count) == sealed.line
    else { throw Fault(path, damaged: "its first line is malformed") }
    try sealed.expect(length: header.length)
    self.header = header
    found = header.withoutTotals
    digest = try Fault.of(path, try Digest.begun(.sha256, []))
    input = PlanEntryInput(
      file.descriptor, name: path, from: sealed.line.count, digest: digest)
  }

  /// Returns the next record; `nil` after the last one, if the plan is what was written.
  package func next() throws(Fault) -> PlanEntry? {
    if isOver { return nil }
    guard let record = try input.next() else {
      try finish()
      return nil
    }
    guard record.hasShard == (record.shard != nil), record.shard ?? 0 < header.shards else {
      throw Fault(name, damaged: "a record has no valid shard")
    }
    found.add(record)
    return record
  }

  private func finish() throws(Fault) {
    isOver = true
    let id = try Fault.of(name, try header.id(after: digest))
    if id != header.id { throw Fault(name, damaged: "its SHA-256 differs") }
    if found != header { throw Fault(name, damaged: "its totals differ") }
  }
}

extension PlanHeader {
  /// Returns the SHA-256 after the records: the header, with an empty `plan`, comes after them.
  func id(after records: Digest) throws(Errno) -> String {
    var header = self
    header.id = ""
    try records.update(header.text)
    try records.finish()
    return records.hexadecimal
  }
}

/// The records of a plan as they come from a file, in flat memory.
final class PlanEntryInput {
  private let lines: ManifestReader
  private let name: [UInt8]
  private let link = ByteBuffer()

  /// - Parameter digest: Takes in all bytes that are read.
  init(_ descriptor: FileDescriptor, name: [UInt8], from offset: Int = 0, digest: Digest? = nil) {
    self.name = name
    lines = ManifestReader(descriptor, from: Int64(offset), terminator: 0)
    lines.digest = digest
  }

  func next() throws(Fault) -> PlanEntry? {
    guard let line = try line() else { return nil }
    guard let record = PlanEntry(line) else {
      throw Fault(name, damaged: "it has a malformed record")
    }
    if record.kind != .link { return record }
    let path = link.hold(record.path)
    guard let target = try self.line() else {
      throw Fault(name, damaged: "its last record is cut off")
    }
    return PlanEntry(kind: .link, shard: record.shard, path: path, target: target)
  }

  private func line() throws(Fault) -> UnsafeRawBufferPointer? {
    let line = try Fault.attributing(to: name) { () throws(Errno) in try lines.next() }
    if line != nil && lines.isCut { throw Fault(name, damaged: "its last record is cut off") }
    return line.map { UnsafeRawBufferPointer($0) }
  }
}
