// A bounded channel from threads, which may block, to one task, which may not.
//
// DESIGN. AsyncStream has no back-pressure: it drops, or grows. Here a producer waits for room in a
// separate step from sending: a sender may hold resources that the receiver needs to go on. The
// producer limits what it sends between two waits for room. Elements travel in pieces of many, and
// the receiver takes all pieces up to the capacity at once: waking a task costs some microseconds.

internal import Dispatch

/// A channel from a producer that blocks to one receiver that suspends.
final class Handover<Piece: Sendable>: Sendable {
  /// The result of a receive.
  enum Delivery: Sendable {
    /// At least one piece.
    case pieces([Piece])
    /// The end, after which no piece follows, with the error of the producer if any.
    case end((any Error)?)
    /// The channel was closed.
    case closed
  }

  private struct State {
    var pieces: [(piece: Piece, weight: Int)] = []
    var weight = 0
    var end: (any Error)??
    var isClosed = false
    var receiver: CheckedContinuation<Delivery, Never>?
    var isUnbounded = false
    var isProducerWaiting = false

    /// Takes the pieces that can be received now, up to the capacity even if more were sent, so
    /// that the receiver holds no more than that either.
    mutating func take(_ capacity: Int) -> Delivery? {
      if isClosed { return .closed }
      if pieces.isEmpty { return end.map { .end($0) } }
      var count = 0
      var taken = 0
      while count < pieces.count, taken < capacity {
        taken += pieces[count].weight
        count += 1
      }
      defer {
        pieces.removeFirst(count)
        weight -= taken
      }
      return .pieces(pieces[..<count].map(\.piece))
    }

    func hasRoom(_ capacity: Int) -> Bool {
      isClosed || isUnbounded || weight < capacity
    }

    /// Returns true if the producer must be woken now.
    mutating func freesProducer(_ capacity: Int) -> Bool {
      guard isProducerWaiting, hasRoom(capacity) else { return false }
      isProducerWaiting = false
      return true
    }
  }

  private let state = Locked(State())
  private let room = DispatchSemaphore(value: 0)
  private let capacity: Int

  /// Creates a channel that has room until its pieces weigh `capacity` together.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Sends a piece, even without room. Returns false if the channel is closed.
  func send(_ piece: Piece, weight: Int) -> Bool {
    update { state in
      if state.isClosed { return }
      state.pieces.append((piece, weight))
      state.weight += weight
    }
  }

  /// Changes the state, and resumes the receiver if there is something for it. Returns false if the
  /// channel is closed, which has no receiver.
  @discardableResult
  private func update(_ change: (inout State) -> Void) -> Bool {
    let (isClosed, receiver, delivery) = state.with {
      state -> (Bool, CheckedContinuation<Delivery, Never>?, Delivery?) in
      change(&state)
      guard let receiver = state.receiver else { return (state.isClosed, nil, nil) }
      state.receiver = nil
      return (false, receiver, state.take(capacity))
    }
    if let receiver, let delivery { receiver.resume(returning: delivery) }
    return !isClosed
  }

  /// Waits until there is room, for one thread at a time. Returns false if the channel is closed.
  func waitForRoom() -> Bool {
    let (isClosed, waits) = state.with { state in
      state.isProducerWaiting = !state.hasRoom(capacity)
      return (state.isClosed, state.isProducerWaiting)
    }
    if waits {
      room.wait()
      return state.with { !$0.isClosed }
    }
    return !isClosed
  }

  /// Removes the bound: not much more follows, and a waiting producer goes on.
  func makeRoom() {
    let wakes = state.with { state in
      state.isUnbounded = true
      return state.freesProducer(capacity)
    }
    if wakes { room.signal() }
  }

  /// Ends the channel, with an error if any.
  func finish(_ error: (any Error)?) {
    update { $0.end = .some(error) }
  }

  /// Closes the channel: waiters on both sides go on.
  func close() {
    let (receiver, wakes, dropped) = state.with {
      state -> (CheckedContinuation<Delivery, Never>?, Bool, [(piece: Piece, weight: Int)]) in
      let dropped = state.pieces
      state.isClosed = true
      state.pieces = []
      defer { state.receiver = nil }
      return (state.receiver, state.freesProducer(capacity), dropped)
    }
    receiver?.resume(returning: .closed)
    if wakes { room.signal() }
    _ = dropped  // freed here, outside the lock
  }

  /// Receives pieces, and suspends until there are some; `.closed` if the task is cancelled.
  func receive(isolation: isolated (any Actor)? = #isolation) async -> Delivery {
    if let delivery = takeReady() { return delivery }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A piece may have been sent since the first attempt.
        if let delivery = takeReady(orLeave: continuation) {
          continuation.resume(returning: delivery)
        }
      }
    } onCancel: {
      close()
    }
  }

  /// Takes the pieces that are ready, or stores a receiver to be resumed.
  private func takeReady(
    orLeave receiver: CheckedContinuation<Delivery, Never>? = nil
  ) -> Delivery? {
    let (delivery, wakes) = state.with { state -> (Delivery?, Bool) in
      guard let delivery = state.take(capacity) else {
        state.receiver = receiver
        return (nil, false)
      }
      return (delivery, state.freesProducer(capacity))
    }
    if wakes { room.signal() }
    return delivery
  }
}
