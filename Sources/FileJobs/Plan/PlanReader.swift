// The reader of a plan, which proves it while it reads.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A reader of a plan's records, in order.
///
/// The header is checked against the size of the file at once; the SHA-256 and all totals
/// when the last record has been read. Until ``next()`` has returned `nil`, a plan may still
/// turn out to be damaged.
package final class PlanReader {
  package let header: PlanHeader
  private let name: [UInt8]
  private let descriptor: FileDescriptor
  private let digest: Digest
  private let input: PlanRecordInput
  /// The totals of the records read so far.
  private var totals: PlanTotals
  private var isOver = false

  /// Opens a plan.
  ///
  /// - Throws: A `PlanError` if the file cannot be read, is not a plan, or has another length
  ///   than its header says.
  package init(_ path: [UInt8]) throws(PlanError) {
    name = path
    let file = try PlanFile(path)
    descriptor = file.descriptor
    do throws(PlanError) {
      let line = try file.firstLine(of: PlanHeader.begin)
      header = try PlanReader.header(in: line, of: path)
      try file.expect(length: header.length, after: line.count)
      digest = try PlanError.attributing(to: path) { () throws(Errno) in
        let digest = try Digest(.sha256)
        try digest.begin()
        return digest
      }
      input = PlanRecordInput(
        file.descriptor, name: path, offset: line.count, length: header.length, digest: digest)
      totals = PlanTotals(shards: header.shards)
    } catch {
      close(file.descriptor.rawValue)
      throw error
    }
  }

  deinit { close(descriptor.rawValue) }

  private static func header(in line: [UInt8], of name: [UInt8]) throws(PlanError) -> PlanHeader {
    guard let object = JSONValue(line), let version = PlanHeader.version(of: object) else {
      throw PlanError(name, .damaged("its first line is malformed"))
    }
    if version > PlanHeader.version { throw PlanError(name, .version(version)) }
    guard let header = PlanHeader(object), header.line(width: line.count) == line else {
      throw PlanError(name, .damaged("its first line is malformed"))
    }
    return header
  }

  /// Returns the next record; `nil` after the last one, if the plan is what was written.
  package func next() throws(PlanError) -> PlanRecord? {
    if isOver { return nil }
    guard let record = try input.next() else {
      try finish()
      return nil
    }
    guard record.hasShard == (record.shard != nil), record.shard ?? 0 < header.shards else {
      throw PlanError(name, .damaged("a record has no valid shard"))
    }
    totals.add(record)
    return record
  }

  /// Compares the totals and the SHA-256 with those of the header.
  private func finish() throws(PlanError) {
    isOver = true
    let id = try PlanError.attributing(to: name) { () throws(Errno) in
      try header.id(after: digest)
    }
    if id != header.id { throw PlanError(name, .damaged("its SHA-256 differs")) }
    if !totals.agree(with: header) { throw PlanError(name, .damaged("its totals differ")) }
  }
}

extension PlanHeader {
  /// Returns the SHA-256 of a plan whose records a digest has taken in: the header, with an
  /// empty `plan`, comes after them.
  func id(after records: Digest) throws(Errno) -> String {
    var header = self
    header.id = ""
    return try records.finish(after: header.json)
  }
}

extension Digest {
  /// Takes in some last bytes. Returns the digest as hexadecimal digits.
  func finish(after last: [UInt8]) throws(Errno) -> String {
    let result = last.withUnsafeBytes { bytes in
      Result { () throws(Errno) in
        try update(bytes)
        try finish()
        return hexadecimal
      }
    }
    return try result.get()
  }
}
