// Permits, several at once, first come first served.

internal import CWeir
public import Dispatch
internal import SystemPackage

/// A counting semaphore that is fair, for threads and for tasks.
///
///     let gate = Gate(label: "connections", permits: 8)
///
///     let page = try await gate.withPermit {
///       try await fetch(url)
///     }
///
/// A gate has permits, for things that one has: connections, descriptors,
/// memory. It hands them out one or several at a time, in the order in which
/// they were asked for: a small request does not overtake a big one that waits.
/// Threads that block, tasks that suspend and callers from C stand in one queue.
///
/// In a synchronous function `withPermit(_:)` and `acquire(_:timeout:)`
/// block the thread; in an `async` function those of the same name suspend the
/// task, and end early when it is cancelled. A wait that ends early, by time-out
/// or cancellation, holds nothing, and whoever is next is served.
///
/// What happened before a permit was given back happens before the acquisition
/// that it lets through returns.
///
/// Who holds permits should not wait for more of the same gate. Where all that
/// are out are held by the very job on lanes that waits for more, or by the
/// scopes (`withPermit` and its like) of the very task, nobody could ever give
/// them back: that is told, as a programmer's error. A ``Permit`` is nobody's
/// scope: of a task that waits beside one nothing is known.
///
/// A gate may go while permits are out: they are still given back.
///
/// The corresponding C type is `weir_gate_t`.
public final class Gate: Sendable {
  /// The C handle.
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer
  private let name: String
  /// Tasks that may wait for themselves.
  let selfWaits = Locked(SelfWaits())

  /// Makes a gate with every permit in it.
  ///
  /// - Parameters:
  ///   - label: A name for messages and traces.
  ///   - permits: How many permits there are. With 0 nothing passes until it is
  ///     resized. A negative number is a programmer's error, and traps.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_create`.
  public init(label: String, permits: Int) {
    guard permits >= 0 else {
      misuse("the gate \"\(label)\" was given \(permits) permits; it is 0 or more")
    }
    guard let made = weir_gate_create(label, min(permits, Gate.permitsMax)) else {
      fatalError("no memory for the gate \"\(label)\"")
    }
    handle = made
    name = label
  }

  /// A gate that C made; retains it.
  init(retaining handle: OpaquePointer, label: String) {
    self.handle = weir_gate_retain(handle)
    name = label
  }

  deinit {
    weir_gate_release(handle)
  }

  /// The most permits there can be. (More are as many.)
  static var permitsMax: Int { Int.max / 4 }

  /// The name it was given.
  ///
  /// There is no corresponding C function.
  public var label: String { name }

  // MARK: Changing it

  /// How many permits there are, out or not.
  ///
  /// To set it resizes the gate. Who waits is served if that is possible now;
  /// who waits for more than there will be gets ``GateError/tooMany``. Permits
  /// that are out stay out: below what is in use nothing is taken back, and
  /// nobody is served until enough have been given back.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C functions are `weir_gate_stats` and
  /// `weir_gate_resize`.
  public var permits: Int {
    get { statistics.permits }
    set {
      guard newValue >= 0 else {
        misuse("the gate \"\(name)\" was resized to \(newValue) permits; it is 0 or more")
      }
      _ = weir_gate_resize(handle, min(newValue, Gate.permitsMax))
    }
  }

  /// Lets nothing more through, for good.
  ///
  /// Who waits gets ``GateError/closed``, and so does who asks from now on. What
  /// ``async(_:on:_:)`` has accepted still runs in its turn, and permits that are
  /// out are given back as ever. Closing twice is allowed.
  ///
  /// - Complexity: O(*w*) for *w* waiters. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_close`.
  public func close() {
    weir_gate_close(handle)
  }

  /// Whether ``close()`` was called.
  ///
  /// Blocks: no. The corresponding C function is `weir_gate_stats`.
  public var isClosed: Bool { statistics.isClosed }

  // MARK: Without waiting

  /// Takes permits if that can be done at once and nobody is waiting.
  ///
  /// - Parameter count: How many, 0 or more.
  /// - Returns: The permits, or `nil` where they are not free.
  /// - Throws: ``GateError/closed`` or ``GateError/tooMany``.
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_try`.
  public func tryAcquire(_ count: Int = 1) throws(GateError) -> Permit? {
    let error = weir_gate_try(handle, checked(count))
    if error == Errno.wouldBlock.rawValue { return nil }
    try check(error)
    return Permit(handle, count)
  }

  /// Runs work on a queue once permits are held, and gives them back when it
  /// returns. No thread waits meanwhile.
  ///
  ///     for url in urls {
  ///       try gate.async(on: queue) { download(url) }
  ///     }
  ///
  /// It takes the place of `queue.async { semaphore.wait(); ...;
  /// semaphore.signal() }`, which holds a thread for each block that waits.
  ///
  /// - Parameters:
  ///   - count: How many permits.
  ///   - queue: Where to run.
  ///   - work: What to do, exactly once, also where the gate is closed before
  ///     its turn comes. What a resize makes too big for the gate is served with
  ///     all the permits there then are.
  /// - Throws: ``GateError/closed`` or ``GateError/tooMany``, and the work will
  ///   not run.
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_grant_f`; C's own form is
  /// `weir_gate_async_f`.
  public func async(
    _ count: Int = 1, on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void
  ) throws(GateError) {
    // Not self: the permits keep the C gate alive.
    nonisolated(unsafe) let handle = handle
    let granted = Box<@Sendable (Int) -> Void>.give { granted in
      queue.async {
        work()
        _ = weir_gate_signal(handle, granted)
      }
    }
    let error = weir_gate_grant_f(handle, checked(count), granted) { context, count in
      Box<@Sendable (Int) -> Void>.take(context)(count)
    }
    if error != 0 { _ = Box<@Sendable (Int) -> Void>.take(granted) }
    try check(error)
  }

  // MARK: Common to all forms

  /// A count as C has it.
  func checked(_ count: Int) -> Int {
    guard count >= 0 else {
      misuse("the gate \"\(name)\" was asked for \(count) permits; it is 0 or more")
    }
    return count
  }

  /// Throws what a C function answered.
  func check(_ error: Int32) throws(GateError) {
    if error == 0 { return }
    switch Errno(rawValue: error) {
    case .canceled: throw .closed
    case .timedOut: throw .timedOut
    case .invalidArgument: throw .tooMany
    default: fatalError("no memory to wait at the gate \"\(name)\"")
    }
  }
}
