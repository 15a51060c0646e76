// Between those who make results and the one who takes them.

/// Results on their way to a consumer, at most so many at once.
///
/// The room in it is a ``Gate``: whoever begins an element takes a permit, and
/// the consumer gives it back with the result that he takes. So what is being
/// worked on and what waits to be taken are bounded together.
final class ResultChannel<Element: Sendable>: Sendable {
  private struct State {
    /// What can be taken, oldest first; in input order, what has no gap before it.
    var ready = FIFO<Element>()
    /// In input order: what still has a gap before it.
    var early: [Int: Element] = [:]
    var next = 0
    /// How many there will be, once that is known.
    var total: Int?
    var given = 0
    /// Places that were taken and not given back.
    var places = 0
    var failure: (any Error)?
    var isOver = false
    var consumer: UnsafeContinuation<Void, Never>?
    var driver: Task<Void, Never>?

    /// Whether there is something for the consumer to see.
    var isWorthALook: Bool {
      isOver || failure != nil || !ready.isEmpty || given == total
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

  /// Both sides are gone: what was not taken gives its place back, without which
  /// C would keep the gate for those who have permits.
  deinit {
    places.giveBack(state.with { $0.places })
  }

  // MARK: Makers

  /// The task that makes the results, which is cancelled when nobody wants them.
  func begin(_ driver: Task<Void, Never>) {
    let isOver = state.with { state in
      state.driver = driver
      return state.isOver
    }
    if isOver { driver.cancel() }
  }

  /// Waits for the room that one more result needs.
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

  /// There will be so many.
  func end(after total: Int) {
    wake { state in state.total = total }
  }

  /// The first failure is told in the place of the next result.
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

  // MARK: The consumer

  /// Nobody will take anything any more.
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
        places.giveBack(1)
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
        return state.given == state.total ? .end : .nothingYet
      }
      state.given += 1
      state.places -= 1
      return .element(element)
    }
  }

  nonisolated(nonsending) private func untilWoken() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isTooLate = state.with { state in
          if state.isWorthALook || Task.isCancelled { return true }
          state.consumer = continuation
          return false
        }
        if isTooLate { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }
}
