// A task that waits at a gate.

internal import CWeir
internal import Synchronization
internal import SystemPackage

/// One task's place in the queue of a gate.
///
/// C decides a request exactly once, and the decision resumes the task. What is
/// left to do here is to end one early, for several reasons and from any thread,
/// also before C has been asked: the cancellation handler of a task may run at
/// any time. The decision itself says who made it: to look at who tried would
/// take a close that came first for a loan, and there would be a permit too many.
///
/// No lock is held while the task is suspended or resumed, and the continuation
/// is only stored before C is asked.
final class PermitRequest: Sendable {
  /// What decided it, besides the gate.
  enum End: Int32 {
    case cancelled, timedOut, lent

    /// What C is given, and hands back. No result of the gate's own.
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

  // The first who wanted to end it before C was asked.
  private let early = Atomic<Int32>(0)
  private let state = Atomic<UInt8>(0)
  // nonisolated(unsafe): each is written once, before the request is made or the
  // state says so, and read afterwards.
  private nonisolated(unsafe) var continuation: UnsafeContinuation<Int32, Never>?
  private nonisolated(unsafe) var request: OpaquePointer?

  deinit {
    if let request { weir_gate_request_release(request) }
  }

  /// Asks C, and has the task resumed with the decision.
  func ask(_ gate: OpaquePointer, _ count: Int, _ task: UnsafeContinuation<Int32, Never>) {
    continuation = task
    let context = Unmanaged.passRetained(self).toOpaque()
    var made: OpaquePointer?
    let error = weir_gate_request_f(
      gate, count, context,
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

  /// Takes it out of the queue, unless it has been decided.
  ///
  /// - Returns: Whether this call did so. Before C has been asked the answer is
  ///   no, and it will be done then.
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

  private func end(_ result: Int32) -> Bool {
    guard let request else { return false }
    return weir_gate_request_end(request, result) == 0
  }
}
