internal import CWeir

/// An event of a gate, of lanes or of a group, or a note of the program.
///
///     Trace.setObserver { event in
///       if event.kind == .timedOut {
///         print("\(event.label): the wait timed out")
///       }
///     }
///
/// The corresponding C type is `weir_trace_event_t`.
public struct TraceEvent: Sendable {
  /// The kind of an event.
  ///
  /// The corresponding C type is `weir_trace_kind_t`.
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
    /// ``Trace/note(_:job:value:)`` was called.
    case note
  }

  /// The identity of a gate, lanes or group, to tell objects with the same label apart.
  ///
  /// A later object may have the identity of one that is gone.
  ///
  /// There is no corresponding C type: C reports the address of the object.
  public struct Source: Hashable, Sendable {
    fileprivate let address: UInt
  }

  private let event: Fields

  /// The fields of the C event, which is valid during the call only.
  private struct Fields: Sendable {
    var kind: Kind
    var label: String
    var source: Source?
    var job: UInt64
    var lane: Int
    var count: Int
    var nanoseconds: UInt64
  }

  init?(_ event: UnsafePointer<weir_trace_event_t>) {
    let event = event.pointee
    guard let kind = Kind(event.kind) else { return nil }
    self.event = Fields(
      kind: kind, label: String(cString: event.label),
      source: event.object.map { Source(address: UInt(bitPattern: $0)) }, job: event.job,
      lane: Int(clamping: event.lane), count: Int(clamping: event.count),
      nanoseconds: event.nanoseconds)
  }

  /// The kind of the event.
  public var kind: Kind { event.kind }

  /// The label of the gate, lanes or group; for a note, the label of the note.
  public var label: String { event.label }

  /// The identity of the gate, lanes or group; `nil` for a note.
  public var source: Source? { event.source }

  /// The number of the job, from 1, the same in its ``Kind/submit``, ``Kind/start``,
  /// ``Kind/end`` and ``Kind/cancel``; in the same way the number of a wait; for a note, the
  /// caller's number; 0 otherwise.
  public var job: UInt64 { event.job }

  /// The index of the lane, for ``Kind/start`` and ``Kind/end``.
  public var lane: Int { event.lane }

  /// The number of permits requested, obtained or released; for ``Kind/enter`` and
  /// ``Kind/leave``, the number of units of outstanding work; for a note, the caller's value; 1
  /// for jobs.
  public var count: Int { event.count }

  /// The time, by `CLOCK_MONOTONIC`.
  public var nanoseconds: UInt64 { event.nanoseconds }
}

extension TraceEvent.Kind {
  fileprivate init?(_ kind: weir_trace_kind_t) {
    let number = Int(kind.rawValue)
    guard (1...Self.allCases.count).contains(number) else { return nil }
    self = Self.allCases[number - 1]
  }
}
