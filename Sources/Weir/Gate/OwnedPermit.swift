// Permits that closures may share.

internal import CWeir
internal import Synchronization

/// Permits of a ``Gate`` as an object, for work that escapes.
///
///     let permit = try gate.acquire().owned()
///     connection.send(request) { response in
///       handle(response)
///       permit.release()
///     }
///
/// They are given back once: by the first ``release()``, or when the last
/// reference goes. It may outlive the gate and be used on any thread.
///
/// There is no corresponding C type: C counts permits by `weir_gate_signal`.
public final class OwnedPermit: Sendable {
  // Without a reference, as Permit's.
  // nonisolated(unsafe): the C type may be used by any thread.
  private nonisolated(unsafe) let gate: OpaquePointer
  private let permits: Int
  private let isHeld = Atomic(true)

  init(_ gate: OpaquePointer, _ permits: Int) {
    self.gate = gate
    self.permits = permits
  }

  deinit {
    release()
  }

  /// How many permits it stands for, given back or not.
  ///
  /// There is no corresponding C function.
  public var count: Int { permits }

  /// Gives the permits back. Only the first call does so.
  ///
  /// - Returns: How many waiters that let through; 0 for another call.
  /// - Complexity: O(1), and O(*w*) for *w* waiters let through. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_signal`.
  @discardableResult
  public func release() -> Int {
    guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return 0 }
    return weir_gate_signal(gate, permits)
  }
}
