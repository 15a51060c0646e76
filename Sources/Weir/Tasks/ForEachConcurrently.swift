// Loops whose elements are worked on several at a time.

extension Sequence where Element: Sendable {
  /// Calls a closure for every element in tasks of its own, so many at once.
  ///
  ///     try await urls.forEachConcurrently(limit: 8) { url in
  ///       await show(try await fetch(url))
  ///     }
  ///
  /// As ``mapConcurrently(limit:order:within:isolation:_:)``, without results.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - gate: Another bound, shared with others.
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - body: Called once for each element, in a child task.
  /// - Throws: The first error of a body, in time; `CancellationError`;
  ///   ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func forEachConcurrently(
    limit: Int, within gate: Gate? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      let place = ClosurePlace(body)
      defer { place.free() }
      _ = try await mapped(
        Window(limit: limit, within: gate), into: Results(nil), by: place, isolation: isolation)
    }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Calls a closure for every element in tasks of its own, so many at once.
  ///
  ///     try await urls.forEachConcurrently(limit: 8) { url in
  ///       await show(try await fetch(url))
  ///     }
  ///
  /// As ``mapConcurrently(limit:order:within:isolation:_:)``, without results: so
  /// the sequence may be endless.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - gate: Another bound, shared with others.
  ///   - isolation: Where the sequence is iterated: on the caller's actor.
  ///   - body: Called once for each element, in a child task.
  /// - Throws: The first error of the sequence or of a body, in time;
  ///   `CancellationError`; ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func forEachConcurrently(
    limit: Int, within gate: Gate? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      let place = ClosurePlace(body)
      defer { place.free() }
      _ = try await mapped(
        Window(limit: limit, within: gate), into: Results(nil), by: place, isolation: isolation)
    }
  }
}
