// Threads for blocking code in async tests, which must not block the cooperative
// pool, and values that threads share.

internal import Glibc

/// Runs a body on a new thread, and suspends until it has ended. Swift's cooperative
/// pool has one thread per core: a test that blocks one of them delays all others.
/// The thread runs a task, so that expectations in the body belong to the test.
///
/// If the test reaches its time limit, the thread continues alone.
public func onThread<T: Sendable>(
  _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  let outcome = Decision<T>()
  Task(executorPreference: ThreadExecutor()) {
    outcome.decide(Result { try body() })
  }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { outcome.await($0) }
  } onCancel: {
    outcome.decide(.failure(CancellationError()))
  }
}

/// Blocks until a condition holds. Returns false after a time that is far longer than needed.
@discardableResult
public func eventuallyBlocking(_ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = monotonicSeconds() + 300
  while try !condition() {
    guard monotonicSeconds() < deadline else { return false }
    usleep(200)
  }
  return true
}

/// A result that is set once, and the continuation that waits for it.
private final class Decision<T: Sendable>: Sendable {
  private struct State {
    var result: Result<T, any Error>?
    var waiter: CheckedContinuation<T, any Error>?
  }

  private let state = Shared(State())

  func decide(_ result: Result<T, any Error>) {
    let waiter = state.change { state in
      let waiter = state.result == nil ? state.waiter : nil
      state.result = state.result ?? result
      return waiter
    }
    waiter?.resume(with: result)
  }

  func await(_ waiter: CheckedContinuation<T, any Error>) {
    let result = state.change { state in
      state.waiter = waiter
      return state.result
    }
    if let result { waiter.resume(with: result) }
  }
}

/// Runs every job on a new thread.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

public func startThread(_ body: @escaping @Sendable () -> Void) {
  var thread = pthread_t()
  let box = Unmanaged.passRetained(ThreadBody(body))
  let error = pthread_create(
    &thread, nil,
    { box in
      if let box { Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().body() }
      return nil
    }, box.toOpaque())
  precondition(error == 0, "no thread for a test")
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

/// Calls a closure with each of the items, on so many threads at once.
public func onThreads<T: Sendable>(
  _ count: Int, _ items: [T], _ body: @escaping @Sendable (T) throws -> Void
) async throws {
  let left = Shared(items[...])
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<count {
      group.addTask {
        try await onThread { while let item = left.change({ $0.popFirst() }) { try body(item) } }
      }
    }
    try await group.waitForAll()
  }
}

/// A value that several threads change, protected by a pthread mutex. The thread
/// sanitizer does not know the mutex of Synchronization, and reports its contents.
public final class Shared<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var state: Value  // protected by the mutex

  public init(_ value: Value) {
    state = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  public var value: Value { change { $0 } }

  @discardableResult
  public func change<R: Sendable>(_ body: @Sendable (inout Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }
}

extension Shared<Int> {
  @discardableResult
  public func next() -> Int {
    change {
      $0 += 1
      return $0
    }
  }
}
