// A gate: permits, several at once, first come, first served.

internal import CWeir
public import Dispatch
internal import SystemPackage

/// A fair counting semaphore for threads and tasks.
///
///     let gate = Gate(label: "connections", permits: 8)
///
///     let page = try await gate.withPermit {
///       try await fetch(url)
///     }
///
/// The permits of a gate stand for things of which there are a limited number: connections,
/// descriptors, memory. The gate grants one or several at a time, in the order of the requests: a
/// small request does not overtake a large one that waits. Blocked threads, suspended tasks and
/// callers in C wait in the same queue.
///
/// In a synchronous function `withPermit(_:)` and `acquire(_:timeout:)` block the thread. In an
/// `async` function the methods of the same name suspend the task, and end early if the task is
/// cancelled. A wait that ends early holds nothing.
///
/// The permits of a scope are its own: a `withPermit` nested in another one takes a second permit.
/// Only a map `within:` the gate borrows: its children use the permits of the scope that the map is
/// called in; of nested scopes, of the one with most permits.
///
/// Code that holds permits should not wait for more permits of the same gate. If the scopes of the
/// task or the thread that waits leave too few permits, or if all permits in use are held by scopes
/// that wait for more, the gate reports a programmer's error after two seconds and traps. Any code
/// may release a ``Permit``, so a task or a thread that waits while it holds one is not reported; a
/// job on lanes is, as a warning.
///
/// A gate may be destroyed while permits are in use; they can still be released. Any thread may use
/// it. What precedes a release happens before the return of the acquisition that it lets through.
///
/// The corresponding C type is `weir_gate_t`.
public final class Gate: Sendable {
  /// The C handle.
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer
  private let name: String
  /// True for the gate of ``DescriptorBudget``.
  let isBudget: Bool

  /// Creates a gate with all its permits free.
  ///
  /// - Parameters:
  ///   - permits: The number of permits. A gate of 0 permits is paused: every request waits until
  ///     the gate is resized. A number above 2^45 - 1 counts as this one. A negative number is a
  ///     programmer's error, and traps.
  ///
  /// Blocks: no. The corresponding C function is `weir_gate_create`.
  public init(label: String, permits: Int) {
    guard permits >= 0 else {
      misuse("the gate \"\(label)\" was given \(ofPermits(permits)); it is 0 or more")
    }
    guard let made = weir_gate_create(label, min(permits, Gate.permitsMax)) else {
      fatalError("no memory for the gate \"\(label)\"")
    }
    handle = made
    name = label
    isBudget = false
  }

  /// Retains the gate of the descriptor budget.
  init(budget handle: OpaquePointer) {
    self.handle = weir_gate_retain(handle)
    name = "descriptors"
    isBudget = true
  }

  deinit {
    weir_gate_release(handle)
  }

  /// The highest number of permits: `WEIR_GATE_PERMITS_MAX`, which has a cast in C.
  static var permitsMax: Int { min(Int(clamping: UInt64.max >> 19), Int.max / 4) }

  /// The name of the gate. There is no corresponding C function.
  public var label: String { name }

  // MARK: Changing it

  /// The number of permits, free or in use.
  ///
  /// Setting the number resizes the gate. Waiters are served if that is now possible; waiters for
  /// more permits than the new number get ``GateError/tooMany``. But 0 pauses the gate: waiters
  /// stay, and new ones join them, until the next resize. Permits in use stay in use: below their
  /// number, the gate serves no waiter until enough permits are released. A number above 2^45 - 1
  /// counts as this one.
  ///
  /// Blocks: no. The corresponding C functions are `weir_gate_stats` and `weir_gate_resize`.
  public var permits: Int {
    get { statistics.permits }
    set {
      guard newValue >= 0 else {
        misuse("the gate \"\(name)\" was resized to \(ofPermits(newValue)); it is 0 or more")
      }
      _ = weir_gate_resize(handle, min(newValue, Gate.permitsMax))
    }
  }

  /// Closes the gate permanently.
  ///
  /// Current waiters and later callers get ``GateError/closed``. Work that
  /// ``async(_:on:fileID:line:_:)`` has accepted still runs in its turn. Closing twice is allowed.
  ///
  /// - Complexity: O(*w*) for *w* waiters. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_close`.
  public func close() {
    weir_gate_close(handle)
  }

  /// A Boolean value that indicates whether ``close()`` was called. Blocks: no. The corresponding C
  /// function is `weir_gate_stats`.
  public var isClosed: Bool { statistics.isClosed }

  // MARK: Without waiting

  /// Takes permits if they are free and no other caller waits.
  ///
  /// - Parameter count: The number of permits, 0 or more.
  /// - Returns: The permits, or `nil` if they are not free.
  /// - Throws: ``GateError/closed`` or ``GateError/tooMany``.
  ///
  /// Blocks: no. The corresponding C function is `weir_gate_try`.
  public func tryAcquire(_ count: Int = 1) throws -> Permit? {
    let error = weir_gate_try(handle, count)
    if error == Errno.wouldBlock.rawValue { return nil }
    try check(error, count)
    return Permit(handle, count)
  }

  /// Runs work on a queue when permits are granted, and releases them when the work
  /// returns. No thread waits meanwhile.
  ///
  ///     for url in urls {
  ///       try gate.async(on: queue) { download(url) }
  ///     }
  ///
  /// - Parameters:
  ///   - count: The number of permits.
  ///   - queue: The queue that runs the work.
  ///   - work: Called exactly once, also if the gate is closed before its turn. If a resize
  ///     leaves fewer permits than `count`, the work gets all of them.
  /// - Throws: ``GateError/closed`` or ``GateError/tooMany``; then the work does not run.
  ///
  /// Blocks: no. The corresponding C function is `weir_gate_grant_f`; C's own form is
  /// `weir_gate_async_f`.
  public func async(
    _ count: Int = 1, on queue: DispatchQueue, fileID: StaticString = #fileID,
    line: UInt = #line, _ work: @escaping @Sendable () -> Void
  ) throws(GateError) {
    // Not self: the permits keep the C gate alive.
    nonisolated(unsafe) let handle = handle
    let caller = Caller(fileID, line)
    let granted = Box<@Sendable (Int) -> Void>.retain { granted in
      queue.async {
        let scope = caller.ofTask(0) { weir_gate_scope(handle, granted, $0) }
        work()
        _ = weir_gate_leave(handle, granted, scope)
      }
    }
    let error = weir_gate_grant_f(handle, count, granted) { context, count in
      Box<@Sendable (Int) -> Void>.take(context)(count)
    }
    if error != 0 { _ = Box<@Sendable (Int) -> Void>.take(granted) }
    try check(error, count)
  }

  // MARK: Common to all forms

  /// Throws the error that a wait of C returned, if any.
  func check(_ error: Int32, _ count: Int, _ timeout: Duration?) throws {
    if error == Errno.timedOut.rawValue {
      let cause = GateError(.timedOut, self, requested: count)
      throw TimeoutError(label: label, cause: cause, timeout ?? .zero)
    }
    try check(error, count)
  }

  /// Throws the error that any other C function returned, if any.
  func check(_ error: Int32, _ count: Int) throws(GateError) {
    if error == 0 { return }
    if count < 0 {  // too many for C
      misuse("the gate \"\(name)\" was asked for \(ofPermits(count)); it is 0 or more")
    }
    switch Errno(rawValue: error) {
    case .canceled: throw GateError(.closed, self, requested: count)
    case .invalidArgument: throw GateError(.tooMany, self, requested: count)
    default: fatalError("no memory to wait at the gate \"\(name)\"")
    }
  }
}

/// The limits of the argument `within:`, one gate or several: `within: site`, or
/// `within: [site, connections]`.
///
/// Work takes a permit of each gate, in the order of the array, and keeps it while it waits for the
/// next one. In two orders callers can wait for each other forever.
///
/// There is no corresponding C type. No other type should conform.
public protocol Gates: Sendable {
  /// The gates, in the order in which permits are taken.
  var _gates: [Gate] { get }
}

extension Gate: Gates {
  /// This gate alone.
  public var _gates: [Gate] { [self] }
}

extension Array: Gates where Element == Gate {
  /// The gates of the array.
  public var _gates: [Gate] { self }
}
