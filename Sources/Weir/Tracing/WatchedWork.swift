// Maps, windows and owned queues in traces and snapshots.
//
// DESIGN. The counts are always kept, since a program is asked for them the first time when it
// hangs. Times and events are for a program that is inspected or traced.

internal import CWeir
internal import Dispatch
internal import Synchronization

/// The jobs of one map, window or owned queue. They have numbers from 1.
final class WatchedWork: Sendable {
  enum Label {
    case name(String)
    case place(StaticString, UInt)
  }

  private let kind: String
  private let label: Label
  private let limit: Int
  private let serial = weir_trace_serial()
  private let since = DispatchTime.now().uptimeNanoseconds
  private let added = Atomic<UInt64>(0)
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)
  /// The begins of the jobs that began while the program was inspected or traced.
  private let timed = Atomic(0)
  private let begins = Locked<[UInt64: UInt64]>([:])

  /// - Parameter limit: The maximum number of running jobs; 1 if each ends before the next begins.
  init(_ kind: String, _ label: Label, limit: Int = 1) {
    self.kind = kind
    self.label = label
    self.limit = limit
  }

  /// Shows the jobs in snapshots until its end. The watch reports jobs that wait in a queue; the
  /// elements of a map wait at gates.
  var shown: Shown {
    switch label {
    case .name: Shown({ self.lines }, progress: { self.progress })
    case .place: Shown({ self.lines }, progress: { 0 })
    }
  }

  /// A number that grows with each begin and end of a job; 0 if none waits.
  private var progress: UInt64 {
    let (begun, ended) = (begun.load(ordering: .relaxed), ended.load(ordering: .relaxed))
    return added.load(ordering: .relaxed) > begun ? 1 + begun + ended : 0
  }

  /// Adds 1 to a count of begins or ends: by a store where one job at a time does, which is cheaper.
  private func increment(_ count: borrowing Atomic<UInt64>) {
    if limit > 1 {
      count.add(1, ordering: .relaxed)
    } else {
      count.store(count.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }
  }

  /// Returns the number of a new job, which waits until it begins or is dropped.
  func add() -> UInt64 {
    let job = added.add(1, ordering: .relaxed).newValue
    if weir_is_seen() { report(WEIR_TRACE_SUBMIT, job) }
    return job
  }

  func begin(_ job: UInt64) {
    increment(begun)
    guard weir_is_seen() else { return }
    timed.add(1, ordering: .relaxed)
    begins.with { $0[job] = DispatchTime.now().uptimeNanoseconds }
    report(WEIR_TRACE_START, job)
  }

  func end(_ job: UInt64) {
    if timed.load(ordering: .relaxed) > 0, begins.with({ $0.removeValue(forKey: job) }) != nil {
      timed.subtract(1, ordering: .relaxed)
    }
    if weir_is_seen() { report(WEIR_TRACE_END, job) }
    increment(ended)
  }

  /// Ends a job that has not begun.
  func drop(_ job: UInt64) {
    increment(begun)
    if weir_is_seen() { report(WEIR_TRACE_CANCEL, job) }
    increment(ended)
  }

  private var text: String {
    switch label {
    case .name(let name): name
    case .place(let fileID, let line): "\(fileID):\(line)"
    }
  }

  private func report(_ kind: weir_trace_kind_t, _ job: UInt64) {
    text.withCString { label in
      var event = weir_trace_event_t(
        kind: kind, object: nil, label: label, job: job, lane: 0, count: 1, nanoseconds: 0,
        serial: serial, caller: nil)
      weir_trace_emit(&event)
    }
  }

  private var lines: [String] {
    let (ended, begun, added) = (
      ended.load(ordering: .relaxed), begun.load(ordering: .relaxed),
      added.load(ordering: .relaxed)
    )
    let running = begun - min(ended, begun)
    let waiting = added - min(begun, added)
    let first =
      switch label {
      case .name: "\(running) running, \(waiting) waiting"
      case .place:
        "\(running) of \(limit) running, \(waiting) waiting, \(ended) done, alive for \(age(since))"
      }
    let jobs = begins.with { $0 }.sorted { $0.key < $1.key }
    return ["\(kind) \"\(text)\": \(first)"]
      + jobs.map { "  job \($0.key), running for \(age($0.value))" }
  }

  private func age(_ since: UInt64) -> String {
    let now = DispatchTime.now().uptimeNanoseconds
    return Duration.nanoseconds(now > since ? now - since : 0).short
  }
}

/// The lines of an object in snapshots (`WeirTrace.writeSnapshot`), from the creation of this value to
/// its end. A line has no newline; those below the first one begin with two spaces.
final class Shown: Sendable {
  private struct Description {
    let lines: @Sendable () -> [String]
    let progress: @Sendable () -> UInt64
  }

  // An object that C describes is not released meanwhile: its end would wait for the description.
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let description: UnsafeMutableRawPointer
  private nonisolated(unsafe) let shown: OpaquePointer?

  /// The closures are called under the lock of all objects: they must create, end and wait for
  /// nothing of Weir.
  ///
  /// - Parameter progress: Returns a number that grows when a wait ends; 0 if nothing waits.
  init(
    _ lines: @escaping @Sendable () -> [String], progress: @escaping @Sendable () -> UInt64
  ) {
    description = Box.retain(Description(lines: lines, progress: progress))
    shown = weir_show(
      description,
      { context, text in
        for line in Shown.description(context).lines() { weir_show_line(text, line) }
      }, { Shown.description($0).progress() })
  }

  private static func description(_ context: UnsafeMutableRawPointer?) -> Description {
    guard let context else { fatalError("the C library returned no context") }
    return Unmanaged<Box<Description>>.fromOpaque(context).takeUnretainedValue().value
  }

  deinit {
    weir_show_end(shown)
    _ = Box<Description>.take(description)
  }
}
