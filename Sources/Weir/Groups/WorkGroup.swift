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
internal import SystemPackage

/// Work that callers wait for together, with the first error of any of it.
///
///     import Dispatch
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
  nonisolated(unsafe) let handle: OpaquePointer

  struct State {
    var firstError: (any Error)?
    var wasCancelled = false
    var hasFailed = false
    var outstanding = 0
    var waits = TaskWaits()

    /// The error of a wait after the last leave.
    var error: (any Error)? { firstError ?? (wasCancelled ? CancellationError() : nil) }

    /// Keeps the first error. After a cancel a `CancellationError` is no error of its own.
    mutating func keep(_ error: (any Error)?) {
      if wasCancelled && error is CancellationError { return }
      firstError = firstError ?? error
    }

    /// Counts one membership as ended. Returns the waits that end with it.
    mutating func leave() -> TaskWaits {
      outstanding -= 1
      return outstanding == 0 ? waits.take() : TaskWaits()
    }
  }

  let state = Locked(State())

  /// Creates an empty group.
  ///
  /// - Parameter label: The name for messages and traces.
  ///
  /// - Complexity: O(1). Blocks: no.
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
  /// `_ = group.enter()` leaves at once, also if the compiler suggests it for a membership that
  /// is not mentioned again. To leave at the end of a scope write
  /// `defer { extendLifetime(membership) }`.
  ///
  /// - Returns: The membership.
  ///
  /// - Complexity: O(1). Blocks: no.
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

  /// Submits work to a dispatch queue as part of the group, which keeps its error unless there was
  /// an earlier one.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_group_async_f`.
  public func async(on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Void) {
    countIn()
    queue.async { self.run(work) }
  }

  /// Submits work to a queue that owns a value, as part of the group. The work is called with the
  /// value; its error is kept unless there was an earlier one.
  ///
  ///     let group = WorkGroup(label: "sums")
  ///     let sum = OwnedQueue(label: "sum", context: 0)
  ///     for number in 1...10 {
  ///       group.async(on: sum) { sum in sum += number }
  ///     }
  ///     try group.wait()
  ///
  /// - Complexity: O(1). Blocks: no.
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

  /// Runs work that has entered, unless the group has failed, and leaves. The error of work
  /// that begins after a cancel does not count.
  private func run(_ work: () throws -> Void) {
    let isLate = isCancelled
    var thrown: (any Error)?
    if !isLate || !state.with({ $0.hasFailed }) {
      do { try work() } catch { thrown = error }
    }
    leave(with: isLate ? nil : thrown)
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
  /// outstanding, waits end with a `CancellationError`, unless work fails that had begun
  /// before. To drop the work that has not begun, call ``fail(_:)``.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_group_cancel`.
  public func cancel() {
    weir_group_cancel(handle)
    state.with { state in
      if state.outstanding > 0 { state.wasCancelled = true }
    }
  }

  /// Ends the group with an error: keeps the error if it is the first, cancels the group, and
  /// drops all work that has not begun.
  ///
  ///     import Weir
  ///
  ///     struct Unreadable: Error {}
  ///     let lanes = Lanes(label: "pages", width: 4)
  ///     let group = WorkGroup(label: "pages")
  ///     for page in 1...100 {
  ///       group.async(on: lanes) {
  ///         if page == 13 { group.fail(Unreadable()) }
  ///       }
  ///     }
  ///     do { try group.wait() } catch { print(error) }
  ///
  /// Work that throws an error does not end the group: the rest of the work goes on. Work of
  /// the `async` methods that has not begun, also work submitted later, leaves the group in its
  /// turn without running; its closure is released. Work that runs goes on, and may stop if
  /// ``isCancelled``.
  ///
  /// - Parameter error: The error that waits throw, unless there was an earlier one.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. Any thread may call the method, also in the work.
  ///
  /// The corresponding C function is `weir_group_fail`.
  public func fail(_ error: any Error) {
    state.with { state in
      state.keep(error)
      state.hasFailed = true
    }
    weir_group_fail(handle, Errno.canceled.rawValue)
  }

  /// A Boolean value that indicates whether ``cancel()`` or ``fail(_:)`` was called.
  ///
  /// - Complexity: O(1): one atomic load. Blocks: no.
  ///
  /// The corresponding C function is `weir_group_cancelled`.
  public var isCancelled: Bool { weir_group_cancelled(handle) }

  /// The number of units of outstanding work. It may have changed by the time it is read.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_group_outstanding`.
  public var outstanding: Int { state.with { $0.outstanding } }
}
