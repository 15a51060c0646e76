// The writer of a plan: entries are collected, divided among the shards, and written.
//
// DESIGN. Until the walk has ended, there is no file but the spool, which has no name: a walk of
// the output's directory finds nothing that a later one would not. An earlier plan of the same
// name is in no walk of its successor.

internal import WeirLibC
package import SystemPackage
internal import Weir

/// A writer of a plan. Entries are added in order and spooled to a file without a name; when
/// the last one is known, each gets its shard, and the plan appears under its name.
///
/// @unchecked Sendable: one call at a time, which the deliveries of a run are; a lock guards the
/// file, which another thread may discard.
package final class PlanWriter: @unchecked Sendable {
  /// The name after symbolic links.
  private let path: [UInt8]
  /// The plan that is going to be replaced; `nil` if there is none.
  package var previous: FileDescriptor? { former?.descriptor }
  private let former: OwnedFile?
  private let file = Locked<ReplacingFile?>(nil)
  private let spool: OwnedFile
  private let records: BufferedWriter
  private let assignment: ShardAssignment
  private var header: PlanHeader

  /// The number of records between two looks at a cancellation.
  private static let interval: UInt64 = 4096

  /// Begins a plan. Relative names begin at `root`; the program may take `memory` bytes.
  package init(
    _ name: [UInt8], shards: Int, strategy: ShardStrategy, root: [UInt8], memory: UInt64
  ) throws(Fault) {
    path = try ReplacingFile.resolved(name)
    let path = path
    former = try PlanWriter.openFormer(path)
    spool = OwnedFile(try Fault.of(path, try ReplacingFile.unnamed(beside: path)))
    header = PlanHeader(shards: shards, strategy: strategy, root: root)
    assignment = ShardAssignment(shards: shards, strategy: strategy, memory: memory)
    records = BufferedWriter(spool.descriptor)
  }

  deinit { discard() }

  /// Opens an earlier plan; `nil` if there is none. Throws `notOurs` if the file is no plan.
  private static func openFormer(_ path: [UInt8]) throws(Fault) -> OwnedFile? {
    let file = try Fault.attributing(to: path) { () throws(Errno) in
      try ifExists(OwnedFile(try openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)))
    }
    guard let file else { return nil }
    let begin = SealedFile.begin(of: "plan")
    let found = try? file.descriptor.bytes(at: 0, count: begin.count)
    if found == begin || found == [] { return file }
    throw Fault(path, .notOurs)
  }

  /// True if a name leads to the file that is going to be replaced.
  package func isOwn(_ name: [UInt8]) -> Bool {
    guard let previous, let own = try? stat(of: previous), let other = try? stat(of: name) else {
      return false
    }
    return FileIdentity(own) == FileIdentity(other)
  }

  /// Adds an entry that has no shard yet.
  package func add(_ record: PlanEntry) throws(Fault) {
    switch record.kind {
    case .file: assignment.add(size: record.size)
    case .named: assignment.add(size: nil)
    case .unreadable, .directory, .link, .special: break
    }
    header.add(record)
    try attributing { () throws(Errno) in try records.append(record) }
  }

  /// Divides the entries and writes the plan. Returns its balance. Throws a `Fault`, or
  /// `Errno.canceled` if `isCanceled` returns true.
  package func finish(
    filtered: UInt64, named: PlanNamedInputs, isCanceled: () -> Bool = { false }
  ) throws -> PlanBalance {
    header.filtered = filtered
    header.named = named
    defer { discard() }
    try attributing { () throws(Errno) in try records.flush() }
    assignment.divide()
    try write(isCanceled: isCanceled)
    return PlanBalance(header, assignment)
  }

  /// Removes the temporary file, if there is one. A process that ends without waiting for its
  /// threads calls it too.
  package func discard() { file.with { $0?.discard() } }

  private func write(isCanceled: () -> Bool) throws {
    let width = header.width
    let (file, digest) = try attributing { () throws(Errno) in
      let file = try ReplacingFile(path)
      self.file.with { $0 = file }
      if let former = try? stat(of: path) { file.descriptor.copyOwnership(of: former) }
      try file.descriptor.write(all: Array(repeating: UInt8(ascii: " "), count: width))
      return (file, try Digest.begun(.sha256, []))
    }
    let written = BufferedWriter(file.descriptor) { (piece) throws(Errno) in
      try digest.update(piece)
    }
    let input = PlanEntryInput(spool.descriptor, name: path)
    var placed = header.withoutTotals
    while var record = try input.next() {
      record.shard = shard(of: record)
      placed.add(record)
      try attributing { () throws(Errno) in try written.append(record) }
      if placed.entries % PlanWriter.interval == 0 && isCanceled() { throw Errno.canceled }
    }
    (header.shardFiles, header.shardBytes) = (placed.shardFiles, placed.shardBytes)
    header.length = UInt64(written.count)
    try attributing { () throws(Errno) in
      try written.flush()
      header.id = try header.id(after: digest)
      try file.descriptor.write(all: header.line(width: width), at: 0)
      try file.replace()
      self.file.with { $0 = nil }
    }
  }

  private func shard(of record: PlanEntry) -> Int? {
    switch record.kind {
    case .file: assignment.shard(path: record.path, size: record.size)
    case .named: assignment.shard(path: record.path, size: nil)
    default: nil
    }
  }

  private func attributing<R>(_ body: () throws(Errno) -> R) throws(Fault) -> R {
    try Fault.attributing(to: path, body)
  }
}

extension BufferedWriter {
  fileprivate func append(_ record: PlanEntry) throws(Errno) {
    try append(capacity: record.capacity) { record.write(to: $0) }
  }
}
