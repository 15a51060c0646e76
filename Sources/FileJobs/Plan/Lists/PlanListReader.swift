// The reader of a worker's list, which proves it while it reads.

internal import WeirLibC
internal import SystemPackage

/// A reader of the records of a list, in order.
package final class PlanListReader {
  package let header: PlanListHeader
  let name: [UInt8]
  private let descriptor: FileDescriptor
  private let digest: Digest
  private let input: PlanRecordInput
  private var entries: UInt64 = 0

  /// Opens a list.
  ///
  /// - Throws: A `PlanError` if the file cannot be read, is not a list, or has another length
  ///   than its header says.
  package init(_ path: [UInt8]) throws(PlanError) {
    name = path
    let file = try PlanFile(path)
    descriptor = file.descriptor
    do throws(PlanError) {
      let line = try file.firstLine(of: PlanListHeader.begin)
      guard let header = JSONValue(line).flatMap({ PlanListHeader($0) }),
        header.line(width: line.count) == line
      else { throw PlanError(path, .damaged("its first line is malformed")) }
      self.header = header
      try file.expect(length: header.length, after: line.count)
      digest = try PlanError.attributing(to: path) { () throws(Errno) in
        let digest = try Digest(.sha256)
        try digest.begin()
        return digest
      }
      input = PlanRecordInput(
        file.descriptor, name: path, offset: line.count, length: header.length, digest: digest,
        capacity: 1 << 14)
    } catch {
      close(file.descriptor.rawValue)
      throw error
    }
  }

  deinit { close(descriptor.rawValue) }

  /// Returns the next record, with the index of its PATH as its shard; `nil` after the last
  /// one, if the list is what was written.
  func next() throws(PlanError) -> PlanRecord? {
    if let record = try input.next() {
      entries += 1
      if record.shard == nil { throw PlanError(name, .damaged("a record has no PATH")) }
      return record
    }
    let id = try PlanError.attributing(to: name) { () throws(Errno) in
      try header.id(after: digest)
    }
    if id != header.id || entries != header.entries {
      throw PlanError(name, .damaged("its SHA-256 differs"))
    }
    return nil
  }
}
