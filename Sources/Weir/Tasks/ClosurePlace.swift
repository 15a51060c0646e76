// Closures that do not escape, for child tasks.

/// Where a closure lies, for child tasks that call it there.
///
/// A child task takes escaping closures alone, and the maps are given one that
/// does not escape. Swift checks at the end of `withoutActuallyEscaping` that
/// nobody holds the closure any more; so children are given its place instead.
/// They have all ended by then: they are children of a group inside of it.
struct ClosurePlace<Argument: Sendable, Value: Sendable>: @unchecked Sendable {
  // @unchecked: the closure may be called by any thread, and is not changed.
  private struct Closure: ~Copyable {
    let run: @Sendable (Argument) async throws -> Value

    // Never inlined: what it holds of the closure is let go when it returns.
    @inline(never)
    borrowing func callAsFunction(_ argument: Argument) async throws -> Value {
      try await run(argument)
    }
  }

  private let place: UnsafeMutablePointer<Closure>

  init(_ closure: @escaping @Sendable (Argument) async throws -> Value) {
    place = .allocate(capacity: 1)
    place.initialize(to: Closure(run: closure))
  }

  func free() {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  func callAsFunction(_ argument: Argument) async throws -> Value {
    try await place.pointee(argument)
  }
}
