// How many elements are worked on at once, and within what.

/// The bounds of a group or a map: its own limit, and a gate that it shares.
struct Window: Sendable {
  let limit: Int
  private let gate: Gate?
  private var lender: Holding?

  /// Made by the task that will wait for the children.
  init(limit: Int, within gate: Gate?) {
    guard limit >= 1 else {
      misuse("a window of \(limit) tasks was asked for; at least 1 must be allowed to run")
    }
    self.limit = limit
    self.gate = gate
    lender = gate.flatMap { Holding.lender(of: $0) }
  }

  /// The same for children that nobody waits for.
  var withoutLender: Window {
    var window = self
    window.lender = nil
    return window
  }

  /// Runs the body of a child, with its permit.
  func run<R: Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
    guard let gate else { return try await body() }
    return try await gate.withOwnOrLentPermit(from: lender) { try await body() }
  }
}

/// Runs `body`; where the task was cancelled meanwhile it throws
/// `CancellationError`, whatever else came of it.
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
