/// Results on their way to a consumer, up to a limit. A transform takes a place before it begins,
/// and the consumer releases it when it takes the result.
///
/// DESIGN. The channel throws `CancellationError` in a cancelled task if `Failure` includes that
/// error. Otherwise an early end would look complete: the consumer still gets every result, and
/// only the transforms are cancelled. For the same reason the wait for a place does not end by
/// cancellation.
final class ResultChannel<Element: Sendable, Failure: Error>: Sendable {
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
    /// The producer, which waits for a place.
    var producer: UnsafeContinuation<Bool, Never>?
    var failure: Failure?
    var isOver = false
    var consumer: UnsafeContinuation<Void, Never>?
    var driver: Task<Void, Never>?

    /// True if the consumer has something to receive.
    var hasNews: Bool {
      isOver || failure != nil || !ready.isEmpty || taken == total
    }

    /// True if no more results are wanted.
    var isEnded: Bool { isOver || failure != nil }

    mutating func takeProducer() -> UnsafeContinuation<Bool, Never>? {
      defer { producer = nil }
      return producer
    }
  }

  private let order: ResultOrder
  private let limit: Int
  private let state = Locked(State())

  init(_ order: ResultOrder, limit: Int) {
    self.order = order
    self.limit = limit
  }

  // MARK: Producer

  /// Starts the task that produces the results, at the first call. It is cancelled when no more are
  /// wanted.
  func begin(_ start: () -> Task<Void, Never>) {
    let driver = state.with { state -> Task<Void, Never>? in
      if state.driver != nil { return nil }
      state.driver = start()
      return state.isOver ? state.driver : nil
    }
    driver?.cancel()
  }

  /// Waits for a place for one more result. Returns false if no more are wanted.
  func hasRoom() async -> Bool {
    await withUnsafeContinuation { producer in
      let answer = state.with { state -> Bool? in
        if state.isEnded { return false }
        if state.places == limit {
          state.producer = producer
          return nil
        }
        state.places += 1
        return true
      }
      if let answer { producer.resume(returning: answer) }
    }
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

  /// Records the first failure, which is thrown in place of the next result. An error that is
  /// no `Failure` comes from a producer that is no longer wanted.
  func fail(_ error: any Error) {
    wake { state in
      if state.failure == nil { state.failure = error as? Failure }
    }
    cancelProducer()
  }

  private func cancelProducer() {
    state.with { $0.driver }?.cancel()
  }

  private func wake(_ change: (inout State) -> Void) {
    let (consumer, producer) = state.with { state in
      change(&state)
      defer { state.consumer = nil }
      return (state.consumer, state.isEnded ? state.takeProducer() : nil)
    }
    consumer?.resume()
    producer?.resume(returning: false)
  }

  // MARK: Consumer

  /// Ends the channel: no more results are wanted.
  func abandon() {
    wake { state in state.isOver = true }
    cancelProducer()
  }

  nonisolated(nonsending) func next() async throws(Failure) -> Element? {
    while true {
      if Task.isCancelled { try cancel() }
      switch take() {
      case .element(let element, let producer):
        producer?.resume(returning: true)
        return element
      case .end: return nil
      case .failure(let error):
        abandon()
        throw error
      case .nothingYet: await untilWoken()
      }
    }
  }

  /// Ends the channel with an error if it can throw, and otherwise cancels the transforms.
  private func cancel() throws(Failure) {
    if let error = Self.cancellation {
      abandon()
      throw error
    }
    cancelProducer()
  }

  /// The error of a cancelled consumer; `nil` if it goes on.
  private static var cancellation: Failure? { CancellationError() as? Failure }

  private enum Taken {
    /// A result, and the producer, which gets its place.
    case element(Element, UnsafeContinuation<Bool, Never>?)
    case end
    case failure(Failure)
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
      let producer = state.takeProducer()
      if producer == nil { state.places -= 1 }
      return .element(element, producer)
    }
  }

  nonisolated(nonsending) private func untilWoken() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isReady = state.with { state in
          if state.hasNews || (Task.isCancelled && Self.cancellation != nil) { return true }
          state.consumer = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      if Self.cancellation == nil { cancelProducer() } else { wake { _ in } }
    }
  }
}
