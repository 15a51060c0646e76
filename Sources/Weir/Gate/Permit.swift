// Permits of a gate, as a value that is released once and as an object that closures share.
//
// DESIGN. C keeps a gate alive while permits are out, so a permit is a pointer and a number. The
// compiler's fix-it `_ = try gate.acquire()`, which releases the permit at once, cannot be refused:
// no attribute changes it, and an overload cannot tell `_ =` from `let permit =`.

internal import CWeir
internal import Synchronization

/// Permits of a ``Gate``, as a value that releases them once.
///
///     let permit = try gate.acquire()
///     use(theResource)
///     permit.release()
///
/// A permit cannot be copied, and releasing consumes it. At the end of its life it releases its
/// permits. If its variable is not mentioned again, the compiler suggests `_` in its place, which
/// releases the permits at once: do not follow it. Any of these forms holds the permit to the end
/// of the scope, also after an error, without a warning:
///
///     func first(_ gate: Gate) throws {
///       let permit = try gate.acquire()
///       defer { extendLifetime(permit) }
///       use(theResource)
///     }
///
///     func second(_ gate: Gate) {
///       gate.withPermit { use(theResource) }
///     }
///
/// A permit may outlive the gate, and any thread may release it. An escaping closure cannot consume
/// a permit; use ``OwnedPermit`` there. A job on lanes that passes a permit to other code, and then
/// waits for more permits of the same gate, also calls ``owned()``: until then the permit counts as
/// held by that job.
///
/// There is no corresponding C type: C counts permits by `weir_gate_signal`.
public struct Permit: ~Copyable, Sendable {
  // The gate's handle, without a reference: permits in use keep the C gate alive.
  // nonisolated(unsafe): the C type may be used by any thread.
  private nonisolated(unsafe) let gate: OpaquePointer
  private let permits: Int

  init(_ gate: OpaquePointer, _ permits: Int) {
    self.gate = gate
    self.permits = permits
  }

  deinit {
    _ = weir_gate_signal(gate, permits)
  }

  /// Releases the permits, and returns the number of waiters that this let through.
  ///
  /// - Complexity: O(1), and O(*w*) for *w* waiters let through. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_signal`.
  @discardableResult
  public consuming func release() -> Int {
    let (gate, permits) = forget()
    return weir_gate_signal(gate, permits)
  }

  /// Returns the same permits as an object, which closures can share. They no longer count as held
  /// by the current job. Blocks: no. The corresponding C function is `weir_gate_disown`.
  public consuming func owned() -> OwnedPermit {
    let (gate, permits) = forget()
    weir_gate_disown(gate, permits)
    return OwnedPermit(gate, permits)
  }

  /// Ends the life of the value without releasing the permits.
  consuming func forget() -> (OpaquePointer, Int) {
    let parts = (gate, permits)
    discard self
    return parts
  }
}

/// Permits of a ``Gate``, as an object for work that escapes.
///
///     let permit = try gate.acquire().owned()
///     connection.send(request) { response in
///       handle(response)
///       permit.release()
///     }
///
/// The permits are released once: by the first ``release()``, or with the last reference.
/// The object may outlive the gate, and any thread may use it.
///
/// There is no corresponding C type: C counts permits by `weir_gate_signal`.
public final class OwnedPermit: Sendable {
  // Without a reference, like Permit's.
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

  /// Releases the permits, and returns the number of waiters that this let through. Later calls
  /// have no effect and return 0.
  ///
  /// - Complexity: O(1), and O(*w*) for *w* waiters let through. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_signal`.
  @discardableResult
  public func release() -> Int {
    guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return 0 }
    return weir_gate_signal(gate, permits)
  }
}
