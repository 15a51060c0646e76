// The records of a plan as they go to a file.

internal import SystemPackage

/// Writes records to a file in pieces of 64 KiB, and takes them into a digest.
final class PlanRecordOutput {
  private let descriptor: FileDescriptor
  private let digest: Digest?
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var used = 0
  /// The number of bytes of all records.
  private(set) var length: UInt64 = 0

  init(_ descriptor: FileDescriptor, digest: Digest? = nil) {
    self.descriptor = descriptor
    self.digest = digest
  }

  deinit { memory.deallocate() }

  func append(_ record: PlanRecord) throws(Errno) {
    if memory.count - used < record.capacity {
      try flush()
      memory.ensure(record.capacity)
    }
    let count = record.write(to: UnsafeMutableRawBufferPointer(rebasing: memory[used...]))
    used += count
    length += UInt64(count)
  }

  /// Writes the records that are not written yet.
  func flush() throws(Errno) {
    let piece = UnsafeRawBufferPointer(rebasing: memory[..<used])
    try digest?.update(piece)
    try descriptor.write(all: piece)
    used = 0
  }
}
