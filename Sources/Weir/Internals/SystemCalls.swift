// Errors of C functions and of system calls, which a signal may interrupt, and memory for
// buffers.

package import SystemPackage
internal import WeirLibC

/// Throws the errno value that a C function returned, if any.
func check(_ error: Int32) throws(Errno) {
  if error != 0 { throw Errno(rawValue: error) }
}

/// Repeats a system call as long as a signal interrupts it. Throws the errno of any other failure.
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
  /// Allocates memory on a page boundary, for `free`. (`allocate` ends the program if there is none.)
  package static func allocating(_ count: Int) throws(Errno) -> UnsafeMutableRawBufferPointer {
    var memory: UnsafeMutableRawPointer?
    let error = posix_memalign(&memory, 4096, count)
    guard error == 0, let memory else { throw .noMemory }
    return UnsafeMutableRawBufferPointer(start: memory, count: count)
  }
}
