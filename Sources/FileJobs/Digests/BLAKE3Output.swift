// The extended output of BLAKE3, of any length.

internal import CFileKernels

/// The output of BLAKE3 for one input, of which any part can be computed.
///
/// The value is small and needs neither the input nor the state that read it. It is trivial, so
/// that it can pass through a run as the bytes of a result.
package struct BLAKE3Output: Sendable, BitwiseCopyable {
  private var root: kernel_blake3_root_t

  init(of hasher: inout kernel_blake3_t) {
    root = kernel_blake3_root(&hasher)
  }

  /// Writes the bytes from an offset on. The end must not exceed 2^64 - 1.
  package func write(from offset: UInt64, to memory: UnsafeMutableRawBufferPointer) {
    withUnsafePointer(to: root) {
      kernel_blake3_output($0, offset, memory.baseAddress, memory.count)
    }
  }
}
