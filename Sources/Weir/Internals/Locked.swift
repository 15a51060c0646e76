// State behind a lock.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A value that one thread at a time may look at.
///
/// It is a pthread mutex and not `Synchronization.Mutex`, which waits by calls
/// that ThreadSanitizer does not know on Linux: every program that uses Weir
/// would be told of races that are none. For this package alone, the tool too.
package final class Locked<Value>: @unchecked Sendable {
  // @unchecked: the value is touched under the mutex alone.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Runs `body` with the value. It must not call what may come back here.
  package func with<R, E: Error>(_ body: (inout Value) throws(E) -> sending R) throws(E)
    -> sending R
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
