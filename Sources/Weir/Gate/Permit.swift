// What a gate gives out.

internal import CWeir

/// Permits of a ``Gate``, as a value that gives them back.
///
///     let permit = try gate.acquire()
///     use(theResource)
///     permit.release()
///
/// It cannot be copied, and giving it back consumes it: to release it twice, or
/// to use it afterwards, does not compile. One that is dropped gives its permits
/// back by itself. So `_ = try gate.acquire()` holds nothing: keep it in a
/// variable as long as the resource is in use.
///
/// It may outlive the gate, and be given back on any thread. A closure that
/// escapes cannot consume one; for that there is ``OwnedPermit``. A job on lanes
/// that hands one on to somebody else, and then waits for more of the gate itself,
/// makes it ``owned()`` too: until then the permits count as that job's, which would
/// wait for itself.
///
/// There is no corresponding C type: C counts permits by `weir_gate_signal`.
public struct Permit: ~Copyable, Sendable {
  // The gate's handle, without a reference: permits that are out keep the C
  // gate alive, so that taking and giving back counts no references.
  // nonisolated(unsafe): the C type may be used by any thread.
  private nonisolated(unsafe) let gate: OpaquePointer
  private var permits: Int

  init(_ gate: OpaquePointer, _ permits: Int) {
    self.gate = gate
    self.permits = permits
  }

  deinit {
    _ = weir_gate_signal(gate, permits)
  }

  /// How many permits it stands for.
  public var count: Int { permits }

  /// Gives the permits back.
  ///
  /// - Returns: How many waiters, tasks and threads, that let through.
  /// - Complexity: O(1), and O(*w*) for *w* waiters let through. Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_signal`.
  @discardableResult
  public consuming func release() -> Int {
    let (gate, permits) = forget()
    return weir_gate_signal(gate, permits)
  }

  /// Splits some permits off, to be given back by themselves.
  ///
  /// - Parameter count: How many, from 0 to ``count``. More is a programmer's
  ///   error, and traps.
  /// - Returns: As many permits; this value keeps the rest.
  /// - Complexity: O(1). Blocks: no.
  ///
  /// There is no corresponding C function.
  public mutating func split(_ count: Int) -> Permit {
    guard (0...permits).contains(count) else {
      misuse("\(count) permits were to be split off from \(permits)")
    }
    permits -= count
    return Permit(gate, count)
  }

  /// The same permits as an object, which closures may share.
  ///
  /// From here on they are not this job's: whoever has them last gives them back.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_disown`.
  public consuming func owned() -> OwnedPermit {
    let (gate, permits) = forget()
    weir_gate_disown(gate, permits)
    return OwnedPermit(gate, permits)
  }

  /// Ends its life without giving anything back.
  consuming func forget() -> (OpaquePointer, Int) {
    let parts = (gate, permits)
    discard self
    return parts
  }
}
