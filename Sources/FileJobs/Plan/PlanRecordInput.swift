// The records of a plan as they come from a file, in flat memory.

internal import SystemPackage

/// A sequence of records in a file. Its memory is 64 KiB, or at most four times the longest
/// record.
final class PlanRecordInput {
  private let descriptor: FileDescriptor
  private let name: [UInt8]
  /// The number of bytes that are not read yet.
  private var left: UInt64
  private let digest: Digest?
  private var memory: UnsafeMutableRawBufferPointer
  private var begin = 0
  private var end = 0
  private var offset: Int

  /// - Parameters:
  ///   - offset: The offset of the first record.
  ///   - length: The number of bytes of all records.
  ///   - digest: A digest to which all bytes are added as they are read.
  ///   - capacity: The number of bytes read at once.
  init(
    _ descriptor: FileDescriptor, name: [UInt8], offset: Int, length: UInt64, digest: Digest?,
    capacity: Int = 1 << 16
  ) {
    memory = .allocate(byteCount: capacity, alignment: 16)
    self.descriptor = descriptor
    self.name = name
    self.offset = offset
    left = length
    self.digest = digest
  }

  deinit { memory.deallocate() }

  /// Returns the next record; `nil` after the last one.
  func next() throws(Fault) -> PlanRecord? {
    while true {
      if begin < end {
        switch PlanRecord.read(UnsafeRawBufferPointer(rebasing: memory[begin..<end])) {
        case .record(let parsed):
          begin += parsed.count
          return parsed.record
        case .malformed: throw damaged("it has a malformed record")
        case .incomplete: if left == 0 { throw damaged("its last record is cut off") }
        }
      } else if left == 0 {
        return nil
      }
      try fill()
    }
  }

  /// No path is longer, and no link with its target.
  private static let recordMax = 1 << 20

  private func damaged(_ how: String) -> Fault { Fault(name, damaged: how) }

  /// Reads more bytes after those that are not used yet.
  private func fill() throws(Fault) {
    let rest = UnsafeRawBufferPointer(rebasing: memory[begin..<end])
    if begin > 0 {
      memory.copyMemory(from: rest)
    } else if end == memory.count {
      if memory.count >= PlanRecordInput.recordMax { throw damaged("it has a record without end") }
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2, alignment: 16)
      larger.copyMemory(from: rest)
      memory.deallocate()
      memory = larger
    }
    (begin, end) = (0, rest.count)
    let room = min(UInt64(memory.count - end), left)
    let target = UnsafeMutableRawBufferPointer(rebasing: memory[end..<(end + Int(room))])
    let count = try Fault.attributing(to: name) { () throws(Errno) in
      try descriptor.read(filling: target, at: offset)
    }
    guard count == target.count else { throw damaged("it became shorter while it was read") }
    try Fault.attributing(to: name) { () throws(Errno) in
      try digest?.update(UnsafeRawBufferPointer(target))
    }
    end += count
    offset += count
    left -= room
  }
}
