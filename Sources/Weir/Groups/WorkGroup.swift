// Work that belongs together.
//
// C's group keeps an int; this one keeps the error itself, which is stored
// before the work that threw it leaves. Every way in is one enter and one leave,
// and weir_group_async_f is not used: a DispatchQueue of Swift hides its handle.
//
// Threads wait in C. Tasks wait in a list here, since a notification in C cannot
// be taken back when a task gives up. So this counts too, and in an order: who
// enters is counted in C first, who leaves is counted here first. Whenever C's
// count is zero, this one has been zero since the last enter, and no end of the
// group is missed.

internal import CWeir
public import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Work that is waited for together, and the first error of any of it.
///
///     let group = WorkGroup(label: "startup")
///     group.async(on: DispatchQueue(label: "index")) { print("index") }
///     group.async(on: DispatchQueue(label: "cache")) { print("cache") }
///     try group.wait()
///
/// Async code waits with `try await group.finished()`. What is no closure, such
/// as a request that ends in a callback, is counted by ``enter()``, which gives a
/// ``Membership`` that is left once.
///
/// Whatever is outstanding keeps the group.
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

    /// Counts one out. Who has waited for that.
    mutating func leave() -> TaskWaits {
      outstanding -= 1
      return outstanding == 0 ? waits.take() : TaskWaits()
    }
  }

  private let state = Locked(State())

  /// Makes a group with nothing in it.
  ///
  /// - Parameter label: A name for messages and traces.
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

  /// Counts one thing more as outstanding, until its membership is left.
  ///
  ///     let group = WorkGroup(label: "requests")
  ///     let membership = group.enter()
  ///     print("\(group.outstanding) outstanding")
  ///     membership.leave()
  ///
  /// `_ = group.enter()` leaves at once.
  ///
  /// - Returns: What leaves the group once.
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
  ///   - queue: Where to run.
  ///   - work: What to do. Its error becomes the group's, unless another came
  ///     first.
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
  ///   - queue: Where to run.
  ///   - work: What to do with the value. Its error becomes the group's, unless
  ///     another came first.
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

  /// Submits work to lanes as part of the group, so that submission is bounded by
  /// their backlog.
  ///
  ///     let group = WorkGroup(label: "thumbnails")
  ///     let lanes = Lanes(label: "thumbnails", width: 4, backlog: 100)
  ///     for number in 1...1000 {
  ///       group.async(on: lanes) { print("thumbnail \(number)") }
  ///     }
  ///     try group.wait()
  ///
  /// - Parameters:
  ///   - lanes: Where to run. Work that they do not run, since they were closed or
  ///     cancelled, leaves the group with a `CancellationError`.
  ///   - work: What to do. Its error becomes the group's, unless another came
  ///     first.
  ///
  /// - Complexity: O(1), amortised.
  ///
  /// Blocks: where the backlog of the lanes is full, as ``Lanes/async(_:)``. Async
  /// code uses lanes without a backlog.
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

  /// Runs work that has been counted in, and counts it out.
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

  /// Says that the group's work is no longer wanted.
  ///
  /// Nothing is taken away: work that was submitted still runs, and asks
  /// ``isCancelled`` whether to stop early. Where anything is outstanding and no
  /// error came first, the group's is a `CancellationError`.
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

  /// Whether ``cancel()`` was called.
  ///
  /// - Complexity: O(1): one atomic load.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_cancelled`.
  public var isCancelled: Bool { weir_group_cancelled(handle) }

  /// How many things are outstanding. Old news when it arrives.
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
  /// In work that is part of the group it waits for itself.
  ///
  /// - Parameter timeout: When to give up.
  /// - Returns: `.timedOut` where something was still outstanding then.
  /// - Throws: The first error of any work, from now on until the group ends; a
  ///   `CancellationError` where ``cancel()`` came first. Nothing on a time-out.
  ///
  /// - Complexity: O(1), besides the waiting.
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

  /// Waits until nothing is outstanding, by the clock on the wall.
  ///
  /// - Parameter wallTimeout: When to give up.
  /// - Returns: `.timedOut` where something was still outstanding then.
  /// - Throws: As `wait(timeout:)`.
  ///
  /// - Complexity: O(1), besides the waiting.
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
    // The last one may have been counted out here, and not yet in C.
    if weir_group_wait(handle, rawTimeout) == ETIMEDOUT && outstanding > 0 { return .timedOut }
    try throwFirstError()
    return .success
  }

  private func throwFirstError() throws {
    if let error = state.with({ $0.firstError }) {
      throw error
    }
  }

  /// Suspends until nothing is outstanding: ``finished()``, under the name of the
  /// form that blocks.
  ///
  /// - Throws: As ``finished()``.
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
  /// - Parameter timeout: When to give up.
  /// - Returns: `.timedOut` where something was still outstanding then.
  /// - Throws: As ``finished()``. Nothing on a time-out.
  ///
  /// - Complexity: O(1); a time-out that is waited for costs a timer.
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
  /// As the form with `timeout:`, by the clock that people set.
  ///
  /// - Parameter wallTimeout: When to give up.
  /// - Returns: `.timedOut` where something was still outstanding then.
  /// - Throws: As ``finished()``. Nothing on a time-out.
  ///
  /// - Complexity: O(1); a time-out that is waited for costs a timer.
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
  /// Cancelling the task ends the wait at once, with a `CancellationError`, and
  /// nothing stays of it. It does not cancel the group, which others may wait for:
  /// its work goes on.
  ///
  /// - Throws: The first error of any work, from now on until the group ends; a
  ///   `CancellationError` where ``cancel()`` came first, or the task was
  ///   cancelled.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_notify_f`.
  public func finished() async throws {
    _ = try await end(by: nil)
  }

  /// Runs a closure on a queue once nothing is outstanding, soon when nothing is.
  ///
  ///     let group = WorkGroup(label: "startup")
  ///     group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///     group.notify(on: .main) { error in
  ///       print(error.map { "failed: \($0)" } ?? "started")
  ///     }
  ///
  /// - Parameters:
  ///   - queue: Where to run it.
  ///   - work: What to run, once, with the error that ``finished()`` would
  ///     throw.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_group_notify_f`.
  public func notify(
    on queue: DispatchQueue, _ work: @escaping @Sendable ((any Error)?) -> Void
  ) {
    notify {
      queue.async { work(self.state.with { $0.firstError }) }
    }
  }

  /// Runs a closure that is soon done, on the queue for that.
  private func notify(_ work: @escaping Work) {
    let context = Box<Work>.give(work)
    let error = weir_group_notify_f(handle, Notifications.queue, context) { context, _ in
      Box<Work>.take(context)()
    }
    if error != 0 {
      fatalError("no memory to wait for a group")
    }
  }
}
