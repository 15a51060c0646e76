// From one thread that may block to one task that may not.
//
// AsyncStream has no back-pressure: it drops, or grows. This blocks who sends
// while as much is under way as there may be. It hands over in pieces of many
// elements, and whoever takes, takes all there is: so that waking a task, which
// costs some microseconds, is paid a piece and not an element.

internal import Dispatch

/// Hands pieces from one sender, which blocks, to one receiver, which suspends.
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
    var pieces: [Piece] = []
    var weight = 0
    var end: (any Error)??
    var isClosed = false
    var receiver: CheckedContinuation<Delivery, Never>?
    var isSenderWaiting = false

    /// What there is to receive now, if there is anything.
    mutating func take() -> Delivery? {
      if isClosed { return .closed }
      if !pieces.isEmpty {
        defer {
          pieces = []
          weight = 0
        }
        return .pieces(pieces)
      }
      return end.map { .end($0) }
    }

    /// Whether the sender has to be woken now.
    mutating func freesSender() -> Bool {
      defer { isSenderWaiting = false }
      return isSenderWaiting
    }
  }

  private let state = Locked(State())
  private let room = DispatchSemaphore(value: 0)
  private let capacity: Int

  /// Makes one that holds pieces until they weigh `capacity` together.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Sends a piece, then waits until there is room for the next one. Returns
  /// whether anybody will want it.
  ///
  /// Blocks: while it is full. For one thread at a time.
  func send(_ piece: Piece, weight: Int) -> Bool {
    let (isClosed, receiver, delivery, waits) = state.with {
      state -> (Bool, CheckedContinuation<Delivery, Never>?, Delivery?, Bool) in
      if state.isClosed { return (true, nil, nil, false) }
      state.pieces.append(piece)
      state.weight += weight
      guard let receiver = state.receiver else {
        state.isSenderWaiting = state.weight >= capacity
        return (false, nil, nil, state.isSenderWaiting)
      }
      state.receiver = nil
      return (false, receiver, state.take(), false)
    }
    if let receiver, let delivery { receiver.resume(returning: delivery) }
    if waits {
      room.wait()
      return state.with { !$0.isClosed }
    }
    return !isClosed
  }

  /// Says that nothing more comes, and why.
  func finish(_ error: (any Error)?) {
    let (receiver, delivery) = state.with {
      state -> (CheckedContinuation<Delivery, Never>?, Delivery?) in
      state.end = .some(error)
      guard let receiver = state.receiver else { return (nil, nil) }
      state.receiver = nil
      return (receiver, state.take())
    }
    if let receiver, let delivery { receiver.resume(returning: delivery) }
  }

  /// Says that nothing more is wanted: whoever waits, on either side, goes on.
  func close() {
    let (receiver, wakes, dropped) = state.with {
      state -> (CheckedContinuation<Delivery, Never>?, Bool, [Piece]) in
      let dropped = state.pieces
      state.isClosed = true
      state.pieces = []
      defer { state.receiver = nil }
      return (state.receiver, state.freesSender(), dropped)
    }
    receiver?.resume(returning: .closed)
    if wakes { room.signal() }
    _ = dropped  // freed here, not under the lock
  }

  /// Receives all there is, or suspends until there is something.
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
      guard let delivery = state.take() else {
        state.receiver = receiver
        return (nil, false)
      }
      return (delivery, state.freesSender())
    }
    if wakes { room.signal() }
    return delivery
  }
}
