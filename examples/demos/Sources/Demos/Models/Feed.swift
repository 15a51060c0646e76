// The events of a model, for a program that shows them.

internal import Synchronization

/// Calls every observer with every event, all in the same order. An observer that comes late asks
/// the model for its state.
public final class Feed<Event: Sendable>: Sendable {
  private let observers = Mutex<[@Sendable (Event) -> Void]>([])

  /// Creates a feed that nobody observes yet.
  public init() {}

  /// Calls `observer` with each event from now on, on the thread on which it happens and under a
  /// lock: it should be short, and leave the feed alone.
  public func observe(_ observer: @escaping @Sendable (Event) -> Void) {
    observers.withLock { $0.append(observer) }
  }

  func send(_ event: Event) {
    observers.withLock { $0.forEach { $0(event) } }
  }
}
