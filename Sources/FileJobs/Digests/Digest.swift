internal import CFileKernels
package import SystemPackage
package import Weir
internal import WeirLibC

/// A digest under computation, reused for file after file by one thread at a time.
package final class Digest {
  private let state: OpaquePointer
  private let memory: UnsafeMutablePointer<UInt8>
  package let byteCount: Int

  /// Throws `Errno.notSupported` if libcrypto does not offer the algorithm, or `.noMemory`.
  package init(_ algorithm: DigestAlgorithm) throws(Errno) {
    errno = 0
    guard let state = kernel_digest_create(algorithm.kernel) else {
      throw errno == ENOMEM ? .noMemory : .notSupported
    }
    self.state = state
    byteCount = algorithm.byteCount
    memory = .allocate(capacity: Int(KERNEL_DIGEST_MAX))
    memory.initialize(repeating: 0, count: Int(KERNEL_DIGEST_MAX))
  }

  deinit {
    kernel_digest_destroy(state)
    memory.deallocate()
  }

  /// Computes the digest of the rest of a file, with helpers if it is a big one and the algorithm
  /// is BLAKE3. Returns the number of bytes.
  @discardableResult
  package func compute(
    _ file: borrowing OpenFile, with helpers: HelperLanes? = nil
  ) throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    var hasAsked = helpers == nil || blake3 == nil
    try begin()
    while let piece = try file.readPiece() {
      try update(piece)
      size += UInt64(piece.count)
      if !hasAsked, let helpers, helpers.areWorthwhile(after: Int(size)) {
        hasAsked = true
        size += try computeRest(file, after: size, with: helpers)
      }
    }
    try finish()
    return size
  }

  static func begun(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) throws(Errno) -> Digest {
    let digest = try Digest(algorithm)
    try digest.begin()
    try digest.update(bytes)
    return digest
  }

  package func begin() throws(Errno) {
    guard kernel_digest_begin(state) else { throw .notSupported }
  }

  package func update(_ piece: UnsafeRawBufferPointer) throws(Errno) {
    guard kernel_digest_update(state, piece.baseAddress, piece.count) else {
      throw .notSupported
    }
  }

  func update(_ bytes: [UInt8]) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try update(UnsafeRawBufferPointer(bytes))
    }
  }

  func bytes(of content: [UInt8]) throws(Errno) -> [UInt8] {
    try begin()
    try update(content)
    try finish()
    return Array(bytes)
  }

  /// Returns the digests of an open file, from its beginning to its end, as hexadecimal digits: all
  /// from one read.
  package static func hexadecimal(
    _ algorithms: [DigestAlgorithm], of file: FileDescriptor
  ) throws(Errno) -> [String] {
    let digests = try algorithms.map { (one) throws(Errno) in try Digest(one) }
    for digest in digests { try digest.begin() }
    var offset = 0
    while case let piece = try file.bytes(at: offset, count: 1 << 16), !piece.isEmpty {
      for digest in digests { try digest.update(piece) }
      offset += piece.count
    }
    for digest in digests { try digest.finish() }
    return digests.map(\.hexadecimal)
  }

  /// The state of BLAKE3; `nil` for another algorithm.
  var blake3: UnsafeMutablePointer<kernel_blake3_t>? { kernel_digest_blake3(state) }

  /// Ends the computation: ``bytes`` is the digest.
  package func finish() throws(Errno) {
    guard kernel_digest_finish(state, memory) else { throw .notSupported }
  }

  /// The digest computed last; valid until the next computation begins.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: byteCount)
  }

  /// Sets ``bytes`` to a digest that was computed before.
  func restore(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count == byteCount else { return }
    memory.update(from: source.assumingMemoryBound(to: UInt8.self), count: byteCount)
  }

  package var hexadecimal: String { FileJobs.hexadecimal(bytes) }
}

package func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
  String(unsafeUninitializedCapacity: bytes.count * 2) { memory in
    var line = LineWriter(UnsafeMutableRawBufferPointer(memory))
    line.append(hexadecimal: bytes)
    return line.count
  }
}
