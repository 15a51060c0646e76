// Tasks that run on the thread that starts, resumes or cancels them, so that a test knows when
// they are suspended.

import TestSupport
import Weir

/// A task that waits, and its result.
struct Waiter<T: Sendable> {
  private let task: Task<Void, Never>
  private let ended = Shared<Swift.Result<T, any Error>?>(nil)
  private let over = Latch()

  /// After the call the task is suspended or has ended.
  init(_ wait: @escaping @Sendable () async throws -> T) {
    let ended = ended
    let over = over
    task = Task(executorPreference: Lanes.inline(label: "here")) {
      let result: Swift.Result<T, any Error>
      do { result = .success(try await wait()) } catch { result = .failure(error) }
      ended.change { $0 = result }
      over.open()
    }
  }

  var hasEnded: Bool { ended.value != nil }
  var wasCancelled: Bool {
    if case .failure(let error) = ended.value { error is CancellationError } else { false }
  }

  func cancel() {
    task.cancel()
  }

  /// The result; nil if the task threw or never ends. For threads.
  func value() -> T? {
    over.wait()
    return try? ended.value?.get()
  }
}
