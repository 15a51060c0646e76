// A task group that limits the number of living child tasks.

/// Runs `body` with a task group that limits the number of living child tasks.
///
///     let sizes = try await withWindowedTaskGroup(of: Int.self, limit: 8) { group in
///       for url in urls {
///         try await group.addTask { try await size(of: url) }
///       }
///       var sizes: [Int] = []
///       for try await size in group { sizes.append(size) }
///       return sizes
///     }
///
/// The group is Swift's own throwing task group, but adding a task waits while the window is full.
/// The children's results are kept until they are taken.
///
/// If `body` throws, as it does when it rethrows the failure of a child, the children are cancelled
/// and waited for. If it returns, they are waited for, and the first failure among them is thrown,
/// unless `body` called ``WindowedTaskGroup/cancelAll()``. If the task is cancelled, the function
/// throws `CancellationError`, whatever `body` returned.
///
/// - Parameters:
///   - childType: The type of a child task's result.
///   - returnType: The type of the result of `body`.
///   - limit: The maximum number of living child tasks, at least 1.
///   - gates: Further limits, which can be shared: a child takes a permit of each, in this order,
///     before it begins, and releases them at its end. The children borrow permits that a scope of
///     this task holds. While children run, `body` should then only add tasks and take results.
///   - options: The time-out of a child, and new attempts for one that failed.
///   - body: Adds tasks and takes results.
/// - Returns: The result of `body`, after every child has ended.
/// - Throws: The first error of a child or of `body`; `CancellationError`; ``GateError`` if a gate
///   is closed.
/// - Complexity: O(*n*) for *n* tasks, with O(`limit`) of them in memory, and the results that are
///   not yet taken.
///
/// Blocks: no, it suspends. There is no corresponding C function; lanes with a backlog
/// (`weir_lanes_t`) are the nearest.
public func withWindowedTaskGroup<ChildTaskResult: Sendable, R>(
  of childType: ChildTaskResult.Type = ChildTaskResult.self,
  returning returnType: R.Type = R.self,
  limit: Int,
  within gates: (any Gates)? = nil,
  options: MapOptions = MapOptions(),
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt = #line,
  _ body: (inout WindowedTaskGroup<ChildTaskResult>) async throws -> R
) async throws -> R {
  let window = Window("window", limit: limit, within: gates, at: fileID, line)
  return try await withThrowingTaskGroup(of: ChildTaskResult.self) { group in
    try await orCancellation {
      var windowed = WindowedTaskGroup(group, window, options)
      let result = try await body(&windowed)
      try await windowed.waitForTheRest()
      return result
    }
  }
}

/// The group of ``withWindowedTaskGroup(of:returning:limit:within:options:isolation:fileID:line:_:)``.
///
/// The group is a sequence of the children's results, in order of completion. It must not be used
/// outside the body that receives it. There is no corresponding C type.
public struct WindowedTaskGroup<ChildTaskResult: Sendable> {
  /// The state that the group and its iterators share.
  private final class State {
    var group: ThrowingTaskGroup<ChildTaskResult, any Error>
    let window: Window
    let options: MapOptions
    var added = 0
    var alive = 0
    /// The results that were taken to make room, oldest first.
    var finished = FIFO<ChildTaskResult>()
    var isCancelledByBody = false

    init(
      _ group: ThrowingTaskGroup<ChildTaskResult, any Error>, _ window: Window,
      _ options: MapOptions
    ) {
      self.group = group
      self.window = window
      self.options = options
    }
  }

  private let state: State

  init(
    _ group: ThrowingTaskGroup<ChildTaskResult, any Error>, _ window: Window, _ options: MapOptions
  ) {
    state = State(group, window, options)
  }

  /// Adds a child task when the window has room for it.
  ///
  /// - Parameter operation: The body of the child, called once for each attempt.
  /// - Throws: The error of a child that failed meanwhile; `CancellationError` if the task is
  ///   cancelled. Then no child is added.
  ///
  /// Blocks: no, it suspends until fewer than `limit` children are alive. There is no corresponding
  /// C function.
  nonisolated(nonsending) public mutating func addTask(
    @_implicitSelfCapture _ operation: @escaping @Sendable () async throws -> ChildTaskResult
  ) async throws {
    try Task.checkCancellation()
    while state.alive >= state.window.limit {
      if let result = try await takeNext() { state.finished.append(result) }
    }
    try Task.checkCancellation()
    state.alive += 1
    let (window, child, index) = (state.window, state.window.add(), state.added)
    state.added += 1
    let attempts = state.options.attempts(of: { (_: Void) in try await operation() })
    state.group.addTask { try await window.run(child) { try await attempts(index, ()) } }
  }

  /// Returns the next result, in order of completion, or `nil` if there are no more children.
  /// Throws the error of the child, if it failed. Blocks: no, it suspends. There is no
  /// corresponding C function.
  nonisolated(nonsending) public mutating func next() async throws -> ChildTaskResult? {
    if let result = state.finished.take() { return result }
    return try await takeNext()
  }

  /// Cancels all children, and those that are added later. Blocks: no. There is no corresponding C
  /// function.
  public func cancelAll() {
    state.isCancelledByBody = true
    state.group.cancelAll()
  }

  /// Waits for the children that `body` has left; their results are dropped.
  nonisolated(nonsending) func waitForTheRest() async throws {
    while state.alive > 0 {
      do {
        _ = try await takeNext()
      } catch {
        if !state.isCancelledByBody { throw error }
      }
    }
  }

  nonisolated(nonsending) private func takeNext() async throws -> ChildTaskResult? {
    guard state.alive > 0 else { return nil }
    defer { state.alive -= 1 }
    return try await state.group.next()
  }
}

@available(*, unavailable)
extension WindowedTaskGroup: Sendable {}

extension WindowedTaskGroup: AsyncSequence, AsyncIteratorProtocol {
  /// Returns the group, which is its own iterator. Blocks: no. There is no corresponding C
  /// function.
  public func makeAsyncIterator() -> WindowedTaskGroup { self }
}
