// An object whose events are in the log beside those of Weir's objects.

internal import CWeir

/// A semaphore, a queue, a group or a set of tasks that reports events of its own.
final class TraceSubject: Sendable {
  private let label: String
  private let serial = weir_trace_serial()

  init(label: String) { self.label = label }

  /// Reports an event on the calling thread; `weir_trace_emit` has the meaning of the numbers.
  func report(_ kind: Kind, job: UInt64 = 0, lane: Int = 0, count: Int = 1) {
    label.withCString { label in
      var event = weir_trace_event_t(
        kind: weir_trace_kind_t(kind.rawValue), object: nil, label: label, job: job,
        lane: max(0, lane), count: max(0, count), nanoseconds: 0, serial: serial, caller: nil)
      weir_trace_emit(&event)
    }
  }

  /// The kinds, in the order of `weir_trace_kind_t`.
  enum Kind: UInt32 {
    case submit = 1
    case start, end, wait, acquired, timedOut, signal, wake, cancel, enter, leave
  }
}
