// State that several threads share, and ways to wait for it. Everything that
// waits gives up at a deadline, so that a test fails instead of hanging.
import CWeir
import Glibc

/// How long to wait for what has to happen, in seconds; WEIR_TEST_PATIENCE
/// overrides it.
let patience = getenv("WEIR_TEST_PATIENCE").flatMap { Double(String(cString: $0)) } ?? 30

/// How many operations the tests against models put into every order;
/// WEIR_TEST_DEPTH overrides it, for runs that are repeated many times.
let depthOfModels = getenv("WEIR_TEST_DEPTH").flatMap { Int(String(cString: $0)) } ?? 5

/// A value behind a mutex.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func with<T>(_ body: (inout Value) throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  var now: Value { with { $0 } }
}

/// Counts, and remembers the most there ever was.
final class Meter: Sendable {
  private let state = Locked((now: 0, most: 0, ever: 0))

  func enter(_ amount: Int = 1) {
    state.with {
      $0.now += amount
      $0.ever += amount
      $0.most = max($0.most, $0.now)
    }
  }

  func leave(_ amount: Int = 1) { state.with { $0.now -= amount } }
  var now: Int { state.now.now }
  var most: Int { state.now.most }
  var ever: Int { state.now.ever }
}

/// Opens when so many have arrived.
final class Latch: @unchecked Sendable {
  private let missing: Locked<Int>

  init(_ count: Int) { missing = Locked(count) }

  func arrive() { missing.with { $0 -= 1 } }

  var isOpen: Bool { missing.now <= 0 }

  @discardableResult
  func wait() -> Bool { eventually { isOpen } }

  @discardableResult
  func arriveAndWait() -> Bool {
    arrive()
    return wait()
  }
}

/// Looks again and again until it is so; false when the deadline has passed.
func eventually(_ isSo: () -> Bool) -> Bool {
  let deadline = seconds() + patience
  var pause: UInt32 = 20
  while !isSo() {
    if seconds() > deadline { return false }
    usleep(pause)
    pause = min(pause * 2, 2000)
  }
  return true
}

/// Of CLOCK_MONOTONIC.
func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Lets a value pass to another thread that the compiler cannot vouch for:
/// a pointer to something that is safe to use from any thread.
struct Passed<Value>: @unchecked Sendable {
  let it: Value
  init(_ it: Value) { self.it = it }
}
