// The wait of a task at a gate. `Gate+Async.swift` decides what a cancelled wait throws.
//
// DESIGN. The wait is a request in C's queue, as the wait of a task for lanes is (`LanesRequest`),
// so threads, tasks and callers from C stand in one line. A second queue in Swift could not be fair
// to both.

internal import CWeir
internal import Synchronization
internal import SystemPackage

/// The place of one task in the queue of a gate.
///
/// DESIGN. This class ends a request early, from any thread, even before C has accepted it: the
/// cancellation handler of a task may run at any time. The decision itself carries its reason. To
/// ask instead which caller tried to end the request would take an earlier close for a loan.
///
/// No lock is held while the task is suspended or resumed, and the continuation is stored before C
/// receives the request.
final class PermitRequest: Sendable {
  /// A decision that does not come from the gate.
  enum End: Int32 {
    case cancelled, timedOut, lent

    /// The result that C is given and passes on. The gate itself never has these results.
    var result: Int32 {
      switch self {
      case .cancelled: Errno.interrupted.rawValue
      case .timedOut: Errno.timedOut.rawValue
      case .lent: Errno.alreadyInProcess.rawValue
      }
    }
  }

  private static let isAsked: UInt8 = 1
  private static let isToEnd: UInt8 = 2

  // The first reason to end the request before C accepted it.
  private let early = Atomic<Int32>(0)
  private let state = Atomic<UInt8>(0)
  // nonisolated(unsafe): each is written once, before the request is made or the
  // state says so, and read afterwards.
  private nonisolated(unsafe) var continuation: UnsafeContinuation<Int32, Never>?
  private nonisolated(unsafe) var request: OpaquePointer?

  deinit {
    if let request { weir_gate_request_release(request) }
  }

  /// Submits the request to C. The decision resumes the task.
  func ask(
    _ gate: OpaquePointer, _ count: Int, _ caller: UnsafePointer<weir_caller_t>,
    _ task: UnsafeContinuation<Int32, Never>
  ) {
    continuation = task
    let context = Unmanaged.passRetained(self).toOpaque()
    var made: OpaquePointer?
    let error = weir_gate_request_from(
      gate, count, caller, context,
      { context, result in
        guard let context else { return }
        let me = Unmanaged<PermitRequest>.fromOpaque(context).takeRetainedValue()
        me.continuation?.resume(returning: result)
      }, &made)
    guard error == 0 else { fatalError("no memory to wait at a gate") }
    request = made
    let before = state.bitwiseOr(Self.isAsked, ordering: .acquiringAndReleasing).oldValue
    if before & Self.isToEnd != 0 { _ = end(early.load(ordering: .acquiring)) }
  }

  /// Takes the request out of the queue, unless it has been decided.
  /// Returns true if this call ended the request, which otherwise ends when C accepts it.
  @discardableResult
  func finish(_ reason: End) -> Bool {
    if state.load(ordering: .acquiring) & Self.isAsked == 0 {
      _ = early.compareExchange(
        expected: 0, desired: reason.result, ordering: .acquiringAndReleasing)
      let before = state.bitwiseOr(Self.isToEnd, ordering: .acquiringAndReleasing).oldValue
      if before & Self.isAsked == 0 { return false }
    }
    return end(reason.result)
  }

  /// Reports misuse if the request waits and can never be served.
  func check() {
    guard state.load(ordering: .acquiring) & Self.isAsked != 0, let request else { return }
    weir_gate_request_check(request)
  }

  private func end(_ result: Int32) -> Bool {
    guard let request else { return false }
    return weir_gate_request_end(request, result) == 0
  }
}

/// The alarm of a waiting task. It ends the wait at its time-out; without one, it checks every two
/// seconds whether a task that holds permits waits for itself. Other waits have no alarm.
final class GateWaitAlarm: Sendable {
  /// The time after which a task that waits for itself is reported, as in C: a resize might come.
  private static let patience = Duration.seconds(2)

  private let alarm = Locked<Alarm?>(nil)

  init?(_ deadline: Deadline?, isWatched: Bool, _ request: PermitRequest) {
    if let deadline {
      set(deadline) { request.finish(.timedOut) }
    } else if isWatched {
      watch(request)
    } else {
      return nil
    }
  }

  private func watch(_ request: PermitRequest) {
    guard let deadline = Deadline(after: Self.patience, by: nil) else { return }
    set(deadline) { [weak self] in
      request.check()
      self?.watch(request)
    }
  }

  private func set(_ deadline: Deadline, _ handler: @escaping Work) {
    // Under the lock: a late thread must not put a former alarm in the place of the next.
    alarm.with { $0 = deadline.alarm(handler) }
  }
}
