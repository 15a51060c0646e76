// Waits of the tests.

import Foundation

/// Runs a closure that blocks on a thread of its own: the server under test needs the threads of
/// the cooperative pool. It runs as a part of this task, so that its failures are those of the test.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withTaskExecutorPreference(ThreadExecutor()) { try await onThisExecutor(body) }
}

@concurrent
private func onThisExecutor<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
  try body()
}

/// Runs each job on a new thread.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.stackSize = 4 << 20
    thread.start()
  }
}

/// A wait that took too long.
struct TimeIsUp: Error, CustomStringConvertible {
  let description: String
}

/// Asks again and again until something is so, for 20 s at most.
func eventually(_ what: String, _ isSo: () throws -> Bool) throws {
  let end = Date() + 20
  while try !isSo() {
    guard Date() < end else { throw TimeIsUp(description: what) }
    usleep(5000)
  }
}

/// The seed of random inputs, printed so that a failure can be repeated: BOARD_TEST_SEED sets it.
let testSeed: UInt64 = {
  let given = ProcessInfo.processInfo.environment["BOARD_TEST_SEED"].flatMap { UInt64($0) }
  let seed = given ?? UInt64.random(in: 1...999_999_999)
  print("random inputs: BOARD_TEST_SEED=\(seed)")
  return seed
}()
