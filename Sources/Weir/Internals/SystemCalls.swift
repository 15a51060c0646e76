// System calls that a signal may interrupt, for every target of the package.

package import SystemPackage
internal import WeirLibC

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
