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
  /// them, and is thrown; no further one is begun. If the task is cancelled, so
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
  ///     are permits, and none waits for a permit that its own caller holds.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: The first error of a transform, in time; `CancellationError`;
  ///   ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending) public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    @_implicitSelfCapture _ transform: @escaping @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    let window = Window(limit: limit, within: gate)
    return try await withThrowingTaskGroup(of: (Int, T).self) { group in
      var results = Results<T>(order, capacity: underestimatedCount)
      var begun = 0
      for element in self {
        if begun >= limit, let result = try await group.next() { results.put(result) }
        try Task.checkCancellation()
        let index = begun
        group.addTask { (index, try await window.run { try await transform(element) }) }
        begun += 1
      }
      while let result = try await group.next() { results.put(result) }
      try Task.checkCancellation()
      return results.array
    }
  }

  /// Transforms every element in tasks of its own, so many at once; those that
  /// fail become `nil`.
  ///
  ///     let pages = try await urls.mapConcurrently(limit: 8, failures: .becomeNil) {
  ///       try await fetch($0)
  ///     }
  ///
  /// As ``mapConcurrently(limit:order:within:_:)``, but a failure ends its own
  /// element alone. A cancelled task is an error all the same.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be worked on at once, at least 1.
  ///   - order: The order of the results.
  ///   - gate: Another bound, shared with others.
  ///   - failures: `.becomeNil`.
  ///   - transform: Called once for each element, in a child task.
  /// - Returns: As many results as there were elements.
  /// - Throws: `CancellationError`, and ``GateError`` where the gate is closed.
  /// - Complexity: O(*n*) for *n* elements, with O(`limit`) tasks in memory.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending) public func mapConcurrently<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    failures: FailuresBecomeNil,
    @_implicitSelfCapture _ transform: @escaping @Sendable (Element) async throws -> T
  ) async throws -> [T?] {
    try await mapConcurrently(limit: limit, order: order, within: gate) { element in
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
    @_implicitSelfCapture _ transform: @escaping @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    let window = Window(limit: limit, within: gate)
    let source: Source<Element> = IteratorSource(makeAsyncIterator())
    return try await withThrowingTaskGroup(of: Step<Element, T>.self) { group in
      var results = Results<T>(order, capacity: 0)
      var (begun, alive, isOver) = (0, 0, false)
      // One task asks for the next element, in the place of the one that will
      // work on it: else nobody would see another's failure meanwhile.
      group.addTask { .element(try await source.next(isolation: isolation)) }
      while let step = try await group.next(isolation: isolation) {
        var mayAsk = false
        switch step {
        case .element(nil):
          isOver = true
        case .element(let element?):
          let index = begun
          group.addTask { .result(index, try await window.run { try await transform(element) }) }
          begun += 1
          alive += 1
          mayAsk = alive < limit
        case .result(let index, let result):
          results.put((index, result))
          mayAsk = alive == limit
          alive -= 1
        }
        try Task.checkCancellation()
        if mayAsk && !isOver {
          group.addTask { .element(try await source.next(isolation: isolation)) }
        }
      }
      try Task.checkCancellation()
      return results.array
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
    @_implicitSelfCapture _ transform: @escaping @Sendable (Element) async throws -> T
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

/// What a child task of a map of an asynchronous sequence brings.
private enum Step<Element: Sendable, T: Sendable>: Sendable {
  case element(Element?)
  case result(Int, T)
}

/// An iterator that one child task at a time asks, each after the one before.
// @unchecked: for that reason; and it is asked where the caller is, whose it is.
// A class hierarchy, so that closures carry no metatype of the iterator.
private class Source<Element: Sendable>: @unchecked Sendable {
  func next(isolation: isolated (any Actor)?) async throws -> Element? {
    fatalError("a source without an iterator")
  }
}

private final class IteratorSource<Iterator: AsyncIteratorProtocol>: Source<Iterator.Element>,
  @unchecked Sendable
where Iterator.Element: Sendable {
  private var iterator: Iterator

  init(_ iterator: Iterator) {
    self.iterator = iterator
  }

  override func next(isolation: isolated (any Actor)?) async throws -> Iterator.Element? {
    try await iterator.next(isolation: isolation)
  }
}

/// The results of a map so far.
private struct Results<T> {
  private let order: ResultOrder
  private var values: [T?] = []

  init(_ order: ResultOrder, capacity: Int) {
    self.order = order
    values.reserveCapacity(capacity)
  }

  mutating func put(_ result: (Int, T)) {
    let (index, value) = result
    guard order == .input else { return values.append(value) }
    while values.count <= index { values.append(nil) }
    values[index] = value
  }

  /// All of them, once there are no gaps.
  var array: [T] { values.compactMap { $0 } }
}
