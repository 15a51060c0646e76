// From threads that may block to one task that may not.
//
// AsyncStream has no back-pressure: it drops, or grows. Here a producer waits for
// room, apart from the sending: who sends may hold what the receiver needs to go
// on, and so must not wait for him. What is sent between one wait for room and the
// next is for the producer to bound. It hands over in pieces of many elements, and
// whoever takes, takes all that there would have been room for: so that waking a
// task, which costs some microseconds, is paid a piece and not an element.

internal import Dispatch

/// Hands pieces from a producer, which blocks, to one receiver, which suspends.
final class Handover<Piece: Sendable>: Sendable {
  /// What a receiver gets.
  enum Delivery: Sendable {
    /// At least one piece.
    case pieces([Piece])
    /// Nothing more comes; or why.
    case end((any Error)?)
    /// It was closed.
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

    /// What there is to receive now, if there is anything: no more than there is
    /// room for, however much was sent, so that the receiver holds no more either.
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

    /// Whether the producer has to be woken now.
    mutating func freesProducer(_ capacity: Int) -> Bool {
      guard isProducerWaiting, hasRoom(capacity) else { return false }
      isProducerWaiting = false
      return true
    }
  }

  private let state = Locked(State())
  private let room = DispatchSemaphore(value: 0)
  private let capacity: Int

  /// Makes one that has room until its pieces weigh `capacity` together.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Sends a piece, also where there is no room. Returns whether anybody will want
  /// it.
  ///
  /// Blocks: no.
  func send(_ piece: Piece, weight: Int) -> Bool {
    let (isClosed, receiver, delivery) = state.with {
      state -> (Bool, CheckedContinuation<Delivery, Never>?, Delivery?) in
      if state.isClosed { return (true, nil, nil) }
      state.pieces.append((piece, weight))
      state.weight += weight
      guard let receiver = state.receiver else { return (false, nil, nil) }
      state.receiver = nil
      return (false, receiver, state.take(capacity))
    }
    if let receiver, let delivery { receiver.resume(returning: delivery) }
    return !isClosed
  }

  /// Waits until there is room. Returns whether anybody will want more.
  ///
  /// Blocks: while it is full. For one thread at a time.
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

  /// Says that there is room for all that is to come, which is not much: a
  /// producer that waits goes on.
  func makeRoom() {
    let wakes = state.with { state in
      state.isUnbounded = true
      return state.freesProducer(capacity)
    }
    if wakes { room.signal() }
  }

  /// Says that nothing more comes, and why.
  func finish(_ error: (any Error)?) {
    let (receiver, delivery) = state.with {
      state -> (CheckedContinuation<Delivery, Never>?, Delivery?) in
      state.end = .some(error)
      guard let receiver = state.receiver else { return (nil, nil) }
      state.receiver = nil
      return (receiver, state.take(capacity))
    }
    if let receiver, let delivery { receiver.resume(returning: delivery) }
  }

  /// Says that nothing more is wanted: whoever waits, on either side, goes on.
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
    _ = dropped  // freed here, not under the lock
  }

  /// Receives what there is, or suspends until there is something.
  ///
  /// When the task is cancelled, it is `.closed`.
  func receive(isolation: isolated (any Actor)? = #isolation) async -> Delivery {
    if let delivery = look() { return delivery }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // What came between the two looks is taken now.
        if let delivery = look(orLeave: continuation) {
          continuation.resume(returning: delivery)
        }
      }
    } onCancel: {
      close()
    }
  }

  /// Takes what there is, or leaves a receiver behind to be told.
  private func look(orLeave receiver: CheckedContinuation<Delivery, Never>? = nil) -> Delivery? {
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
