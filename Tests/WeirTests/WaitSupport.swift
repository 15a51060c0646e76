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
  var wasCancelled: Bool { error is CancellationError }
  var error: (any Error)? {
    if case .failure(let error) = ended.value { error } else { nil }
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

final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private struct Sleeper: Sendable {
    let end: Instant
    let wake: CheckedContinuation<Void, Never>
  }

  private struct State: Sendable {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var next = 0
  }

  private let state = Shared(State())

  var now: Instant { state.value.now }
  var minimumResolution: Duration { .zero }
  var sleepers: Int { state.value.sleepers.count }

  func advance(by duration: Duration) {
    let woken = state.change { state in
      state.now.offset += duration
      let now = state.now
      let woken = state.sleepers.filter { $0.value.end <= now }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values.map(\.wake)
    }
    for wake in woken { wake.resume() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.change { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let isOver = state.change { state in
          if deadline <= state.now || state.cancelled.remove(number) != nil { return true }
          state.sleepers[number] = Sleeper(end: deadline, wake: wake)
          return false
        }
        if isOver { wake.resume() }
      }
    } onCancel: {
      let sleeper = state.change { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.wake.resume()
    }
    try Task.checkCancellation()
  }
}
