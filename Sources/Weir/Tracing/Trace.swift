// The trace hook: one closure receives the events of the whole process.
//
// DESIGN. C does not copy an observer and does not wait for threads that execute it. So every
// observer that was ever set is kept; there are few.

internal import CWeir

/// The events of gates, lanes and groups, for metrics and logs.
///
///     Trace.setObserver { event in
///       print("\(event.label): \(event.kind)")
///     }
///     Trace.note("ready")
///     Trace.setObserver(nil)
///
/// Without an observer, a trace point costs one load and one branch. There is one observer, and
/// there can also be a ``TraceRecorder``.
///
/// There is no corresponding C type.
public enum Trace {
  /// Sets or removes the closure that receives every event of the process.
  ///
  ///     Trace.setObserver { event in
  ///       if event.kind == .wait {
  ///         print("a wait for \(event.label) begins")
  ///       }
  ///     }
  ///
  /// - Parameter observer: Called for each event, on the thread of the event, often by several
  ///   threads at once; `nil` for none. It should be quick, and must not use Weir. It is kept
  ///   until the process ends, and threads that execute it when it is replaced finish. It
  ///   replaces an earlier observer, but not a ``TraceRecorder``, which also receives the events.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_set_observer`.
  public static func setObserver(_ observer: (@Sendable (TraceEvent) -> Void)?) {
    Observers.shared.with { $0.set(observer) }
  }

  /// Adds a note of the program to the events, for the calling thread.
  ///
  ///     Trace.note("first byte", value: 512)
  ///
  /// - Parameters:
  ///   - label: The text.
  ///   - job: A number to identify the note.
  ///   - value: A value to show; a negative value is shown as 0.
  ///
  /// - Complexity: O(*n*) for the label's length with an observer or a recorder; otherwise O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_note`.
  public static func note(_ label: String, job: UInt64 = 0, value: Int = 0) {
    weir_trace_note(label, job, Int(clamping: value < 0 ? 0 : value))
  }
}

/// The observer of the process.
private struct Observers {
  static let shared = Locked(Observers())

  /// All observers so far, since C may still execute them.
  private var kept: [Observer] = []

  mutating func set(_ observe: (@Sendable (TraceEvent) -> Void)?) {
    guard let observe else {
      weir_trace_set_observer(nil)
      return
    }
    let observer = Observer(observe)
    kept.append(observer)
    weir_trace_set_observer(observer.cObserver)
  }
}

/// An observer in the form for C. It is never freed.
private final class Observer: Sendable {
  private let observe: @Sendable (TraceEvent) -> Void
  // nonisolated(unsafe): written once, before C is given it.
  nonisolated(unsafe) let cObserver: UnsafeMutablePointer<weir_trace_observer_t>

  init(_ observe: @escaping @Sendable (TraceEvent) -> Void) {
    self.observe = observe
    cObserver = .allocate(capacity: 1)
    cObserver.initialize(
      to: weir_trace_observer_t(
        context: Unmanaged.passUnretained(self).toOpaque(),
        observe: { context, event in
          guard let context, let event = TraceEvent(event) else { return }
          Unmanaged<Observer>.fromOpaque(context).takeUnretainedValue().observe(event)
        }, reserved: (0, 0, 0, 0)))
  }
}
