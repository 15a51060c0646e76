// The recording of a run: its events as they happen, and its log.
//
// DESIGN. Weir's observer gives the events. The elements of a map of Weir's are left out: what runs in
// them has names of its own. A thread is known by a value of its own, as for Weir's recorder: the next
// thread may have the pthread_t of one that ended. An event has its time before it comes to the lock,
// so while a run goes on, times may step back a little.

internal import Glibc
internal import Synchronization
internal import Weir

/// Records the events of this process, in place of any other observer. The threads and objects of the
/// log have numbers from 1, in the order of their first events, and the times are those of the demo,
/// from the first event on.
final class RunRecording: Sendable {
  fileprivate struct Object: Hashable {
    let source: UInt64
    let label: String
  }

  fileprivate struct State {
    var events: [TraceLog.Event] = []
    var isOver = false
    var completion = EventCompletion()
    var first: Duration?
    var threads: [Int: Int] = [:]
    var objects: [Object: Int] = [:]
    /// The place of the last event of each thread.
    var last: [Int: Int] = [:]
  }

  private let state = Mutex(State())
  private let speed: Double
  private let handler: (@Sendable (TraceLog.Event) -> Void)?

  /// - Parameters:
  ///   - speed: The number of seconds of the demo in a second.
  ///   - handler: Receives each event on the thread of the event, one at a time under a lock. It
  ///     should be quick, and must not use Weir. What a signal woke, it does not learn.
  init(speed: Double, _ handler: (@Sendable (TraceLog.Event) -> Void)?) {
    (self.speed, self.handler) = (speed, handler)
  }

  /// Begins to record. Call it once.
  func start() {
    WeirTrace.setObserver { self.receive($0) }
  }

  /// Ends the recording. The handler is not called after this.
  ///
  /// Blocks: while the handler runs.
  func finish() -> TraceLog {
    WeirTrace.setObserver(nil)
    return TraceLog(
      events: state.withLock { state in
        state.isOver = true
        return state.events
      })
  }

  private func receive(_ event: TraceEvent) {
    if event.label.contains(".swift:") { return }
    let thread = ThreadIdentity.current
    state.withLock { state in
      if state.isOver { return }
      var known = state.read(event, thread: thread, speed: speed)
      // The wake of a signal follows it at once on its thread, in lane 1.
      if known.kind == .wake, event.lane == 1, let place = state.last[known.thread],
        state.events[place].kind == .signal, state.events[place].object == known.object
      {
        state.events[place].woken = true
      }
      state.last[known.thread] = state.events.count
      state.events.append(known)
      guard let handler else { return }
      state.completion.complete(&known)
      handler(known)
    }
  }
}

extension RunRecording.State {
  /// Returns an event in the form of the log, without what other events tell.
  fileprivate mutating func read(
    _ event: TraceEvent, thread: Int, speed: Double
  ) -> TraceLog.Event {
    first = first ?? event.time
    let (seconds, rest) = max(.zero, event.time - (first ?? .zero)).components
    // The names of the kinds are the same, but for one.
    let kind = TraceLog.Kind(rawValue: "\(event.kind)") ?? .timeout
    let isJob = kind == .start || kind == .end
    // A number such as SIZE_MAX becomes this one, so that sums fit.
    let most = 1 << 40
    return TraceLog.Event(
      time: UInt64(Double(seconds * 1_000_000_000 + rest / 1_000_000_000) * speed), kind: kind,
      thread: threads.number(of: thread), label: event.label,
      object: event.source.map {
        objects.number(of: RunRecording.Object(source: $0, label: event.label))
      },
      task: event.job == 0 ? nil : Int(min(event.job, UInt64(most))),
      lane: isJob || (kind == .wait && event.lane == 1) ? event.lane : nil,
      value: min(event.count, most), woken: kind == .signal ? false : nil)
  }
}

/// The identities of the process's threads: 1 for the first that asks, then 2, and so on.
private enum ThreadIdentity {
  private static let last = Mutex(0)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "no key for the numbers of threads")
    return key
  }()

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
