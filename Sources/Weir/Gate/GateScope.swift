// The scopes that hold permits of a gate, and the loans of their permits to maps.
//
// DESIGN. C has a record of each scope (permits/scopes.c), found by the number of the task. A scope
// nested in another one takes further permits, because permits stand for things, and two scopes
// must not use one thing. But a map within a gate, nested in a scope of the same gate, would wait
// for the permits of its own caller. `within:` says that the map stays within the gate, so the
// scope lends its permits to the map's children. Rejected: to return the permit while the inner map
// runs (the outer element would queue again in its middle), and to count the inner elements as part
// of the outer one (the bound would multiply).

internal import CWeir
internal import SystemPackage

/// The place of a call that takes permits, for snapshots.
@usableFromInline
struct Caller: Sendable {
  // nonisolated(unsafe): the text of a StaticString.
  private nonisolated(unsafe) let file: UnsafePointer<CChar>?
  private let line: Int

  @usableFromInline
  init(_ fileID: StaticString, _ line: UInt) {
    file = UnsafeRawPointer(fileID.utf8Start).assumingMemoryBound(to: CChar.self)
    self.line = Int(line)
  }

  private init() { (file, line) = (nil, 0) }

  static let unknown = Caller()

  /// Calls `body` with the caller for C: a task, or 0 for this thread. A wait keeps the permits of
  /// its scopes; a scope, which keeps `nil`, is named only if the program is inspected or traced.
  func ofTask<R>(
    _ task: UInt64, keeping kept: Int? = nil, _ body: (UnsafePointer<weir_caller_t>) -> R
  ) -> R {
    var caller = weir_caller_t(
      task: task, name: nil, file: file, line: line, kept: kept ?? 0, reserved: (0, 0))
    guard task != 0, kept != nil || weir_is_seen(), let name = Task.name else {
      return body(&caller)
    }
    return name.withCString {
      caller.name = $0
      return body(&caller)
    }
  }
}

/// A body with a time-out. Its parent only waits for it, so the parent's scopes count as its own.
struct Deputy: Sendable {
  @TaskLocal private static var current: Deputy?

  private let client = weir_task_number()
  private var number: UInt64 = 0

  /// Runs `body` in the child.
  func run<R>(
    isolation: isolated (any Actor)?, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    var deputy = self
    deputy.number = weir_task_number()
    return try await Deputy.$current.withValue(
      deputy, operation: { try await body() }, isolation: isolation)
  }

  /// The number of the task whose deputy the current task is, or 0. A task that only inherits the
  /// deputy has another number.
  static var client: UInt64 {
    current.flatMap { $0.number == weir_task_number() ? $0.client : nil } ?? 0
  }
}

/// Permits that are held until a scope ends.
@usableFromInline
struct GateScope {
  let gate: OpaquePointer
  let count: Int
  /// The record of C.
  let record: OpaquePointer?

  @usableFromInline
  func end() { end(isLent: false) }

  /// Ends the scope and releases its permits, unless they are a loan.
  func end(isLent: Bool) {
    if let loans = weir_gate_leave(gate, isLent ? 0 : count, record) {
      Unmanaged<Loans>.fromOpaque(loans).release()
    }
  }
}

extension Gate {
  /// Begins a scope of the current task, if the permits are free.
  @usableFromInline
  func enter(_ count: Int, _ caller: Caller) throws -> GateScope? {
    try Task.checkCancellation()
    var record: OpaquePointer?
    let error = caller.ofTask(weir_task_number()) {
      weir_gate_enter(handle, count, $0, &record)
    }
    if error == Errno.wouldBlock.rawValue { return nil }
    if error != 0 { try check(error, count) }
    return GateScope(gate: handle, count: count, record: record)
  }

  /// Begins a scope of the current task, which has obtained permits.
  func scope(_ count: Int, _ caller: Caller) -> GateScope {
    let record = caller.ofTask(weir_task_number()) { weir_gate_scope(handle, count, $0) }
    return GateScope(gate: handle, count: count, record: record)
  }

  /// The number of permits that scopes of the current task hold.
  var heldByTask: Int {
    let task = weir_task_number()
    return task == 0 || Deputy.client != 0 ? 0 : weir_gate_scopes_hold(handle, task)
  }
}

/// The permits of a scope, for the children that its task waits for; all are back when it ends.
///
/// A child takes a permit of the gate or a loan, whichever comes first. A task waits for
/// its ``PermitRequest`` only; a returned loan ends such a request and takes its place.
final class Loans: Sendable {
  private struct State {
    var free: Int
    /// The requests of children that would also take a loan, longest wait first.
    var waiting: [PermitRequest] = []
  }

  private let state: Locked<State>

  private init(_ count: Int) {
    state = Locked(State(free: count))
  }

  /// Returns the loans of a scope of the current task, or `nil` without a scope.
  static func ofCurrentTask(at gate: Gate) -> Loans? {
    for task in [weir_task_number(), Deputy.client] where task != 0 {
      var count = 0
      guard let place = weir_gate_scope_loans(gate.handle, task, &count) else { continue }
      if let loans = place.pointee {
        return Unmanaged<Loans>.fromOpaque(loans).takeUnretainedValue()
      }
      let loans = Loans(count)
      place.pointee = Unmanaged.passRetained(loans).toOpaque()
      return loans
    }
    return nil
  }

  /// Takes a loan if one is free.
  func borrow() -> Bool {
    state.with { state in
      if state.free == 0 { return false }
      state.free -= 1
      return true
    }
  }

  /// Lets a request that C has accepted also end with a loan.
  func offer(to request: PermitRequest) {
    let isFree = state.with { state in
      if state.free == 0 {
        state.waiting.append(request)
        return false
      }
      state.free -= 1
      return true
    }
    if isFree && !request.finish(.lent) { giveBack() }
  }

  /// Withdraws a decided request, which needs no loan.
  func withdraw(_ request: PermitRequest) {
    state.with { state in state.waiting.removeAll { $0 === request } }
  }

  /// Returns a loan: to the request that waits longest, or to the scope.
  func giveBack() {
    while true {
      let next = state.with { state -> PermitRequest? in
        if !state.waiting.isEmpty { return state.waiting.removeFirst() }
        state.free += 1
        return nil
      }
      if next?.finish(.lent) != false { return }
    }
  }
}
