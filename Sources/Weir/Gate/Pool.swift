// Values handed out one to a caller, in the queue of a gate.
//
// DESIGN. A permit of the pool's gate is the right to one element, so threads and tasks stand in
// one line, and the gate reports a caller that waits for itself. An element is returned, or ended,
// before its permit: a caller with a permit finds one, or there is room to make it. The element
// used last is handed out first, so that no more are made than are in use at once. C has no pool: a
// gate and an array under a lock are ten lines there.

internal import Dispatch

/// A number of values, each of which is handed out to one caller at a time.
///
///     struct Session {
///       init(_ host: String) async throws {}
///     }
///     let sessions = Pool(label: "sessions", count: 4) { try await Session("host") }
///     try await sessions.withElement(timeout: .seconds(5)) { session in print(session) }
///
/// Callers are served in the order in which they came. A body may change its element in place. The
/// elements need not be `Sendable`: a body that lets one escape does not compile.
///
/// Elements are made when they are needed. An element whose body throws, or returns in a cancelled
/// task, may be in the middle of something: a new one is made in its place.
///
/// If only callers that wait for a further element hold elements, the wait is a programmer's error
/// and traps, as with the permits of a ``Gate``.
///
/// There is no corresponding C type.
public final class Pool<Element>: Sendable {
  private struct State {
    /// The elements that nobody uses, the one used last at the end.
    var free: [Slot] = []
    /// The number of elements, free or in use or being made.
    var existing: Int
    /// True once the pool was resized or closed.
    var hasChanged = false
  }

  private let gate: Gate
  private let state: Locked<State>
  private let make: (@Sendable () async throws -> sending Element)?
  private let discards: @Sendable (any Error) -> Bool

  /// Creates a pool of values, which are never renewed.
  ///
  /// - Parameters:
  ///   - elements: The values, at least one. None is a programmer's error, and traps.
  /// - Complexity: O(*n*) for *n* elements. Blocks: no. There is no corresponding C function.
  public init(label: String, _ elements: sending [Element]) {
    gate = Gate(label: label, permits: Pool.checked(elements.count, label))
    state = Locked(State(free: elements.map { Slot($0) }, existing: elements.count))
    make = nil
    discards = { _ in false }
  }

  /// Creates a pool whose elements are made when they are first needed.
  ///
  /// - Parameters:
  ///   - count: The highest number of elements, at least 1. A smaller number is a programmer's
  ///     error, and traps.
  ///   - discarding: Returns true if an element whose body threw this error is not to be used
  ///     again; `CancellationError` for a body that returned in a cancelled task.
  ///   - make: Makes an element, in the task of the caller that needs it, or for a thread in a task
  ///     of its own; several at once. It must not block, except in ``Lanes/run(_:)``. If it throws,
  ///     so does the call; the next caller tries again.
  ///
  /// - Complexity: O(1). Blocks: no. There is no corresponding C function.
  public init(
    label: String, count: Int, discarding: @escaping @Sendable (any Error) -> Bool = { _ in true },
    make: @escaping @Sendable () async throws -> sending Element
  ) {
    gate = Gate(label: label, permits: Pool.checked(count, label))
    state = Locked(State(existing: 0))
    self.make = make
    discards = discarding
  }

  // MARK: Using elements

  /// Runs `body` with an element, which no other caller has meanwhile.
  ///
  ///     import Weir
  ///
  ///     let scratch = Pool(label: "scratch", [[Int](), [Int]()])
  ///     try scratch.withElement(timeout: .seconds(1)) { numbers in numbers.append(1) }
  ///
  /// - Parameters:
  ///   - body: Called once, on this thread, unless no element was obtained.
  /// - Throws: ``TimeoutError``, ``GateError/closed``, or the error of `make` or of `body`.
  ///
  /// Blocks: yes, until an element is free and no earlier caller waits, and until it is made. There
  /// is no corresponding C function: it waits by `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withElement<R>(
    timeout: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (inout sending Element) throws -> R
  ) throws -> R {
    try gate.withPermits(1, timeout: timeout, fileID: fileID, line: line) {
      let slot = try take() ?? waitForSlot()
      return try put(slot, after: Result { try body(&slot.memory.pointee) })
    }
  }

  /// Runs `body` with an element; otherwise like the blocking form. A cancelled task leaves the
  /// queue at once.
  ///
  /// - Parameters:
  ///   - body: Called once, on the caller's actor, unless no element was obtained.
  /// - Throws: Also `CancellationError` if the task was cancelled before it had an element.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function: it waits by
  /// `weir_gate_request_f`.
  nonisolated(nonsending) public func withElement<R>(
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (inout sending Element) async throws -> R
  ) async throws -> R {
    try await gate.withPermits(1, timeout: timeout, clock: clock, fileID: fileID, line: line) {
      let slot = if let slot = take() { slot } else { try await makeSlot() }
      var result: Result<R, any Error>
      do { result = .success(try await body(&slot.memory.pointee)) } catch {
        result = .failure(error)
      }
      return try put(slot, after: result)
    }
  }

  // MARK: Watching and changing it

  /// The highest number of elements.
  ///
  /// Setting the number resizes the pool. With a larger number waiting callers are served; with a
  /// smaller one elements are freed, those in use when their bodies end. A number below 1 is a
  /// programmer's error and traps, and so is any number for a pool of values.
  ///
  /// Blocks: no. The corresponding C function is `weir_gate_resize`.
  public var count: Int {
    get { gate.permits }
    set {
      if make == nil {
        misuse("the pool \"\(gate.label)\" of values was resized; use one that makes its elements")
      }
      gate.permits = Pool.checked(newValue, gate.label)
      freeSurplus()
    }
  }

  /// The use of the pool: its permits are the elements that may exist, and those in use the ones
  /// that callers have. Blocks: no. The corresponding C function is `weir_gate_stats`.
  public var statistics: Gate.Statistics { gate.statistics }

  /// Closes the pool permanently: waiting and later callers get ``GateError/closed``. The elements are
  /// freed, those in use when their bodies end; the values of a pool of values with the pool.
  ///
  /// Closing twice is allowed. Blocks: no. The corresponding C function is `weir_gate_close`.
  public func close() {
    gate.close()
    freeSurplus()
  }

  private static func checked(_ count: Int, _ label: String) -> Int {
    guard count > 0 else {
      misuse("the pool \"\(label)\" was given \(count) elements; it is at least 1")
    }
    return count
  }

  // MARK: Elements

  /// Takes a free element, or counts one that the caller makes.
  private func take() -> Slot? {
    state.with { state in
      if state.free.isEmpty { state.existing += 1 }
      return state.free.popLast()
    }
  }

  nonisolated(nonsending) private func makeSlot() async throws -> Slot {
    guard let make else { fatalError("a pool lacks an element") }
    do {
      return Slot(try await make())
    } catch {
      state.with { $0.existing -= 1 }
      throw error
    }
  }

  /// Blocks while a task makes an element.
  private func waitForSlot() throws -> Slot {
    let made = Locked<Result<Slot, any Error>?>(nil)
    let isMade = DispatchSemaphore(value: 0)
    let task = Task { try await makeSlot() }
    Task {
      let result = await task.result
      made.with { $0 = result }
      isMade.signal()
    }
    isMade.wait()
    guard let slot = made.with({ $0 }) else { fatalError("a pool lacks an element") }
    return try slot.get()
  }

  private func put<R>(_ slot: Slot, after result: Result<R, any Error>) throws -> R {
    var error: (any Error)? = Task.isCancelled ? CancellationError() : nil
    if case .failure(let thrown) = result { error = thrown }
    let isUsable = make == nil || error.map(discards) != true
    let hasChanged = state.with { state in
      if isUsable { state.free.append(slot) } else { state.existing -= 1 }
      return state.hasChanged
    }
    if hasChanged { freeSurplus() }
    return try result.get()
  }

  /// Frees elements that were made, until there are no more than may exist.
  private func freeSurplus() {
    guard make != nil else { return }
    // Not freed under the lock: the end of an element may use the pool.
    _ = state.with { state -> [Slot] in
      state.hasChanged = true
      let statistics = gate.statistics
      let most = statistics.isClosed ? 0 : statistics.permits
      let surplus = max(0, min(state.free.count, state.existing - most))
      state.existing -= surplus
      defer { state.free.removeFirst(surplus) }
      return Array(state.free.prefix(surplus))
    }
  }

  /// The place of an element, which one caller at a time uses.
  private final class Slot: @unchecked Sendable {
    // @unchecked: a slot is in the array of free slots, or its caller has it.
    // nonisolated(unsafe): for the same reason.
    nonisolated(unsafe) let memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)

    init(_ element: Element) {
      memory.initialize(to: element)
    }

    deinit {
      memory.deinitialize(count: 1)
      memory.deallocate()
    }
  }
}
