// Threads for tests. A test runs on the cooperative pool, where blocking
// stalls other tests; a body that blocks runs on a thread of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

/// Runs each piece of a task on a new thread, where it may block.
private final class OwnThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread: pthread_t = 0
  let error = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  precondition(error == 0, "no thread: \(error)")
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs a body that blocks, on a thread of its own and still as part of the
/// test.
///
/// When the test's time is up, the thread is left behind.
func onThread<T: Sendable>(
  _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  let outcome = Outcome<T>()
  Task(executorPreference: OwnThread()) {
    outcome.decide(Result { try body() })
  }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { outcome.await($0) }
  } onCancel: {
    outcome.decide(.failure(CancellationError()))
  }
}

/// A result that is decided once, and somebody who waits for it.
private final class Outcome<T: Sendable>: Sendable {
  private struct State {
    var result: Result<T, any Error>?
    var waiter: CheckedContinuation<T, any Error>?
  }
  private let state = Locked(State())

  func decide(_ result: Result<T, any Error>) {
    let waiter = state.with { state in
      let waiter = state.result == nil ? state.waiter : nil
      state.result = state.result ?? result
      return waiter
    }
    waiter?.resume(with: result)
  }

  func await(_ waiter: CheckedContinuation<T, any Error>) {
    let result = state.with { state in
      state.waiter = waiter
      return state.result
    }
    if let result { waiter.resume(with: result) }
  }
}

/// Threads that were started together and are waited for together.
final class Crew: Sendable {
  private let left: Latch

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let left = Latch(count)
    self.left = left
    for number in 0..<count {
      startThread {
        body(number)
        left.arrive()
      }
    }
  }

  /// Whether all have ended before the deadline.
  func wait() -> Bool { left.wait() }
}
