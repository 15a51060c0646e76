// The recording of a run: its events as they happen, and its log.
//
// DESIGN. Weir's observer gives the events; a thread of the run only keeps them, unless they are
// followed. Weir's recorder was used before: its file had to be written and read, and it told nothing
// of a run that goes on. A thread is known by a value of its own, as for the recorder: the next
// thread may have the pthread_t of one that ended. An event has its time before it comes to the lock,
// so while a run goes on, times may step back a little.

internal import Synchronization
internal import Weir
internal import Glibc

/// Records the events of this process, in place of any other observer.
final class RunRecording: Sendable {
  private struct State {
    var events: [(event: TraceEvent, thread: Int)] = []
    var isOver = false
    var reader: EventReader
    var completion = EventCompletion()
  }

  private let state: Mutex<State>
  private let speed: Double
  private let handler: (@Sendable (TraceLog.Event) -> Void)?

  /// - Parameters:
  ///   - speed: The number of seconds of the demo in a second.
  ///   - handler: Receives each event on the thread of the event, one at a time under a lock. It
  ///     should be quick, and must not use Weir. `woken`, which only a whole log tells, is `nil`.
  init(speed: Double, _ handler: (@Sendable (TraceLog.Event) -> Void)?) {
    state = Mutex(State(reader: EventReader(speed: speed)))
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
    let events = state.withLock { state in
      state.isOver = true
      return state.events
    }
    var reader = EventReader(speed: speed)
    var known = events.map { reader.read($0.event, thread: $0.thread) }
    // The wake of a signal follows it at once on its thread, in lane 1.
    var next: [Int: Int] = [:]
    for index in known.indices.reversed() {
      let (event, wake) = (known[index], next[known[index].thread])
      if event.kind == .signal {
        known[index].woken =
          wake.map {
            known[$0].kind == .wake && events[$0].event.lane == 1
              && known[$0].object == event.object
          } ?? false
      }
      next[event.thread] = index
    }
    return TraceLog(events: known)
  }

  private func receive(_ event: TraceEvent) {
    let thread = ThreadIdentity.current
    state.withLock { state in
      if state.isOver { return }
      state.events.append((event, thread))
      guard let handler else { return }
      var known = state.reader.read(event, thread: thread)
      state.completion.complete(&known)
      handler(known)
    }
  }
}

/// Reads events in the order of their arrival, in the form of a log: threads and objects have
/// numbers from 1, in the order of their first events, and the times are those of the demo, from the
/// first event on.
private struct EventReader {
  private struct Object: Hashable {
    let source: UInt64
    let label: String
  }

  private let speed: Double
  private var first: Duration?
  private var threads: [Int: Int] = [:]
  private var objects: [Object: Int] = [:]

  init(speed: Double) { self.speed = speed }

  mutating func read(_ event: TraceEvent, thread: Int) -> TraceLog.Event {
    let begin = first ?? event.time
    first = begin
    let time = Double(nanoseconds(event.time - begin)) * speed
    return TraceLog.Event(
      event, time: UInt64(time), thread: threads.number(of: thread),
      object: event.source.map { objects.number(of: Object(source: $0, label: event.label)) })
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
