// The events of a run while it goes on, in the form of its log.
//
// DESIGN. The recorder's log is complete only after the run: it computes from all events which
// signals woke a thread, so the events here do not have it. A thread is
// known by a value of its own, as for the recorder: the next thread may have the pthread_t of one
// that ended. An event has its time before it comes to the lock, so times may step back a little.

internal import Synchronization
internal import Weir
internal import Glibc

/// The events of this process as they happen, for a view of a run that goes on.
///
/// ```swift
/// let events = LiveEvents(speed: machine.speed) { event in print(event.kind, event.label) }
/// events.start()
/// // The run.
/// events.finish()
/// ```
///
/// Threads and objects have numbers from 1, in the order of their first events. The times are those
/// of the demo, from the first event on, and in the order of arrival they may step back a little.
/// `woken`, which only a whole log tells, is `nil`.
public final class LiveEvents: Sendable {
  private struct Object: Hashable {
    let source: UInt64
    let label: String
  }

  private struct State {
    var handler: (@Sendable (TraceLog.Event) -> Void)?
    var first: Duration?
    var threads: [Int: Int] = [:]
    var objects: [Object: Int] = [:]
    var completion = EventCompletion()
  }

  private let state: Mutex<State>
  private let speed: Double

  /// Creates an observer that does not observe yet.
  ///
  /// - Parameters:
  ///   - speed: The number of seconds of the demo in a second.
  ///   - handler: Receives each event on the thread of the event, one at a time under a lock. It
  ///     should be quick, and must neither use Weir nor call ``finish()``.
  public init(speed: Double, _ handler: @escaping @Sendable (TraceLog.Event) -> Void) {
    self.speed = speed
    state = Mutex(State(handler: handler))
  }

  /// Begins to observe, in place of any other observer of the process. Call it once.
  public func start() {
    WeirTrace.setObserver { self.receive($0) }
  }

  /// Stops observing. The handler is not called after this, and is released.
  ///
  /// Blocks: while the handler runs.
  public func finish() {
    WeirTrace.setObserver(nil)
    state.withLock { $0 = State() }
  }

  private func receive(_ event: TraceEvent) {
    let thread = ThreadIdentity.current
    state.withLock { state in
      guard let handler = state.handler else { return }
      let first = state.first ?? event.time
      state.first = first
      var known = TraceLog.Event(
        event, time: nanoseconds(event.time - first),
        thread: state.threads.number(of: thread),
        object: event.source.map {
          state.objects.number(of: Object(source: $0, label: event.label))
        })
      known.scale(by: speed)
      state.completion.complete(&known)
      handler(known)
    }
  }
}

private func nanoseconds(_ time: Duration) -> UInt64 {
  let (seconds, attoseconds) = max(time, .zero).components
  return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
}

/// The identities of the process's threads: 1 for the first that asks, then 2, and so on.
private enum ThreadIdentity {
  private static let last = Mutex(0)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "no key for the numbers of threads")
    return key
  }()

  /// The identity of the calling thread.
  static var current: Int {
    if let known = pthread_getspecific(key) { return Int(bitPattern: known) }
    let made = last.withLock { last in
      last += 1
      return last
    }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: made))
    return made
  }
}

extension Dictionary where Value == Int {
  /// Returns the number of a key: that of its first use, from 1.
  fileprivate mutating func number(of key: Key) -> Int {
    if let number = self[key] { return number }
    self[key] = count + 1
    return count
  }
}

extension TraceLog.Event {
  /// Creates the event that the recorder would write, without the counts.
  fileprivate init(_ event: TraceEvent, time: UInt64, thread: Int, object: Int?) {
    let kind = TraceLog.Kind(event.kind)
    let isJob = kind == .start || kind == .end
    // The reader of a log has the same limit.
    let most = 1 << 40
    self.init(
      time: time, kind: kind, thread: thread, label: event.label, object: object,
      task: event.job == 0 ? nil : Int(min(event.job, UInt64(most))),
      lane: isJob || (kind == .wait && event.lane == 1) ? event.lane : nil,
      value: min(event.count, most))
  }
}

extension TraceLog.Kind {
  fileprivate init(_ kind: TraceEvent.Kind) {
    switch kind {
    case .submit: self = .submit
    case .start: self = .start
    case .end: self = .end
    case .wait: self = .wait
    case .acquired: self = .acquired
    case .timedOut: self = .timeout
    case .signal: self = .signal
    case .wake: self = .wake
    case .cancel: self = .cancel
    case .enter: self = .enter
    case .leave: self = .leave
    case .note: self = .note
    }
  }
}
