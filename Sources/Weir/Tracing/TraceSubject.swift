// An object of the program's own whose events are recorded with those of Weir.

internal import CWeir

/// An object of the program's own, such as a `DispatchSemaphore`, a queue or a thread pool, whose
/// events appear among those of gates, lanes and groups.
///
///     import Dispatch
///
///     let semaphore = DispatchSemaphore(value: 3)
///     let subject = TraceSubject(label: "downloads")
///     subject.report(.wait)
///     semaphore.wait()
///     subject.report(.acquired)
///     subject.report(.signal)
///     semaphore.signal()
///
/// A recording shows a subject with ``TraceEvent/Kind/submit``, ``TraceEvent/Kind/start`` and
/// ``TraceEvent/Kind/end`` like lanes, one with ``TraceEvent/Kind/enter`` and
/// ``TraceEvent/Kind/leave`` like a group, and any other like a gate.
///
/// There is no corresponding C type: C has the number of `weir_trace_serial`.
public final class TraceSubject: Sendable {
  /// The label of the events.
  public var label: String { name }
  private let name: String
  private let serial = weir_trace_serial()

  /// Creates a subject.
  ///
  /// - Parameter label: The label of its events.
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_serial`.
  public init(label: String) {
    name = label
  }

  /// Reports an event of the subject, on the calling thread.
  ///
  /// - Parameters:
  ///   - kind: The kind of the event.
  ///   - job: The number of the job or of the wait; 0 for a wait that blocks its thread.
  ///   - lane: The index of the lane, for a job. For a wait, 1 if it blocks no thread.
  ///   - count: The number of permits; for a group, the outstanding work after the event.
  /// - Complexity: O(*n*) for the label's length with an observer or a recorder; otherwise O(1).
  ///   Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_emit`.
  public func report(_ kind: TraceEvent.Kind, job: UInt64 = 0, lane: Int = 0, count: Int = 1) {
    name.withCString { label in
      var event = weir_trace_event_t(
        kind: kind.cValue, object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        label: label, job: job, lane: max(0, lane), count: max(0, count), nanoseconds: 0,
        serial: serial, caller: nil)
      weir_trace_emit(&event)
    }
  }
}
