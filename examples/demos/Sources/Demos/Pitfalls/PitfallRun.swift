// A run of a pitfall, seen from its body: the steps, the clock, and the end.

internal import Dispatch
internal import Synchronization
internal import Glibc

/// A run of one version of a pitfall.
///
/// The broken versions deadlock, trap and exhaust the thread pool, so a run needs a process of
/// its own, which some other process watches.
public final class PitfallRun: Sendable {
  private let begin = DispatchTime.now().uptimeNanoseconds
  private let take: @Sendable (PitfallEvent) -> Void
  private let answered = Atomic<Bool>(true)

  /// Creates a run.
  ///
  /// - Parameter take: Called with each event, from any thread; it does not return from the end.
  public init(_ take: @escaping @Sendable (PitfallEvent) -> Void) {
    self.take = take
  }

  /// Starts a version of a pitfall, and runs the main queue forever. Call it on the main thread.
  public func start(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    DispatchQueue.main.async { version.body(of: pitfall)(self) }
    dispatchMain()
  }

  /// Reports a heartbeat of the process, and asks the main queue for one of its own. Some
  /// thread outside of libdispatch calls it at regular times.
  public func beat() {
    emit(.processBeat)
    // A queue that does not answer is asked only once.
    guard answered.exchange(false, ordering: .relaxed) else { return }
    DispatchQueue.main.async {
      self.emit(.mainBeat)
      self.answered.store(true, ordering: .relaxed)
    }
  }

  // MARK: - For the bodies

  /// Reports a step.
  func report(_ text: String) { emit(.step, text) }

  /// Reports the end.
  func end(_ end: PitfallEnd, _ text: String) { emit(.end(end), text) }

  /// The milliseconds since the start.
  var milliseconds: Int { Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000) }

  private func emit(_ kind: PitfallEvent.Kind, _ text: String = "") {
    take(PitfallEvent(milliseconds: milliseconds, kind: kind, text: text))
  }
}

/// Blocks the thread, as a slow call does.
func block(milliseconds: Int) {
  var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
  var left = timespec()
  while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
}

/// A count that threads share.
final class SharedCount: Sendable {
  private let atomic = Atomic<Int>(0)

  var value: Int { atomic.load(ordering: .relaxed) }

  /// Adds a number without interruption, and returns the new count.
  @discardableResult
  func add(_ number: Int = 1) -> Int { atomic.wrappingAdd(number, ordering: .relaxed).newValue }

  /// Adds one as `count += 1` does: a load, and later a store. Both are atomic, which changes
  /// nothing about the lost updates, and gives them a defined meaning.
  func addUnprotected() {
    atomic.store(atomic.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  func reset() { atomic.store(0, ordering: .relaxed) }
}
