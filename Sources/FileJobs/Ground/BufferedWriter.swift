internal import SystemPackage

/// Collects bytes and writes them to a file in pieces of 64 KiB.
final class BufferedWriter {
  private let descriptor: FileDescriptor
  private let observer: ((UnsafeRawBufferPointer) throws(Errno) -> Void)?
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var used = 0
  private var flushed = 0

  /// - Parameter observer: Called with each piece before it is written.
  init(
    _ descriptor: FileDescriptor,
    observer: ((UnsafeRawBufferPointer) throws(Errno) -> Void)? = nil
  ) {
    self.descriptor = descriptor
    self.observer = observer
  }

  deinit { memory.deallocate() }

  /// The number of bytes that were appended, written or not.
  var count: Int { flushed + used }

  func append(_ bytes: [UInt8]) throws(Errno) {
    try append(capacity: bytes.count) { memory in
      memory.copyBytes(from: bytes)
      return bytes.count
    }
  }

  /// Appends at most `capacity` bytes that a closure writes. The closure returns their number.
  func append(
    capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(Errno) {
    if memory.count - used < capacity { try makeRoom(for: capacity) }
    used += body(memory[used...].rebased)
  }

  private func makeRoom(for capacity: Int) throws(Errno) {
    try flush()
    if memory.count < capacity {
      memory.deallocate()
      memory = .allocate(byteCount: capacity, alignment: 16)
    }
  }

  func flush() throws(Errno) {
    let piece = UnsafeRawBufferPointer(rebasing: memory[..<used])
    try observer?(piece)
    try descriptor.write(all: piece)
    flushed += used
    used = 0
  }
}
