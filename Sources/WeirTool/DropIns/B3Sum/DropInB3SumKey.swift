// The keys of b3sum: from standard input, or derived from a context.

internal import CFileKernels
internal import Glibc
internal import SystemPackage
internal import Weir

enum DropInB3SumKey {
  /// The number of bytes in a key.
  private static let size = Int(KERNEL_BLAKE3_KEY_LENGTH)

  /// Reads a key of 32 bytes, which is all that standard input contains. Ends the program if
  /// standard input contains anything else.
  static func read(_ exit: DropInB3SumExit) -> kernel_blake3_key_t {
    withUnsafeTemporaryAllocation(byteCount: size + 1, alignment: 8) { memory in
      var count = 0
      do throws(Errno) {
        while count < memory.count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
          let length = try retryingOnInterrupt {
            Glibc.read(STDIN_FILENO, rest.baseAddress, rest.count)
          }
          if length == 0 { break }
          count += length
        }
      } catch {
        exit.withError(DropInB3SumText.reason(error))
      }
      if count < size { exit.withError("expected \(size) key bytes from stdin, found \(count)") }
      if count > size { exit.withError("read more than \(size) key bytes from stdin") }
      return kernel_blake3_keyed(memory.baseAddress)
    }
  }

  /// Derives the mode of a context. Ends the program if the context is not UTF-8.
  static func derive(_ context: [UInt8], _ exit: DropInB3SumExit) -> kernel_blake3_key_t {
    if String(validating: context, as: UTF8.self) == nil {
      exit.withUsageError("Invalid UTF-8 was detected in one or more arguments")
    }
    return context.withUnsafeBytes { bytes in
      kernel_blake3_derived(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
