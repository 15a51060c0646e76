/// The limits of a group or a map: its own limit, and gates that it shares.
struct Window: Sendable {
  let limit: Int
  private let gates: ArraySlice<(gate: Gate, lender: Loans?)>
  private let caller: Caller
  private let work: WatchedWork
  private let shown: Shown

  /// Created by the task that waits for the children, or for children that no task waits for.
  init(
    _ kind: String = "map", limit: Int, within gates: (any Gates)?, at fileID: StaticString,
    _ line: UInt,
    lends: Bool = true
  ) {
    self.limit = Window.checked(limit)
    self.gates = (gates?._gates ?? []).map { ($0, lends ? Loans.ofCurrentTask(at: $0) : nil) }[...]
    caller = Caller(fileID, line)
    work = WatchedWork(kind, .place(fileID, line), limit: limit)
    shown = work.shown
  }

  static func checked(_ limit: Int) -> Int {
    guard limit >= 1 else {
      misuse("a window of \(limit) tasks was requested; it is at least 1")
    }
    return limit
  }

  /// Returns the number of a new child.
  func add() -> UInt64 { work.add() }

  /// Runs the body of a child while holding a permit of each gate.
  func run<R: Sendable>(
    _ child: UInt64, _ body: @Sendable () async throws -> R
  ) async throws -> R {
    if gates.isEmpty {
      work.begin(child)
      defer { work.end(child) }
      return try await body()
    }
    var hasBegun = false
    defer { if hasBegun { work.end(child) } else { work.drop(child) } }
    return try await holding(gates) {
      hasBegun = true
      work.begin(child)
      return try await body()
    }
  }

  /// Takes the permits in the order of the gates, and keeps each while it waits for the next.
  nonisolated(nonsending) private func holding<R>(
    _ gates: ArraySlice<(gate: Gate, lender: Loans?)>,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    guard let (gate, lender) = gates.first else { return try await body() }
    return try await gate.withOwnOrLentPermit(from: lender, caller) {
      try await holding(gates.dropFirst(), body)
    }
  }
}

/// Runs `body`. If the task was cancelled meanwhile, throws `CancellationError` instead.
func orCancellation<R>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async throws -> R {
  do {
    let result = try await body()
    try Task.checkCancellation()
    return result
  } catch {
    try Task.checkCancellation()
    throw error
  }
}

/// Calls `body` with a transform that child tasks may call: the attempts to call a closure that
/// does not escape. Swift checks at the end of `withoutActuallyEscaping` that the closure has no
/// other owner; so the children get its address. All of them have ended by then: they are children
/// of a group in `body`.
func lending<Argument: Sendable, Value: Sendable, R>(
  _ closure: @Sendable (Argument) async throws -> Value, _ options: MapOptions,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (@escaping @Sendable (Int, Argument) async throws -> Value) async throws -> R
) async throws -> R {
  try await withoutActuallyEscaping(closure) { closure in
    _ = isolation  // the closure runs on the actor that it captures
    let place = UnsafeMutablePointer<LentClosure<Argument, Value>>.allocate(capacity: 1)
    place.initialize(to: LentClosure(run: closure))
    defer {
      place.deinitialize(count: 1)
      place.deallocate()
    }
    // nonisolated(unsafe): any thread may call the closure, which does not change.
    nonisolated(unsafe) let lent = place
    return try await body(
      options.attempts { (argument: Argument) in try await lent.pointee(argument) })
  }
}

private struct LentClosure<Argument: Sendable, Value: Sendable>: ~Copyable {
  let run: @Sendable (Argument) async throws -> Value

  // Never inlined: its references to the closure are released when it returns.
  @inline(never)
  borrowing func callAsFunction(_ argument: Argument) async throws -> Value {
    try await run(argument)
  }
}
