// Maps and loops whose transforms are concurrent tasks.

/// The order of the results of concurrent work. C has `WEIR_FILES_UNORDERED`, for files.
public enum ResultOrder: Sendable {
  /// The order of the input, the same in every run and for any number of lanes.
  case input
  /// The order of completion.
  case completion
}

extension Sequence where Element: Sendable {
  /// Transforms every element in concurrent tasks, up to a limit.
  ///
  ///     let pages = try await urls.mapConcurrently(limit: 8) { url in
  ///       try await fetch(url)
  ///     }
  ///
  /// The sequence is read as tasks end: a million elements at a limit of 8 are never more than 8
  /// tasks. The first failure cancels the elements in progress; the method waits for them, begins
  /// no more, and throws the failure. If the task is cancelled, its children are too, and the
  /// method throws `CancellationError`: a returned array always has all elements.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results: that of the elements, or of completion.
  ///   - gates: Further limits, which can be shared: each element takes a permit of each, in this
  ///     order, before its transform begins. Maps within one gate may be nested: together they have
  ///     as many elements in progress as there are permits, and none waits for a permit that the
  ///     calling task holds in a scope. (A task that only inherits the scope, for example by
  ///     `async let`, gets no loan.)
  ///   - options: The time-out of a transform, and new attempts for one that failed.
  ///   - transform: Called once for each element, in a child task.
  /// - Throws: The first error of a transform, in time; `CancellationError`; ``GateError`` if a
  ///   gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    try await lending(transform, options) { transform in
      try await mapped(
        Window(limit: limit, within: gates, at: fileID, line),
        into: Results(order, capacity: underestimatedCount),
        by: transform, isolation: isolation)
    }
  }

  /// Transforms every element in concurrent tasks, up to a limit, with a `Result` for each element,
  /// or with `nil` for failures.
  ///
  ///     let pages = try await urls.mapConcurrently(limit: 8, failures: .becomeResults) {
  ///       try await fetch($0)
  ///     }
  ///     for case .failure(let error) in pages { print(error) }
  ///
  /// Like ``mapConcurrently(limit:order:within:options:isolation:fileID:line:_:)``, but `failures`
  /// is `.becomeNil` or `.becomeResults`: an element fails with the error of its last attempt, and
  /// the others go on.
  ///
  /// - Throws: `CancellationError`, and ``GateError`` if a gate is closed.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable, Output: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), failures: FailureHandling<T, Output>,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [Output] {
    try await lending(transform, options) { transform in
      try await mapped(
        Window(limit: limit, within: gates, at: fileID, line),
        into: Results(order, capacity: underestimatedCount),
        by: failures.handled(transform), isolation: isolation)
    }
  }

  /// Calls a closure for every element in concurrent tasks, up to a limit.
  ///
  ///     try await urls.forEachConcurrently(limit: 8) { url in
  ///       await show(try await fetch(url))
  ///     }
  ///
  /// Like ``mapConcurrently(limit:order:within:options:isolation:fileID:line:_:)``, but without
  /// results. Blocks: no, it suspends. There is no corresponding C function.
  public func forEachConcurrently(
    limit: Int, within gates: (any Gates)? = nil, options: MapOptions = MapOptions(),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await lending(body, options) { body in
      _ = try await mapped(
        Window(limit: limit, within: gates, at: fileID, line), into: Results(nil),
        by: body, isolation: isolation)
    }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Transforms every element in concurrent tasks, up to a limit; like the form of `Sequence`. The
  /// next element is requested when the limit allows another task. A failure, also of the sequence,
  /// ends a wait for the next element. Blocks: no, it suspends. There is no corresponding C
  /// function.
  public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    try await lending(transform, options) { transform in
      try await mapped(
        Window(limit: limit, within: gates, at: fileID, line), into: Results(order),
        by: transform,
        isolation: isolation)
    }
  }

  /// Transforms every element in concurrent tasks, up to a limit, with a `Result` for each element,
  /// or with `nil` for failures; like the form of `Sequence`. A failure of the sequence is still an
  /// error. Blocks: no, it suspends. There is no corresponding C function.
  public func mapConcurrently<T: Sendable, Output: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), failures: FailureHandling<T, Output>,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [Output] {
    try await lending(transform, options) { transform in
      try await mapped(
        Window(limit: limit, within: gates, at: fileID, line), into: Results(order),
        by: failures.handled(transform),
        isolation: isolation)
    }
  }

  /// Calls a closure for every element in concurrent tasks, up to a limit; like the form of
  /// `Sequence`. The sequence may be endless. Blocks: no, it suspends. There is no corresponding C
  /// function.
  public func forEachConcurrently(
    limit: Int, within gates: (any Gates)? = nil, options: MapOptions = MapOptions(),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    try await lending(body, options) { body in
      _ = try await mapped(
        Window(limit: limit, within: gates, at: fileID, line), into: Results(nil),
        by: body, isolation: isolation)
    }
  }
}
