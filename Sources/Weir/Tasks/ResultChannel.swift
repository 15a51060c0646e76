/// Results on their way to a consumer, up to a limit.
///
/// A ``Gate`` limits the channel: a transform takes a permit before it begins, and the
/// consumer releases it when it takes the result. So one limit covers the elements in
/// progress and the results that wait.
final class ResultChannel<Element: Sendable>: Sendable {
  private struct State {
    /// The results that can be taken, oldest first; in input order, those without a gap before.
    var ready = FIFO<Element>()
    /// The results after a gap, in input order.
    var early: [Int: Element] = [:]
    var next = 0
    /// The total number of results, once known.
    var total: Int?
    var taken = 0
    /// The number of places taken and not yet released.
    var places = 0
    var failure: (any Error)?
    var isOver = false
    var consumer: UnsafeContinuation<Void, Never>?
    var driver: Task<Void, Never>?

    /// True if the consumer has something to receive.
    var hasNews: Bool {
      isOver || failure != nil || !ready.isEmpty || taken == total
    }
  }

  private let order: ResultOrder
  private let places: Gate
  private let state: Locked<State>

  init(_ order: ResultOrder, limit: Int) {
    self.order = order
    places = Gate(label: "results", permits: limit)
    state = Locked(State())
  }

  /// Releases the places of results that were not taken; otherwise C would keep the gate alive
  /// for its permits in use.
  deinit {
    places.release(state.with { $0.places })
  }

  // MARK: Producer

  /// Sets the task that produces the results. It is cancelled when no more are wanted.
  func begin(_ driver: Task<Void, Never>) {
    let isOver = state.with { state in
      state.driver = driver
      return state.isOver
    }
    if isOver { driver.cancel() }
  }

  /// Waits for room for one more result.
  func room() async throws {
    _ = try await places.acquire().forget()
    state.with { $0.places += 1 }
  }

  func put(_ index: Int, _ element: Element) {
    wake { state in
      if order == .completion {
        state.ready.append(element)
        return
      }
      state.early[index] = element
      while let element = state.early.removeValue(forKey: state.next) {
        state.ready.append(element)
        state.next += 1
      }
    }
  }

  /// Sets the total number of results.
  func end(after total: Int) {
    wake { state in state.total = total }
  }

  /// Records the first failure, which is thrown in place of the next result.
  func fail(_ error: any Error) {
    wake { state in
      if state.failure == nil { state.failure = error }
    }
    state.with { $0.driver }?.cancel()
  }

  private func wake(_ change: (inout State) -> Void) {
    let consumer = state.with { state in
      change(&state)
      defer { state.consumer = nil }
      return state.consumer
    }
    consumer?.resume()
  }

  // MARK: Consumer

  /// Ends the channel: no more results are wanted.
  func abandon() {
    wake { state in state.isOver = true }
    state.with { $0.driver }?.cancel()
  }

  nonisolated(nonsending) func next() async throws -> Element? {
    while true {
      if Task.isCancelled {
        abandon()
        throw CancellationError()
      }
      switch take() {
      case .element(let element):
        places.release(1)
        return element
      case .end: return nil
      case .failure(let error):
        abandon()
        throw error
      case .nothingYet: await untilWoken()
      }
    }
  }

  private enum Taken {
    case element(Element)
    case end
    case failure(any Error)
    case nothingYet
  }

  private func take() -> Taken {
    state.with { state in
      if state.isOver { return .end }
      if let failure = state.failure { return .failure(failure) }
      guard let element = state.ready.take() else {
        return state.taken == state.total ? .end : .nothingYet
      }
      state.taken += 1
      state.places -= 1
      return .element(element)
    }
  }

  nonisolated(nonsending) private func untilWoken() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isReady = state.with { state in
          if state.hasNews || Task.isCancelled { return true }
          state.consumer = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }
}
