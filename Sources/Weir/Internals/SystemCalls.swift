// Errors of C functions and of system calls, which a signal may interrupt, and memory for
// buffers.

package import SystemPackage
internal import WeirLibC

/// Throws the errno value that a C function returned, if any.
func check(_ error: Int32) throws(Errno) {
  if error != 0 { throw Errno(rawValue: error) }
}

/// Repeats a system call as long as a signal interrupts it.
///
/// - Returns: The result of the call, never negative.
/// - Throws: The value of `errno` after any other failure.
@discardableResult
package func retryingOnInterrupt<R: SignedInteger>(_ call: () -> R) throws(Errno) -> R {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = errno
    if error != EINTR { throw Errno(rawValue: error) }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Allocates memory for a buffer, on a page boundary; the caller frees it with `free`. The
  /// standard library's `allocate` ends the program if there is none.
  ///
  /// - Throws: `Errno.noMemory`.
  package static func allocating(_ count: Int) throws(Errno) -> UnsafeMutableRawBufferPointer {
    var memory: UnsafeMutableRawPointer?
    let error = posix_memalign(&memory, 4096, count)
    guard error == 0, let memory else { throw .noMemory }
    return UnsafeMutableRawBufferPointer(start: memory, count: count)
  }
}
