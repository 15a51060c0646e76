internal import WeirLibC

/// A value that one thread at a time can use.
///
/// The lock is a pthread mutex instead of `Synchronization.Mutex`, whose system calls
/// ThreadSanitizer does not know on Linux: it would report false races in every program
/// that uses Weir. The class is for all targets of this package.
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

  /// Runs `body` with the value. `body` must not call this method again.
  package func with<R, E: Error>(_ body: (inout Value) throws(E) -> sending R) throws(E)
    -> sending R
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
