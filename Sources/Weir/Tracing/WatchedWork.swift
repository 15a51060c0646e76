// Maps, windows and owned queues in traces and snapshots.
//
// DESIGN. The counts are always kept, since a program that hangs is asked for them the first time
// when it hangs. Times and events need a clock or a label, so only a program that is inspected or
// traced pays for them.

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
  /// The begins of jobs, if the program is inspected.
  private let begins = Locked<[UInt64: UInt64]>([:])
  // nonisolated(unsafe): set once, in the initializer.
  private nonisolated(unsafe) var listed: OpaquePointer?

  /// - Parameter limit: The maximum number of running jobs, for a map or a window.
  init(_ kind: String, _ label: Label, limit: Int = 1) {
    self.kind = kind
    self.label = label
    self.limit = limit
    listed = weir_listed_create(Unmanaged.passUnretained(self).toOpaque()) { context, inspection in
      guard let context else { return }
      Unmanaged<WatchedWork>.fromOpaque(context).takeUnretainedValue().describe(inspection)
    }
  }

  deinit {
    weir_listed_release(listed)
  }

  /// Returns the number of a new job, which waits until it begins or is dropped.
  func add() -> UInt64 {
    let job = added.add(1, ordering: .relaxed).newValue
    if weir_trace_is_on() { report(WEIR_TRACE_SUBMIT, job) }
    return job
  }

  func begin(_ job: UInt64) {
    begun.add(1, ordering: .relaxed)
    if weir_trace_is_on() { report(WEIR_TRACE_START, job) }
    if weir_is_seen() { begins.with { $0[job] = DispatchTime.now().uptimeNanoseconds } }
  }

  func end(_ job: UInt64) {
    if weir_is_seen() { begins.with { $0[job] = nil } }
    if weir_trace_is_on() { report(WEIR_TRACE_END, job) }
    ended.add(1, ordering: .relaxed)
  }

  /// Ends a job that has not begun.
  func drop(_ job: UInt64) {
    begun.add(1, ordering: .relaxed)
    if weir_trace_is_on() { report(WEIR_TRACE_CANCEL, job) }
    ended.add(1, ordering: .relaxed)
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

  private func describe(_ inspection: OpaquePointer) {
    let (ended, begun, added) = (
      ended.load(ordering: .relaxed), begun.load(ordering: .relaxed),
      added.load(ordering: .relaxed)
    )
    let running = begun - min(ended, begun)
    let waiting = added - min(begun, added)
    switch label {
    case .name:
      weir_inspection_line(
        inspection, kind, text, ": \(running) running, \(waiting) waiting", 0)
    case .place:
      weir_inspection_line(
        inspection, kind, text,
        ": \(running) of \(limit) running, \(waiting) waiting, \(ended) done, alive", since)
    }
    for (job, begin) in begins.with({ $0 }).sorted(by: { $0.key < $1.key }) {
      weir_inspection_line(inspection, "  job \(job)", nil, ", running", begin)
    }
  }
}
