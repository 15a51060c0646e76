// The loop of the maps: it reads a sequence and keeps the window full of child tasks.
//
// DESIGN. A child task asks an asynchronous sequence for its next element, in the place of the
// task that will work on it. So a failure is seen while the sequence has nothing to give, and
// the limit holds for all tasks.

extension Sequence where Element: Sendable {
  /// Transforms every element in a child task, with as many tasks alive as the window allows.
  func mapped<T: Sendable>(
    _ window: Window, into results: Results<T>,
    by transform: @escaping @Sendable (Int, Element) async throws -> T,
    isolation: isolated (any Actor)?
  ) async throws -> [T] {
    try await withThrowingTaskGroup(of: (Int, T).self) { group in
      try await orCancellation {
        // A closure runs on the actor that it captures. The sequence is iterated there.
        _ = isolation
        var (results, begun) = (results, 0)
        for element in self {
          if begun >= window.limit, let result = try await group.next() { results.put(result) }
          try Task.checkCancellation()
          let index = begun
          let child = window.add()
          group.addTask {
            (index, try await window.run(child) { try await transform(index, element) })
          }
          begun += 1
        }
        while let result = try await group.next() { results.put(result) }
        return results.array
      }
    }
  }
}

extension AsyncSequence where Element: Sendable {
  /// Like the form of `Sequence`, for a sequence whose elements must be waited for.
  func mapped<T: Sendable>(
    _ window: Window, into results: Results<T>,
    by transform: @escaping @Sendable (Int, Element) async throws -> T,
    isolation: isolated (any Actor)?
  ) async throws -> [T] {
    let source: Source<Element> = IteratorSource(makeAsyncIterator())
    return try await withThrowingTaskGroup(of: Step<Element, T>.self) { group in
      try await orCancellation {
        var results = results
        var (begun, alive, isOver) = (0, 0, false)
        group.addTask { .element(try await source.next(isolation: isolation)) }
        while let step = try await group.next(isolation: isolation) {
          var mayAsk = false
          switch step {
          case .element(nil):
            isOver = true
          case .element(let element?):
            let index = begun
            let child = window.add()
            group.addTask {
              .result(index, try await window.run(child) { try await transform(index, element) })
            }
            begun += 1
            alive += 1
            mayAsk = alive < window.limit
          case .result(let index, let result):
            results.put((index, result))
            mayAsk = alive == window.limit
            alive -= 1
          }
          try Task.checkCancellation()
          if mayAsk && !isOver {
            group.addTask { .element(try await source.next(isolation: isolation)) }
          }
        }
        return results.array
      }
    }
  }
}

/// The result of a child task of a map over an asynchronous sequence.
private enum Step<Element: Sendable, T: Sendable>: Sendable {
  case element(Element?)
  case result(Int, T)
}

/// An iterator that one child task at a time uses.
// @unchecked: for that reason; and it runs on its owner's actor, the caller's. A class
// hierarchy, so that closures carry no metatype of the iterator.
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
struct Results<T: Sendable>: Sendable {
  private let order: ResultOrder?
  private var values: [T?] = []

  /// - Parameter order: The order; `nil` to drop the results.
  init(_ order: ResultOrder?, capacity: Int = 0) {
    self.order = order
    values.reserveCapacity(capacity)
  }

  mutating func put(_ result: (Int, T)) {
    let (index, value) = result
    switch order {
    case nil: break
    case .completion: values.append(value)
    case .input:
      while values.count <= index { values.append(nil) }
      values[index] = value
    }
  }

  /// All results, when there are no gaps.
  var array: [T] { values.compactMap { $0 } }
}
