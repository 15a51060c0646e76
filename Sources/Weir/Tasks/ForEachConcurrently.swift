// Loops whose bodies are concurrent tasks.

extension Sequence where Element: Sendable {
  /// Calls a closure for every element in concurrent tasks, up to a limit.
  ///
  ///     try await urls.forEachConcurrently(limit: 8) { url in
  ///       await show(try await fetch(url))
  ///     }
  ///
  /// Like ``mapConcurrently(limit:order:within:timeout:retry:clock:isolation:_:)``,
  /// but without results.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - gate: A further limit, which can be shared.
  ///   - timeout: The time that each body has.
  ///   - retry: The number of attempts for an element that fails, and their delays.
  ///   - clock: The clock of time-outs and delays.
  ///   - isolation: The actor that iterates over the sequence; by default the caller's.
  ///   - body: Called once for each element, in a child task.
  /// - Throws: The first error of a body, in time; `CancellationError`; ``GateError`` if the
  ///   gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func forEachConcurrently(
    limit: Int, within gate: Gate? = nil,
    timeout: Duration? = nil, retry: RetryPolicy? = nil, clock: (any Clock<Duration>)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      let place = ClosurePlace(body, Attempts(timeout: timeout, retry: retry, clock: clock))
      defer { place.free() }
      _ = try await mapped(
        Window(limit: limit, within: gate), into: Results(nil), by: { try await place($0) },
        isolation: isolation)
    }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Calls a closure for every element in concurrent tasks, up to a limit.
  ///
  ///     try await urls.forEachConcurrently(limit: 8) { url in
  ///       await show(try await fetch(url))
  ///     }
  ///
  /// Like ``mapConcurrently(limit:order:within:timeout:retry:clock:isolation:_:)``,
  /// but without results, so the sequence may be endless.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - gate: A further limit, which can be shared.
  ///   - timeout: The time that each body has.
  ///   - retry: The number of attempts for an element that fails, and their delays.
  ///   - clock: The clock of time-outs and delays.
  ///   - isolation: The actor that iterates over the sequence; by default the caller's.
  ///   - body: Called once for each element, in a child task.
  /// - Throws: The first error of the sequence or of a body, in time; `CancellationError`;
  ///   ``GateError`` if the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func forEachConcurrently(
    limit: Int, within gate: Gate? = nil,
    timeout: Duration? = nil, retry: RetryPolicy? = nil, clock: (any Clock<Duration>)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      let place = ClosurePlace(body, Attempts(timeout: timeout, retry: retry, clock: clock))
      defer { place.free() }
      _ = try await mapped(
        Window(limit: limit, within: gate), into: Results(nil), by: { try await place($0) },
        isolation: isolation)
    }
  }
}
