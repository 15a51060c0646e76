// The digest of a drop-in tool.

internal import CFileKernels
internal import Glibc
internal import SystemPackage
internal import Weir

/// A digest under computation, for one file after the other; for one thread at
/// a time.
final class DropInDigest: DropInContent {
  private let state: OpaquePointer
  private let memory: UnsafeMutablePointer<UInt8>
  /// How many hexadecimal digits it has.
  let digitCount: Int

  /// - Parameter name: The algorithm's name, as "sha256".
  /// - Throws: `Errno.notSupported` where libcrypto does not offer it.
  init(_ name: String) throws(Errno) {
    guard let algorithm = DropInDigest.algorithm(name),
      let state = kernel_digest_create(algorithm)
    else { throw .notSupported }
    self.state = state
    digitCount = kernel_algorithm_length(algorithm) * 2
    memory = .allocate(capacity: Int(KERNEL_DIGEST_MAX))
    memory.initialize(repeating: 0, count: Int(KERNEL_DIGEST_MAX))
  }

  deinit {
    kernel_digest_destroy(state)
    memory.deallocate()
  }

  /// How many hexadecimal digits the digests of an algorithm have.
  static func digitCount(of name: String) -> Int {
    algorithm(name).map { kernel_algorithm_length($0) * 2 } ?? 0
  }

  private static func algorithm(_ name: String) -> OpaquePointer? {
    (0..<kernel_algorithm_count()).lazy.compactMap(kernel_algorithm_at).first {
      strcmp(kernel_algorithm_name($0), name) == 0
    }
  }

  /// The digest computed last.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: digitCount / 2)
  }

  /// Computes the digest of a file.
  func compute(_ file: borrowing OpenFile) throws(Errno) {
    try begin()
    while let piece = try file.read() { try add(piece) }
    try finish()
  }

  /// Computes the digest of what comes out of a descriptor, here and now.
  func compute(_ descriptor: Int32) throws(Errno) {
    try begin()
    try withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 16) {
      (memory) throws(Errno) in
      while true {
        let count = read(descriptor, memory.baseAddress, memory.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw Errno(rawValue: errno) }
        if count == 0 { return }
        try add(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      }
    }
    try finish()
  }

  /// Writes the digest computed last, as hexadecimal digits in lower case.
  func writeDigits(to out: UnsafeMutablePointer<UInt8>) {
    out.withMemoryRebound(to: CChar.self, capacity: digitCount) {
      kernel_hexadecimal($0, memory, digitCount / 2)
    }
  }

  private func begin() throws(Errno) {
    guard kernel_digest_begin(state) else { throw .notSupported }
  }

  private func add(_ piece: UnsafeRawBufferPointer) throws(Errno) {
    guard kernel_digest_update(state, piece.baseAddress, piece.count) else {
      throw .notSupported
    }
  }

  private func finish() throws(Errno) {
    guard kernel_digest_finish(state, memory) else { throw .notSupported }
  }
}
