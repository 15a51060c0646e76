// Work that belongs together.
//
// C's group keeps an int; this one keeps the error itself, which is stored
// before the work that threw it leaves. Every way in is one enter and one leave,
// and weir_group_async_f is not used: a DispatchQueue of Swift hides its handle.

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
  private let firstError = Locked<(any Error)?>(nil)

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
    weir_group_enter(handle)
    return Membership(self)
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
    weir_group_enter(handle)
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
    weir_group_enter(handle)
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
  /// Blocks: where the backlog of the lanes is full, as ``Lanes/async(_:)``.
  ///
  /// The corresponding C function is `weir_group_lanes_f`.
  public func async(on lanes: Lanes, _ work: @escaping @Sendable () throws -> Void) {
    weir_group_enter(handle)
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
    keep(error)
    weir_group_leave(handle)
  }

  private func keep(_ error: (any Error)?) {
    firstError.with { first in first = first ?? error }
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
    if outstanding > 0 {
      keep(CancellationError())
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
  public var outstanding: Int { Int(clamping: weir_group_outstanding(handle)) }

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
  @available(*, noasync, message: "use finished(), which suspends")
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: DispatchTime = .distantFuture) throws -> DispatchTimeoutResult {
    try wait(rawTimeout: timeout.rawValue)
  }

  /// Waits until nothing is outstanding, by the clock on the wall.
  ///
  /// - Parameter wallTimeout: When to give up.
  /// - Returns: `.timedOut` where something was still outstanding then.
  /// - Throws: As ``wait(timeout:)``.
  ///
  /// - Complexity: O(1), besides the waiting.
  ///
  /// Blocks: yes, until `wallTimeout` at most.
  ///
  /// The corresponding C function is `weir_group_wait`.
  @available(*, noasync, message: "use finished(), which suspends")
  @discardableResult
  public func wait(wallTimeout: DispatchWallTime) throws -> DispatchTimeoutResult {
    try wait(rawTimeout: wallTimeout.rawValue)
  }

  private func wait(rawTimeout: dispatch_time_t) throws -> DispatchTimeoutResult {
    guard weir_group_wait(handle, rawTimeout) != ETIMEDOUT else { return .timedOut }
    try throwFirstError()
    return .success
  }

  private func throwFirstError() throws {
    if let error = firstError.with({ $0 }) {
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

  /// Suspends until nothing is outstanding.
  ///
  ///     func start(_ group: WorkGroup) async throws {
  ///       group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///       try await group.finished()
  ///     }
  ///
  /// Cancelling the task ends the wait at once, with a `CancellationError`. It does
  /// not cancel the group, which others may wait for: its work goes on.
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
    let waiter = CancellableWait()
    notify { waiter.end() }
    guard await waiter.isEndedBeforeCancellation() else { throw CancellationError() }
    try throwFirstError()
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
  ///   - work: What to run, once, with the error that ``wait(timeout:)`` would
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
      queue.async { work(self.firstError.with { $0 }) }
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
