// Maps whose elements are worked on several at a time.

/// That failures become `nil`: an argument of the maps that give optionals.
///
/// There is no corresponding C type.
public struct FailuresBecomeNil: Sendable {
  /// An element whose transform throws becomes `nil`, and the others go on.
  public static var becomeNil: FailuresBecomeNil { FailuresBecomeNil() }
}

extension Sequence where Element: Sendable {
  /// Transforms every element in tasks of its own, so many at once.
  ///
  ///     let pages = try await urls.mapConcurrently(limit: 8) { url in
  ///       try await fetch(url)
  ///     }
  ///
  /// The sequence is read as the window moves on: a million elements at a limit
  /// of 8 are never more than 8 tasks.
  ///
  /// The first failure cancels the elements that are being worked on, waits for
  /// them, and is thrown; from when it is seen no further one is begun. If the task is cancelled, so
  /// are they, and it throws `CancellationError`: an array always has all
  /// elements.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - order: Whether the results come in the order of the elements, or as
  ///     they were completed.
  ///   - gate: Another bound, shared with others: a permit is taken for each
  ///     element before its transform begins. Maps within one gate may be nested
  ///     in one another: together they have as many elements under way as there
  ///     are permits, and none waits for a permit that the task which calls it
  ///     holds in a scope. (A task that only inherits the scope, by `async let`
  ///     for one, is lent nothing: the scope's own task may go on.)
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: The first error of a transform, in time; `CancellationError`;
  ///   ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    try await withoutActuallyEscaping(transform) { transform in
      let place = ClosurePlace(transform)
      defer { place.free() }
      return try await mapped(
        Window(limit: limit, within: gate),
        into: Results(order, capacity: underestimatedCount), by: place, isolation: isolation)
    }
  }

  /// Transforms every element in tasks of its own, so many at once; those that
  /// fail become `nil`.
  ///
  ///     let pages = try await urls.mapConcurrently(limit: 8, failures: .becomeNil) {
  ///       try await fetch($0)
  ///     }
  ///
  /// As ``mapConcurrently(limit:order:within:isolation:_:)``, but a failure ends its own
  /// element alone. A cancelled task is an error all the same.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - order: The order of the results.
  ///   - gate: Another bound, shared with others.
  ///   - failures: `.becomeNil`.
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: `CancellationError`, and ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    failures: FailuresBecomeNil, isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T?] {
    try await mapConcurrently(limit: limit, order: order, within: gate, isolation: isolation) {
      element in
      try await nilOnFailure { try await transform(element) }
    }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Transforms every element in tasks of its own, so many at once.
  ///
  ///     func pages(of urls: AsyncStream<URL>) async throws -> [Page] {
  ///       try await urls.mapConcurrently(limit: 8) { url in try await fetch(url) }
  ///     }
  ///
  /// The next element is asked for when the window has room for it. A failure
  /// also ends a wait for the next element. Else as the form of `Sequence`.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - order: Whether the results come in the order of the elements, or as
  ///     they were completed.
  ///   - gate: Another bound, shared with others.
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: The first error of the sequence or of a transform, in time;
  ///   `CancellationError`; ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    try await withoutActuallyEscaping(transform) { transform in
      let place = ClosurePlace(transform)
      defer { place.free() }
      return try await mapped(
        Window(limit: limit, within: gate), into: Results(order), by: place, isolation: isolation)
    }
  }

  /// Transforms every element in tasks of its own, so many at once; those that
  /// fail become `nil`.
  ///
  /// As ``mapConcurrently(limit:order:within:isolation:_:)``, but a failed
  /// transform ends its own element alone. A failure of the sequence, and a
  /// cancelled task, are errors all the same.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - order: The order of the results.
  ///   - gate: Another bound, shared with others.
  ///   - failures: `.becomeNil`.
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: The error of the sequence, `CancellationError`, and
  ///   ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    failures: FailuresBecomeNil, isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T?] {
    try await mapConcurrently(limit: limit, order: order, within: gate, isolation: isolation) {
      element in
      try await nilOnFailure { try await transform(element) }
    }
  }
}

/// `nil` in the place of an error, unless the task was cancelled.
func nilOnFailure<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T? {
  do {
    return try await body()
  } catch {
    try Task.checkCancellation()
    return nil
  }
}
