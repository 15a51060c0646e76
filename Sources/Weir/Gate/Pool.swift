// Values handed out one to a caller, in the queue of a gate.
//
// DESIGN. A permit of the pool's gate is the right to one element, so threads and tasks stand in
// one line, and the gate reports a caller that waits for itself. An element is returned before
// its permit: a caller with a permit always finds one. The element used last is handed out first,
// so that no more elements are made than are in use at once. C has no pool: a gate and an array
// under a lock are ten lines there, and the ownership of an element is the caller's anyway. `make`
// does not suspend, since the blocking form needs it too. An element that takes an `await` to make
// is an optional one, which its first user fills in place.

/// A number of values, each of which is handed out to one caller at a time.
///
///     let buffers = Pool(label: "buffers", count: 4) { [UInt8](repeating: 0, count: 65536) }
///     try await buffers.withElement { buffer in
///       buffer[0] = 1
///     }
///
/// Callers are served in the order in which they came, blocked threads and suspended tasks in one
/// queue. While all elements are in use, further callers wait. A body may change its element in
/// place. The elements need not be `Sendable`: a body that lets one escape does not compile.
///
/// Connections take an `await` to make, and may break. A pool of optional values has room for both:
///
///     struct Session: Sendable {
///       init(_ host: String) async throws {}
///       func ask() async throws -> Int { 42 }
///     }
///     let sessions = Pool<Session?>(label: "sessions", [nil, nil, nil, nil])
///     let answer = try await sessions.withElement(timeout: .seconds(5)) { place in
///       let session = if let session = place { session } else { try await Session("host") }
///       place = nil  // a session that throws is not used again
///       let answer = try await session.ask()
///       place = session
///       return answer
///     }
///     print(answer)
///
/// A body that calls `withElement` of its own pool may wait for itself. If only such callers hold
/// elements, the call is a programmer's error and traps, as with the permits of a ``Gate``.
///
/// There is no corresponding C type.
public final class Pool<Element>: Sendable {
  let gate: Gate
  private let free: Locked<[Slot]>
  private let make: (@Sendable () throws -> Element)?
  private let discards: @Sendable (any Error) -> Bool

  /// Creates a pool of values.
  ///
  /// - Parameters:
  ///   - label: The name for messages, errors and traces.
  ///   - elements: The values, at least one. None is a programmer's error, and traps.
  ///
  /// - Complexity: O(*n*) for *n* elements. Blocks: no.
  ///
  /// There is no corresponding C function.
  public init(label: String, _ elements: sending [Element]) {
    gate = Pool.gate(label, elements.count)
    free = Locked(elements.map { Slot($0) })
    make = nil
    discards = { _ in false }
  }

  /// Creates a pool whose elements are made when they are first needed.
  ///
  /// - Parameters:
  ///   - label: The name for messages, errors and traces.
  ///   - count: The highest number of elements, at least 1. A smaller number is a programmer's
  ///     error, and traps.
  ///   - discarding: Returns true if an element whose body threw this error is not to be used
  ///     again. A new one is then made when it is needed.
  ///   - make: Makes an element, on the thread of the caller that needs it. Callers at once may
  ///     make elements at once.
  ///
  /// - Complexity: O(`count`). Blocks: no.
  ///
  /// There is no corresponding C function.
  public init(
    label: String, count: Int, discarding: @escaping @Sendable (any Error) -> Bool = { _ in false },
    make: @escaping @Sendable () throws -> Element
  ) {
    gate = Pool.gate(label, count)
    free = Locked((0..<count).map { _ in Slot(nil) })
    self.make = make
    discards = discarding
  }

  /// Runs `body` with an element, which no other caller has meanwhile.
  ///
  ///     import Weir
  ///
  ///     let scratch = Pool(label: "scratch", [[Int](), [Int]()])
  ///     let count = try scratch.withElement(timeout: .seconds(1)) { numbers in
  ///       numbers.append(1)
  ///       return numbers.count
  ///     }
  ///     print(count)
  ///
  /// - Parameters:
  ///   - timeout: The duration after which to give up; `nil` for none. A duration of zero or less
  ///     does not wait; one of a century or more never ends.
  ///   - fileID: The place of the call, for ``Trace/writeSnapshot(to:)``.
  ///   - line: Its line.
  ///   - body: Called once, on this thread, unless no element was obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError/timedOut``, or the error of `make` or of `body`.
  /// - Complexity: O(1), apart from `make`.
  ///
  /// Blocks: yes, until an element is free and no earlier caller waits.
  ///
  /// There is no corresponding C function: it waits by `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withElement<R>(
    timeout: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (inout sending Element) throws -> R
  ) throws -> R {
    try gate.withPermits(1, timeout: timeout, fileID: fileID, line: line) {
      let slot = take()
      defer { put(slot) }
      do {
        // nonisolated(unsafe): the slot is this caller's alone.
        nonisolated(unsafe) let element = try slot.filled(by: make)
        return try body(&element.pointee)
      } catch {
        if discards(error) { slot.empty() }
        throw error
      }
    }
  }

  /// Runs `body` with an element; otherwise like the blocking form. A cancelled task leaves the
  /// queue at once and holds nothing.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures the duration; `nil` for a monotonic clock.
  ///   - body: Called once, on the caller's actor, unless no element was obtained.
  /// - Throws: ``GateError/timedOut``, `CancellationError` if the task was cancelled before it had
  ///   an element, or the error of `make` or of `body`.
  ///
  /// Blocks: no, it suspends, except in `make`. A wait with a time-out costs an alarm.
  ///
  /// There is no corresponding C function: it waits by `weir_gate_request_f`.
  nonisolated(nonsending) public func withElement<R>(
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (inout sending Element) async throws -> R
  ) async throws -> R {
    try await gate.withPermits(1, timeout: timeout, clock: clock, fileID: fileID, line: line) {
      let slot = take()
      defer { put(slot) }
      do {
        // nonisolated(unsafe): the slot is this caller's alone.
        nonisolated(unsafe) let element = try slot.filled(by: make)
        return try await body(&element.pointee)
      } catch {
        if discards(error) { slot.empty() }
        throw error
      }
    }
  }

  private static func gate(_ label: String, _ count: Int) -> Gate {
    guard count > 0 else {
      misuse("the pool \"\(label)\" was given \(count) elements; it is at least 1")
    }
    return Gate(label: label, permits: count)
  }

  private func take() -> Slot {
    guard let slot = free.with({ $0.popLast() }) else { fatalError("a pool lacks an element") }
    return slot
  }

  private func put(_ slot: Slot) {
    free.with { free in
      // Empty slots come last: an element that exists is used before another one is made.
      if slot.isEmpty { free.insert(slot, at: 0) } else { free.append(slot) }
    }
  }

  /// The place of an element, which one caller at a time uses.
  private final class Slot: @unchecked Sendable {
    // @unchecked: a slot is in the array of free slots, or its caller has it.
    private let memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    private(set) var isEmpty = true

    init(_ element: Element?) {
      if let element { fill(element) }
    }

    deinit {
      empty()
      memory.deallocate()
    }

    func filled(by make: (() throws -> Element)?) throws -> UnsafeMutablePointer<Element> {
      if isEmpty, let make { fill(try make()) }
      return memory
    }

    private func fill(_ element: Element) {
      memory.initialize(to: element)
      isEmpty = false
    }

    func empty() {
      if !isEmpty { memory.deinitialize(count: 1) }
      isEmpty = true
    }
  }
}
