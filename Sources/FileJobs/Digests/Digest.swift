// The state of one digest.

internal import CFileKernels
public import SystemPackage
public import Weir

/// A digest under computation, used for one file after the other. A lane owns
/// it: it is for one thread at a time.
public final class Digest {
  private let state: OpaquePointer
  private let memory: UnsafeMutablePointer<UInt8>
  /// How many bytes a digest has.
  public let byteCount: Int

  /// Makes a state for an algorithm.
  ///
  /// - Throws: `Errno.notSupported` where libcrypto does not offer it (a FIPS
  ///   provider has no MD5).
  public init(_ algorithm: DigestAlgorithm) throws(Errno) {
    guard let state = kernel_digest_create(algorithm.kernel) else { throw .notSupported }
    self.state = state
    byteCount = algorithm.byteCount
    memory = .allocate(capacity: Int(KERNEL_DIGEST_MAX))
    memory.initialize(repeating: 0, count: Int(KERNEL_DIGEST_MAX))
  }

  deinit {
    kernel_digest_destroy(state)
    memory.deallocate()
  }

  /// Computes the digest of what is left of a file.
  ///
  /// - Throws: What reading throws; `Errno.notSupported` where libcrypto fails.
  public func compute(_ file: borrowing OpenFile) throws(Errno) {
    try begin()
    while let piece = try file.read() { try update(piece) }
    try finish()
  }

  func begin() throws(Errno) {
    guard kernel_digest_begin(state) else { throw .notSupported }
  }

  func update(_ piece: UnsafeRawBufferPointer) throws(Errno) {
    guard kernel_digest_update(state, piece.baseAddress, piece.count) else {
      throw .notSupported
    }
  }

  func finish() throws(Errno) {
    guard kernel_digest_finish(state, memory) else { throw .notSupported }
  }

  /// The digest computed last; of use until the next one is begun.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: byteCount)
  }

  /// Takes over what ``bytes`` were when this digest was computed before.
  func restore(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count == byteCount else { return }
    memory.update(from: source.assumingMemoryBound(to: UInt8.self), count: byteCount)
  }

  /// The digest computed last, as hexadecimal digits.
  public var hexadecimal: String {
    String(unsafeUninitializedCapacity: byteCount * 2) { memory in
      guard let start = memory.baseAddress else { return 0 }
      writeHexadecimal(to: start)
      return byteCount * 2
    }
  }

  /// Writes the digest computed last as hexadecimal digits: two a byte.
  func writeHexadecimal(to out: UnsafeMutablePointer<UInt8>) {
    out.withMemoryRebound(to: CChar.self, capacity: byteCount * 2) {
      kernel_hexadecimal($0, memory, byteCount)
    }
  }
}
