// The events that an observer receives.

internal import CWeir

/// An event of a gate, of lanes, of a group, of an owned queue or of a map, or a note of the
/// program. The corresponding C type is `weir_trace_event_t`.
public struct TraceEvent: Sendable {
  /// The kind of an event. The corresponding C type is `weir_trace_kind_t`.
  public enum Kind: Sendable, CaseIterable {
    /// A job was put into the queue of its lanes.
    case submit
    /// A job begins on a lane.
    case start
    /// A job has ended.
    case end
    /// A wait for permits, or for a place in the backlog, begins.
    case wait
    /// Permits, or a place, were obtained.
    case acquired
    /// A wait ended without permits.
    case timedOut
    /// Permits were released.
    case signal
    /// A waiter was let through, reported on the releasing thread after its ``signal``.
    case wake
    /// A wait ended because the gate was closed or resized, or the request cancelled; or a job was
    /// dropped; or a group was cancelled.
    case cancel
    /// One more unit of work is outstanding in a group.
    case enter
    /// One unit of work fewer is outstanding in a group.
    case leave
    /// ``WeirTrace/note(_:job:value:)`` was called.
    case note
  }

  /// The kind of the event.
  public let kind: Kind

  /// The label of the gate, lanes, group or queue; `FILE:LINE` of the call for a map or a window;
  /// for a note, the label of the note.
  public let label: String

  /// The number of the object, which no other object of the process has; `nil` for a note.
  public let source: UInt64?

  /// The number of the job, from 1, the same in all its events; in the same way the number of a
  /// wait; for a note, the caller's number; 0 otherwise.
  public let job: UInt64

  /// The index of the lane, for ``Kind/start`` and ``Kind/end``.
  public let lane: Int

  /// The number of permits requested, obtained or released; for ``Kind/enter`` and
  /// ``Kind/leave``, the number of units of outstanding work; for a note, the caller's value; 1
  /// for jobs.
  public let count: Int

  /// The time since the boot of the system, by `CLOCK_MONOTONIC`.
  public let time: Duration

  /// Copies the C event, which is valid during the call only.
  init?(_ event: UnsafePointer<weir_trace_event_t>) {
    let event = event.pointee
    // The cases are in the order of the constants, which begin with 1.
    let number = Int(event.kind.rawValue)
    guard (1...Kind.allCases.count).contains(number) else { return nil }
    kind = Kind.allCases[number - 1]
    label = String(cString: event.label)
    source = event.serial == 0 ? nil : event.serial
    job = event.job
    lane = Int(clamping: event.lane)
    count = Int(clamping: event.count)
    time = .nanoseconds(Int64(clamping: event.nanoseconds))
  }
}
