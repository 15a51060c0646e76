// A group of work that belongs together.
//
// DESIGN. The group of C keeps an int; this class keeps the error itself, which is stored before
// the failed work leaves. weir_group_async_f is not used, since a DispatchQueue of Swift hides its
// handle.
//
// Threads wait in C. Tasks wait in a list here, since C cannot cancel a notification when a task
// gives up. So this class also counts, and in a fixed order: an enter is counted in C first, a
// leave is counted here first. If the count of C is zero, this count has been zero since the last
// enter, so no end of the group is missed.

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
/// Async code waits with `try await group.wait()`. For a request that ends in a callback,
/// ``enter()`` returns a ``Membership``. Outstanding work keeps the group alive. Any thread may use
/// a group, also in its work.
///
/// The corresponding C type is `weir_group_t`.
public final class WorkGroup: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer
  private let label: String

  struct State {
    var firstError: (any Error)?
    var outstanding = 0
    /// The outstanding work on the main queue.
    var onMainQueue = 0
    /// True while a wait without a time-out occupies the main queue.
    var occupiesMain = false
    var waits = TaskWaits()

    /// Counts one membership as ended. Returns the waits that end with it.
    mutating func leave() -> TaskWaits {
      outstanding -= 1
      if outstanding > 0 { return TaskWaits() }
      occupiesMain = false  // the wait is over, also if its thread has not woken yet
      return waits.take()
    }
  }

  let state = Locked(State())

  private let cancelsOnError: Bool

  /// Creates an empty group.
  ///
  ///     import Weir
  ///
  ///     let lanes = Lanes(label: "pages", width: 4)
  ///     let group = WorkGroup(label: "pages", cancelsOnError: true)
  ///     for page in 1...100 {
  ///       group.async(on: lanes) { if page == 13 { throw CancellationError() } }
  ///     }
  ///     do { try group.wait() } catch { print("pages after 13 were not begun") }
  ///
  /// - Parameters:
  ///   - cancelsOnError: True if the first error of any work cancels the group, as
  ///     ``cancel(throwing:)`` does.
  ///
  /// Blocks: no. The corresponding C function is `weir_group_create`.
  public init(label: String, cancelsOnError: Bool = false) {
    self.cancelsOnError = cancelsOnError
    guard let made = weir_group_create(label) else {
      fatalError("no memory for the group \"\(label)\"")
    }
    handle = made
    self.label = label
  }

  deinit {
    weir_group_release(handle)
  }

  // MARK: - Work

  /// Adds one unit of outstanding work, until its membership leaves.
  ///
  /// `_ = group.enter()` leaves at once, also if the compiler suggests it for a membership that is
  /// not mentioned again. To leave at the end of a scope write
  /// `defer { extendLifetime(membership) }`.
  ///
  /// Blocks: no. The corresponding C function is `weir_group_enter`.
  public func enter() -> Membership {
    countIn()
    return Membership(self)
  }

  private func countIn() {
    weir_group_enter(handle)
    state.with { $0.outstanding += 1 }
  }

  /// Submits work to a dispatch queue as part of the group, which keeps its error unless there was
  /// an earlier one. Blocks: no. The corresponding C function is `weir_group_async_f`.
  public func async(on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Void) {
    countIn()
    let isMain = MainQueue.is(queue)
    if isMain { changeMain { $0.onMainQueue += 1 } }
    queue.async {
      self.run(work)
      if isMain { self.changeMain { $0.onMainQueue -= 1 } }
    }
  }

  /// Submits work to a queue that owns a value, as part of the group. The work is called with the
  /// value.
  ///
  ///     let group = WorkGroup(label: "sums")
  ///     let sum = OwnedQueue(label: "sum", context: 0)
  ///     for number in 1...10 {
  ///       group.async(on: sum) { sum in sum += number }
  ///     }
  ///     try group.wait()
  ///
  /// Blocks: no. The corresponding C function is `weir_group_async_f`.
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
  ///   - lanes: The lanes that run the work. Work that they do not run leaves the group with a
  ///     ``LanesError``, or ``GateError/closed`` if a gate of theirs is closed.
  ///   - work: The work. The group keeps its error unless there was an earlier one.
  ///
  /// Blocks: while the backlog of the lanes is full, like ``Lanes/async(_:dropped:)``; async code
  /// uses lanes without a backlog. The corresponding C function is `weir_group_lanes_f`.
  public func async(on lanes: Lanes, _ work: @escaping @Sendable () throws -> Void) {
    countIn()
    lanes.accept({ self.run(work) }, dropped: { self.leave(with: $0) })
  }

  /// Runs work that has entered, unless the group is cancelled, and leaves.
  private func run(_ work: () throws -> Void) {
    var thrown: (any Error)?
    if !isCancelled {
      weir_spi_group_work_begin(handle)
      do { try work() } catch { thrown = error }
      weir_spi_group_work_end()
    }
    leave(with: thrown)
  }

  func leave(with error: (any Error)?) {
    if cancelsOnError, let error { cancel(throwing: error) }
    let waits = state.with { state in
      state.firstError = state.firstError ?? error
      return state.leave()
    }
    weir_group_leave(handle)
    waits.end()
  }

  // MARK: - Cancelling

  /// Cancels the group: keeps an error if it is the first, and drops all work that has not begun.
  ///
  ///     import Weir
  ///
  ///     struct Unreadable: Error {}
  ///     let lanes = Lanes(label: "pages", width: 4)
  ///     let group = WorkGroup(label: "pages")
  ///     for page in 1...100 {
  ///       group.async(on: lanes) {
  ///         if page == 13 { group.cancel(throwing: Unreadable()) }
  ///       }
  ///     }
  ///     do { try group.wait() } catch { print(error) }
  ///
  /// Work that has not begun, also work submitted later, leaves the group in its turn without
  /// running; its closure is released. Work that runs goes on, and may stop if ``isCancelled``.
  ///
  /// - Parameter error: The error that waits throw, unless there was an earlier one.
  ///
  /// Blocks: no. The corresponding C function is `weir_group_fail`.
  public func cancel(throwing error: any Error = CancellationError()) {
    state.with { state in state.firstError = state.firstError ?? error }
    weir_group_fail(handle, Errno.canceled.rawValue)
  }

  /// True after ``cancel(throwing:)``, or after a failure in a group that cancels on an error.
  /// Blocks: no. The corresponding C function is `weir_group_cancelled`.
  public var isCancelled: Bool { weir_group_cancelled(handle) }

  /// The number of units of outstanding work.
  package var outstanding: Int { state.with { $0.outstanding } }

  // MARK: - Waits on the main queue

  /// Traps if the main queue now waits for its own work.
  func changeMain(_ change: (inout State) -> Void) {
    let waitsForItself = state.with { state in
      change(&state)
      return state.onMainQueue > 0 && state.occupiesMain
    }
    if waitsForItself {
      misuse(
        """
        the group "\(label)" has work on the main queue, and the main thread waits for the group \
        without end, so the work never runs; wait on another thread, or use notify(on:)
        """)
    }
  }
}

/// The main queue, known by a value that it carries: Swift hides the handles of queues.
enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static func `is`(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }

  /// True on the main thread and in jobs of the main queue, or of queues that target it.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
