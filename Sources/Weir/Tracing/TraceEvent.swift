// What an observer is told.

internal import CWeir

/// Something that happened to a gate, lanes or a group, or that the program noted.
///
///     Trace.setObserver { event in
///       if event.kind == .timedOut {
///         print("\(event.label): nobody came in time")
///       }
///     }
///
/// The corresponding C type is `weir_trace_event_t`.
public struct TraceEvent: Sendable {
  /// What happened.
  ///
  /// The corresponding C type is `weir_trace_kind_t`.
  public enum Kind: Sendable, CaseIterable {
    /// A job was put into the queue of its lanes.
    case submit
    /// A job begins on a lane.
    case start
    /// A job has ended.
    case end
    /// Somebody begins to wait for permits or for a place in the backlog.
    case wait
    /// Permits, or the place, were obtained.
    case acquired
    /// A wait ended without permits.
    case timedOut
    /// Permits were given back.
    case signal
    /// Somebody who waits was let through; on the thread that did so, after its
    /// ``signal``.
    case wake
    /// A wait ended because the gate was closed or resized or the request
    /// cancelled; a job was dropped; a group was cancelled.
    case cancel
    /// A group has one thing more outstanding.
    case enter
    /// A group has one thing less outstanding.
    case leave
    /// ``Trace/note(_:job:value:)`` was called.
    case note
  }

  /// What tells gates, lanes and groups apart that have one label.
  ///
  /// It may be that of an earlier object, once that is gone.
  ///
  /// There is no corresponding C type: C tells the object's address.
  public struct Source: Hashable, Sendable {
    fileprivate let address: UInt
  }

  private let event: Fields

  /// What of the C event outlives the call.
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

  /// What happened.
  public var kind: Kind { event.kind }

  /// The label of the gate, lanes or group it happened to; of a note, the note's.
  public var label: String { event.label }

  /// The gate, lanes or group it happened to, for telling apart; `nil` for a note.
  public var source: Source? { event.source }

  /// The job's number, the same for its ``Kind/submit``, ``Kind/start``,
  /// ``Kind/end`` or ``Kind/cancel``, from 1 on; a wait's in the same way; of a
  /// note, the caller's; 0 otherwise.
  public var job: UInt64 { event.job }

  /// The number of the lane, from 0, for ``Kind/start`` and ``Kind/end``.
  public var lane: Int { event.lane }

  /// Permits asked for, obtained or given back; how many things are outstanding
  /// after ``Kind/enter`` and ``Kind/leave``; of a note, the caller's value; 1 for
  /// jobs.
  public var count: Int { event.count }

  /// When, by `CLOCK_MONOTONIC`.
  public var nanoseconds: UInt64 { event.nanoseconds }
}

extension TraceEvent.Kind {
  fileprivate init?(_ kind: weir_trace_kind_t) {
    let number = Int(kind.rawValue)
    guard (1...Self.allCases.count).contains(number) else { return nil }
    self = Self.allCases[number - 1]
  }
}
