// A task that waits at a gate.

internal import CWeir
internal import Synchronization

/// One task's place in the queue of a gate.
///
/// C decides a request exactly once, and the decision resumes the task. What is
/// left to do here is to end one early, for several reasons and from any thread,
/// also before C has been asked: the cancellation handler of a task may run at
/// any time. The first reason counts; it says how to read C's `ECANCELED`.
///
/// No lock is held while the task is suspended or resumed, and the continuation
/// is only stored before C is asked.
final class PermitRequest: Sendable {
  /// Why it was ended early.
  enum End: UInt8 {
    case none, cancelled, timedOut, lent
  }

  private static let isAsked: UInt8 = 1
  private static let isToEnd: UInt8 = 2

  private let end = Atomic<UInt8>(0)
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
    if before & Self.isToEnd != 0 { _ = cancel() }
  }

  /// Takes it out of the queue, unless it has been decided.
  ///
  /// - Returns: Whether this call did so. Where C has not been asked yet the
  ///   answer is yes, though C may still decide otherwise: only whoever knows
  ///   that it has been asked can rely on it.
  @discardableResult
  func finish(_ reason: End) -> Bool {
    let (isFirst, _) = end.compareExchange(
      expected: End.none.rawValue, desired: reason.rawValue, ordering: .acquiringAndReleasing)
    guard isFirst else { return false }
    let before = state.bitwiseOr(Self.isToEnd, ordering: .acquiringAndReleasing).oldValue
    return before & Self.isAsked == 0 || cancel()
  }

  /// Why it was ended early, once it has been decided.
  var reason: End {
    End(rawValue: end.load(ordering: .acquiring)) ?? .none
  }

  private func cancel() -> Bool {
    guard let request else { return false }
    return weir_gate_request_cancel(request) == 0
  }
}
