// A group of work that belongs together.
//
// DESIGN. The group of C keeps an int; this class keeps the error itself, which is stored
// before the failed work leaves. Every entry is one enter and one leave;
// weir_group_async_f is not used, since a DispatchQueue of Swift hides its handle.
//
// Threads wait in C. Tasks wait in a list here, since C cannot cancel a notification when a
// task gives up. So this class also counts, and in a fixed order: an enter is counted in C
// first, a leave is counted here first. If the count of C is zero, this count has been zero
// since the last enter, so no end of the group is missed.

internal import CWeir
public import Dispatch
internal import WeirLibC

/// Work that callers wait for together, with the first error of any of it.
///
///     let group = WorkGroup(label: "startup")
///     group.async(on: DispatchQueue(label: "index")) { print("index") }
///     group.async(on: DispatchQueue(label: "cache")) { print("cache") }
///     try group.wait()
///
/// Async code waits with `try await group.finished()`. For work that is not a closure, such as
/// a request that ends in a callback, ``enter()`` returns a ``Membership`` that leaves once.
///
/// Outstanding work keeps the group alive.
///
/// The corresponding C type is `weir_group_t`.
public final class WorkGroup: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  private struct State {
    var firstError: (any Error)?
    var outstanding = 0
    var waits = TaskWaits()

    mutating func keep(_ error: (any Error)?) {
      firstError = firstError ?? error
    }

    /// Counts one membership as ended. Returns the waits that end with it.
    mutating func leave() -> TaskWaits {
      outstanding -= 1
      return outstanding == 0 ? waits.take() : TaskWaits()
    }
  }

  private let state = Locked(State())

  /// Creates an empty group.
  ///
  /// - Parameter label: The name for messages and traces.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_create`.
  public init(label: String) {
    guard let made = weir_group_create(label) else {
      fatalError("no memory for the group \"\(label)\"")
    }
    handle = made
  }

  deinit {
    weir_group_release(handle)
  }

  // MARK: - Work

  /// Adds one unit of outstanding work, until its membership leaves.
  ///
  ///     let group = WorkGroup(label: "requests")
  ///     let membership = group.enter()
  ///     print("\(group.outstanding) outstanding")
  ///     membership.leave()
  ///
  /// `_ = group.enter()` leaves at once.
  ///
  /// - Returns: The membership.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_enter`.
  public func enter() -> Membership {
    countIn()
    return Membership(self)
  }

  private func countIn() {
    weir_group_enter(handle)
    state.with { $0.outstanding += 1 }
  }

  /// Submits work to a dispatch queue as part of the group.
  ///
  /// - Parameters:
  ///   - queue: The queue that runs the work.
  ///   - work: The work. The group keeps its error unless there was an earlier one.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_async_f`.
  public func async(on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Void) {
    countIn()
    queue.async { self.run(work) }
  }

  /// Submits work to a queue that owns a value, as part of the group.
  ///
  ///     let group = WorkGroup(label: "sums")
  ///     let sum = OwnedQueue(label: "sum", context: 0)
  ///     for number in 1...10 {
  ///       group.async(on: sum) { sum in sum += number }
  ///     }
  ///     try group.wait()
  ///
  /// - Parameters:
  ///   - queue: The queue that runs the work.
  ///   - work: The work, called with the value. The group keeps its error unless there was an
  ///     earlier one.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_async_f`.
  public func async<Context>(
    on queue: OwnedQueue<Context>, _ work: @escaping @Sendable (inout Context) throws -> Void
  ) {
    countIn()
    queue.async { context in self.run { try work(&context) } }
  }

  /// Submits work to lanes as part of the group. The backlog of the lanes limits submission.
  ///
  ///     let group = WorkGroup(label: "thumbnails")
  ///     let lanes = Lanes(label: "thumbnails", width: 4, backlog: 100)
  ///     for number in 1...1000 {
  ///       group.async(on: lanes) { print("thumbnail \(number)") }
  ///     }
  ///     try group.wait()
  ///
  /// - Parameters:
  ///   - lanes: The lanes that run the work. Work that they do not run, because they were closed
  ///     or cancelled, leaves the group with a `CancellationError`.
  ///   - work: The work. The group keeps its error unless there was an earlier one.
  ///
  /// - Complexity: O(1), amortized.
  ///
  /// Blocks: while the backlog of the lanes is full, like ``Lanes/async(_:)``. Async code uses
  /// lanes without a backlog.
  ///
  /// The corresponding C function is `weir_group_lanes_f`.
  public func async(on lanes: Lanes, _ work: @escaping @Sendable () throws -> Void) {
    countIn()
    lanes.async {
      self.run(work)
    } dropped: {
      self.leave(with: CancellationError())
    }
  }

  /// Runs work that has entered, and leaves.
  private func run(_ work: () throws -> Void) {
    do {
      try work()
      leave(with: nil)
    } catch {
      leave(with: error)
    }
  }

  func leave(with error: (any Error)?) {
    let waits = state.with { state in
      state.keep(error)
      return state.leave()
    }
    weir_group_leave(handle)
    waits.end()
  }

  // MARK: - Cancelling

  /// Marks the work of the group as no longer wanted.
  ///
  /// Submitted work still runs, and can read ``isCancelled`` to stop early. If work is
  /// outstanding and there was no earlier error, the group's error is a `CancellationError`.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_cancel`.
  public func cancel() {
    weir_group_cancel(handle)
    state.with { state in
      if state.outstanding > 0 { state.keep(CancellationError()) }
    }
  }

  /// A Boolean value that indicates whether ``cancel()`` was called.
  ///
  /// - Complexity: O(1): one atomic load.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_cancelled`.
  public var isCancelled: Bool { weir_group_cancelled(handle) }

  /// The number of units of outstanding work. It may have changed by the time it is read.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_outstanding`.
  public var outstanding: Int { state.with { $0.outstanding } }

  // MARK: - Waiting

  /// Waits until nothing is outstanding.
  ///
  /// In work of the same group the call would wait for itself.
  ///
  /// - Parameter timeout: The time to give up.
  /// - Returns: `.timedOut` if work was still outstanding at that time.
  /// - Throws: The first error of any work, from now on until the group ends; a
  ///   `CancellationError` if ``cancel()`` came first. No error on a time-out.
  ///
  /// - Complexity: O(1), apart from the wait.
  ///
  /// Blocks: yes, until `timeout` at most.
  ///
  /// The corresponding C function is `weir_group_wait`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: DispatchTime = .distantFuture) throws -> DispatchTimeoutResult {
    try wait(rawTimeout: timeout.rawValue)
  }

  /// Waits until nothing is outstanding, with a time-out by the wall clock.
  ///
  /// - Parameter wallTimeout: The time to give up.
  /// - Returns: `.timedOut` if work was still outstanding at that time.
  /// - Throws: Like `wait(timeout:)`.
  ///
  /// - Complexity: O(1), apart from the wait.
  ///
  /// Blocks: yes, until `wallTimeout` at most.
  ///
  /// The corresponding C function is `weir_group_wait`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @discardableResult
  public func wait(wallTimeout: DispatchWallTime) throws -> DispatchTimeoutResult {
    try wait(rawTimeout: wallTimeout.rawValue)
  }

  private func wait(rawTimeout: dispatch_time_t) throws -> DispatchTimeoutResult {
    // The last leave may have been counted here, but not yet in C.
    if weir_group_wait(handle, rawTimeout) == ETIMEDOUT && outstanding > 0 { return .timedOut }
    try throwFirstError()
    return .success
  }

  private func throwFirstError() throws {
    if let error = state.with({ $0.firstError }) {
      throw error
    }
  }

  /// Suspends until nothing is outstanding. Equal to ``finished()``, under the name of the
  /// blocking form.
  ///
  /// - Throws: Like ``finished()``.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_notify_f`.
  public func wait() async throws {
    try await finished()
  }

  /// Suspends until nothing is outstanding, or until a time-out.
  ///
  ///     func start(_ group: WorkGroup) async throws {
  ///       group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///       if try await group.wait(timeout: .now() + 5) == .timedOut {
  ///         print("still starting")
  ///       }
  ///     }
  ///
  /// Cancelling the task ends the wait as it ends ``finished()``.
  ///
  /// - Parameter timeout: The time to give up.
  /// - Returns: `.timedOut` if work was still outstanding at that time.
  /// - Throws: Like ``finished()``. No error on a time-out.
  ///
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_group_wait`.
  @discardableResult
  public func wait(timeout: DispatchTime) async throws -> DispatchTimeoutResult {
    try await end(by: Deadline(timeout))
  }

  /// Suspends until nothing is outstanding, or until a time of day.
  ///
  /// Like the form with `timeout:`, but by the wall clock.
  ///
  /// - Parameter wallTimeout: The time to give up.
  /// - Returns: `.timedOut` if work was still outstanding at that time.
  /// - Throws: Like ``finished()``. No error on a time-out.
  ///
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_group_wait`.
  @discardableResult
  public func wait(wallTimeout: DispatchWallTime) async throws -> DispatchTimeoutResult {
    try await end(by: Deadline(wallTimeout))
  }

  private func end(by deadline: Deadline?) async throws -> DispatchTimeoutResult {
    try Task.checkCancellation()
    let wait = TaskWait()
    let isOver = state.with { state in
      if state.outstanding > 0 { state.waits.add(wait) }
      return state.outstanding == 0
    }
    let end = isOver ? .over : await wait.endOrCancellation(by: deadline)
    switch end {
    case .over:
      try throwFirstError()
      return .success
    case .timedOut:
      state.with { $0.waits.remove(wait) }
      return .timedOut
    case .cancelled, .refused:
      state.with { $0.waits.remove(wait) }
      throw CancellationError()
    }
  }

  /// Suspends until nothing is outstanding.
  ///
  ///     func start(_ group: WorkGroup) async throws {
  ///       group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///       try await group.finished()
  ///     }
  ///
  /// Cancelling the task ends the wait at once, with a `CancellationError`. It does not cancel
  /// the group, which other callers may wait for: its work goes on.
  ///
  /// - Throws: The first error of any work, from now on until the group ends; a
  ///   `CancellationError` if ``cancel()`` came first, or if the task was cancelled.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_notify_f`.
  public func finished() async throws {
    _ = try await end(by: nil)
  }

  /// Runs a closure on a queue when nothing is outstanding, which may be at once.
  ///
  ///     let group = WorkGroup(label: "startup")
  ///     group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///     group.notify(on: .main) { error in
  ///       print(error.map { "failed: \($0)" } ?? "started")
  ///     }
  ///
  /// - Parameters:
  ///   - queue: The queue for the closure.
  ///   - work: The closure, called once with the error that ``finished()`` would throw.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_notify_f`.
  public func notify(
    on queue: DispatchQueue, _ work: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let context = Box<Work>.retain {
      queue.async { work(self.state.with { $0.firstError }) }
    }
    let error = weir_group_notify_f(handle, Notifications.queue, context) { context, _ in
      Box<Work>.take(context)()
    }
    if error != 0 {
      fatalError("no memory to wait for a group")
    }
  }
}
