// The records of a plan as they come from a file, in flat memory.

internal import SystemPackage

final class PlanEntryInput {
  private let lines: ManifestReader
  private let name: [UInt8]
  private let link = ByteBuffer()

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
    return PlanEntry(.link, shard: record.shard, path: path, target: target)
  }

  private func line() throws(Fault) -> UnsafeRawBufferPointer? {
    let line = try Fault.attributing(to: name) { () throws(Errno) in try lines.next() }
    if line != nil && lines.isCut { throw Fault(name, damaged: "its last record is cut off") }
    return line.map { UnsafeRawBufferPointer($0) }
  }
}
