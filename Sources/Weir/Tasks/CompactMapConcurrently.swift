// Maps whose transforms are concurrent tasks, and whose `nil` results are omitted.

extension Sequence where Element: Sendable {
  /// Transforms every element in concurrent tasks, up to a limit, and returns the results that
  /// are not `nil`.
  ///
  ///     import Weir
  ///
  ///     let numbers = try await ["1", "two", "3"].compactMapConcurrently(limit: 2) { Int($0) }
  ///     print(numbers)  // [1, 3]
  ///
  /// Like ``mapConcurrently(limit:order:within:timeout:retry:clock:isolation:_:)``:
  /// a failure is thrown. To omit the elements that fail, catch their errors in the transform.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results.
  ///   - gate: A further limit, which can be shared.
  ///   - timeout: The time that each transform has.
  ///   - retry: The number of attempts for an element that fails, and their delays.
  ///   - clock: The clock of time-outs and delays.
  ///   - isolation: The actor that iterates over the sequence; by default the caller's.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: The results of the transform without the `nil` ones.
  /// - Throws: The first error of a transform, in time; `CancellationError`; ``GateError`` if
  ///   the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func compactMapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    timeout: Duration? = nil, retry: RetryPolicy? = nil, clock: (any Clock<Duration>)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T?
  ) async throws -> [T] {
    try await mapConcurrently(
      limit: limit, order: order, within: gate, timeout: timeout, retry: retry, clock: clock,
      isolation: isolation, transform
    ).compactMap { $0 }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Transforms every element in concurrent tasks, up to a limit, and returns the results that
  /// are not `nil`.
  ///
  /// Like ``mapConcurrently(limit:order:within:timeout:retry:clock:isolation:_:)``:
  /// a failure is thrown. To omit the elements that fail, catch their errors in the transform.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results.
  ///   - gate: A further limit, which can be shared.
  ///   - timeout: The time that each transform has.
  ///   - retry: The number of attempts for an element that fails, and their delays.
  ///   - clock: The clock of time-outs and delays.
  ///   - isolation: The actor that iterates over the sequence; by default the caller's.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: The results of the transform without the `nil` ones.
  /// - Throws: The first error of the sequence or of a transform, in time;
  ///   `CancellationError`; ``GateError`` if the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  public func compactMapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    timeout: Duration? = nil, retry: RetryPolicy? = nil, clock: (any Clock<Duration>)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ transform: @Sendable (Element) async throws -> T?
  ) async throws -> [T] {
    try await mapConcurrently(
      limit: limit, order: order, within: gate, timeout: timeout, retry: retry, clock: clock,
      isolation: isolation, transform
    ).compactMap { $0 }
  }
}
