// How a model tells what happens to it, to as many as want to know.

internal import Synchronization

/// Tells every observer of every event, all in the same order.
///
/// A program prints what it observes; a web page would send it on. Nothing is
/// kept: whoever comes late asks the model for its state.
public final class Feed<Event: Sendable>: Sendable {
  private struct State {
    var observers: [@Sendable (Event) -> Void] = []
    var streams: [Int: AsyncStream<Event>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// A feed that nobody observes yet.
  public init() {}

  /// Calls `observer` with each event from now on, on the thread on which it
  /// happens and under a lock: it should be short, and leave the feed alone.
  public func observe(_ observer: @escaping @Sendable (Event) -> Void) {
    state.withLock { $0.observers.append(observer) }
  }

  /// The events from now on. The stream ends when the model goes.
  public func events() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let number = state.withLock { state in
      state.next += 1
      state.streams[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
    }
    return stream
  }

  func send(_ event: Event) {
    state.withLock { state in
      state.observers.forEach { $0(event) }
      state.streams.values.forEach { $0.yield(event) }
    }
  }

  deinit {
    state.withLock { $0.streams.values }.forEach { $0.finish() }
  }
}
