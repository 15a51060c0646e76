// The writer of a worker's list.

internal import WeirLibC
internal import SystemPackage

/// A writer of the entries that one of several workers has listed.
///
/// @unchecked Sendable: one call at a time, which the deliveries of a run are.
package final class PlanListWriter: @unchecked Sendable {
  private let output: PlanOutput
  private let descriptor: FileDescriptor
  private let digest: Digest
  private let records: PlanRecordOutput
  private let width: Int
  private var header: PlanListHeader

  /// Begins a list.
  ///
  /// - Parameter output: A file that is not replaced if it exists.
  package init(_ output: PlanOutput, _ header: PlanListHeader) throws(PlanError) {
    self.output = output
    self.header = header
    let width = header.width
    self.width = width
    let descriptor = try output.create()
    self.descriptor = descriptor
    digest = try PlanError.attributing(to: output.path) { () throws(Errno) in
      try descriptor.write(all: Array(repeating: UInt8(ascii: " "), count: width))
      let digest = try Digest(.sha256)
      try digest.begin()
      return digest
    }
    records = PlanRecordOutput(descriptor, digest: digest)
  }

  /// Adds an entry.
  ///
  /// - Parameter source: The index of its PATH.
  package func add(_ record: PlanRecord, source: Int) throws(PlanError) {
    header.entries += 1
    try PlanError.attributing(to: output.path) { () throws(Errno) in
      try records.append(record.with(shard: source))
    }
  }

  /// Writes the list.
  ///
  /// - Parameters:
  ///   - filtered: The number of entries that filters have excluded.
  ///   - filteredByAll: The part of them that all workers find.
  ///   - isIncomplete: True if something could not be read.
  /// - Returns: False if another process has written the list before. It stays.
  package func finish(
    filtered: UInt64, filteredByAll: UInt64, isIncomplete: Bool
  ) throws(PlanError) -> Bool {
    (header.filtered, header.filteredByAll) = (filtered, filteredByAll)
    header.isIncomplete = isIncomplete
    header.length = records.length
    try PlanError.attributing(to: output.path) { () throws(Errno) in
      try records.flush()
      header.id = try header.id(after: digest)
      try descriptor.write(all: header.line(width: width), at: 0)
    }
    return try output.commit(replaces: false)
  }
}
