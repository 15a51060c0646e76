// A task group with a limit.

/// Runs `body` with a task group in which so many child tasks are alive at most.
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
/// It is Swift's own throwing task group, but to add a task waits while the
/// window is full: a loop over a million elements has `limit` of them alive, not
/// a million. The children's results are kept until they are taken.
///
/// Structured as ever: where `body` throws, as it does when it comes upon the
/// failure of a child and lets it pass, the children are cancelled and waited for;
/// where it returns, they are waited for, and the first failure among them is
/// thrown, unless `body` called ``WindowedTaskGroup/cancelAll()``. No child
/// outlives this call. If the task is cancelled it throws `CancellationError`,
/// whatever `body` made of it: a short result never looks like a whole one.
///
/// - Parameters:
///   - childType: What a child task returns.
///   - returnType: What `body` returns.
///   - limit: How many child tasks may be alive at once, at least 1.
///   - gate: Another bound, shared with others: a child takes a permit of it
///     before it begins, and gives it back at its end. In a scope of this task
///     that holds permits of that gate the children are lent those, so that
///     nested groups within one gate go on, together bounded by it. While children
///     run, `body` should then only add tasks and take results.
///   - isolation: Where `body` runs: on the caller's actor.
///   - body: Adds tasks and takes results.
/// - Returns: What `body` returns, once every child has ended.
/// - Throws: The first error of a child or of `body`; `CancellationError`;
///   ``GateError`` where the gate is closed.
/// - Complexity: O(*n*) for *n* tasks, with O(`limit`) of them in memory, and
///   the results that are not taken yet.
///
/// Blocks: no, it suspends. There is no corresponding C function; lanes with a
/// backlog (`weir_lanes_t`) are what is nearest.
public func withWindowedTaskGroup<ChildTaskResult: Sendable, R>(
  of childType: ChildTaskResult.Type = ChildTaskResult.self,
  returning returnType: R.Type = R.self,
  limit: Int,
  within gate: Gate? = nil,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (inout WindowedTaskGroup<ChildTaskResult>) async throws -> R
) async throws -> R {
  let window = Window(limit: limit, within: gate)
  return try await withThrowingTaskGroup(of: ChildTaskResult.self) { group in
    try await orCancellation {
      var windowed = WindowedTaskGroup(group, window)
      let result = try await body(&windowed)
      try await windowed.waitForTheRest()
      return result
    }
  }
}

/// The group of ``withWindowedTaskGroup(of:returning:limit:within:isolation:_:)``.
///
/// It is a sequence of the children's results, as they are completed. It must
/// not be used outside of the body it was given to.
///
/// There is no corresponding C type.
public struct WindowedTaskGroup<ChildTaskResult: Sendable> {
  /// Shared by the group and its iterators.
  private final class State {
    var group: ThrowingTaskGroup<ChildTaskResult, any Error>
    let window: Window
    var alive = 0
    /// Results that were taken to make room, oldest first.
    var finished = FIFO<ChildTaskResult>()
    var isCancelledByBody = false

    init(_ group: ThrowingTaskGroup<ChildTaskResult, any Error>, _ window: Window) {
      self.group = group
      self.window = window
    }
  }

  private let state: State

  init(_ group: ThrowingTaskGroup<ChildTaskResult, any Error>, _ window: Window) {
    state = State(group, window)
  }

  /// Adds a child task, once the window has room for it.
  ///
  /// - Parameter operation: What the child does.
  /// - Throws: The error of a child that failed meanwhile; `CancellationError`
  ///   if the task is cancelled. Then no child is added.
  ///
  /// Blocks: no, it suspends until fewer than `limit` children are alive.
  ///
  /// There is no corresponding C function.
  nonisolated(nonsending) public mutating func addTask(
    @_implicitSelfCapture _ operation: @escaping @Sendable () async throws -> ChildTaskResult
  ) async throws {
    try Task.checkCancellation()
    while state.alive >= state.window.limit {
      if let result = try await takeNext() { state.finished.append(result) }
    }
    try Task.checkCancellation()
    let window = state.window
    state.alive += 1
    state.group.addTask { try await window.run(operation) }
  }

  /// The next result, in the order of completion; `nil` when there are no more
  /// children.
  ///
  /// - Throws: The error of the child, if that is how it ended.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending) public mutating func next() async throws -> ChildTaskResult? {
    try await nextResult()
  }

  /// Waits for all children. Their results can be taken afterwards.
  ///
  /// - Throws: The first error of one.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending) public mutating func waitForAll() async throws {
    while let result = try await takeNext() { state.finished.append(result) }
  }

  /// Cancels all children, and those that will be added.
  ///
  /// Blocks: no. There is no corresponding C function.
  public func cancelAll() {
    state.isCancelledByBody = true
    state.group.cancelAll()
  }

  /// Whether the group was cancelled, by ``cancelAll()`` or with its task.
  public var isCancelled: Bool { state.group.isCancelled }

  /// Whether there are neither children nor results.
  public var isEmpty: Bool { state.alive == 0 && state.finished.isEmpty }

  nonisolated(nonsending) private func nextResult() async throws -> ChildTaskResult? {
    if let result = state.finished.take() { return result }
    return try await takeNext()
  }

  /// What `body` has left: nobody will look at the results any more.
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

extension WindowedTaskGroup: AsyncSequence {
  /// Takes the results of a group.
  ///
  /// There is no corresponding C type.
  public struct Iterator: AsyncIteratorProtocol {
    private var group: WindowedTaskGroup

    fileprivate init(_ group: WindowedTaskGroup) {
      self.group = group
    }

    /// The next result, in the order of completion.
    ///
    /// - Throws: The error of the child, if that is how it ended.
    ///
    /// Blocks: no, it suspends. There is no corresponding C function.
    nonisolated(nonsending) public mutating func next() async throws -> ChildTaskResult? {
      try await group.next()
    }
  }

  /// An iterator over the results that have not been taken yet.
  ///
  /// Blocks: no. There is no corresponding C function.
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }
}
