// The hook: what happens inside, told to one closure.
//
// C does not copy an observer and does not wait for threads that are in it. So
// each one that was ever set is kept; there are few.

internal import CWeir

/// What happens inside gates, lanes and groups, as events: for metrics and logs.
///
///     Trace.setObserver { event in
///       print("\(event.label): \(event.kind)")
///     }
///     Trace.note("ready")
///     Trace.setObserver(nil)
///
/// With nobody to tell, a point where something happens costs one load and one
/// branch. There is one observer, and there can be a ``TraceRecorder`` besides.
///
/// There is no corresponding C type.
public enum Trace {
  /// Tells a closure of every event in the process from now on, or stops.
  ///
  ///     Trace.setObserver { event in
  ///       if event.kind == .wait {
  ///         print("somebody waits for \(event.label)")
  ///       }
  ///     }
  ///
  /// - Parameter observer: Called for each event, on the thread where it happens,
  ///   often from several threads at once; `nil` for none. It is quick, and does
  ///   not use Weir. It is kept until the process ends, and threads that are in
  ///   it when it is replaced finish.
  ///   An observer that was set before is replaced. A ``TraceRecorder`` is not: it
  ///   is told besides.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_set_observer`.
  public static func setObserver(_ observer: (@Sendable (TraceEvent) -> Void)?) {
    Observers.shared.with { $0.set(observer) }
  }

  /// Records something of the program's own among Weir's events: a mark on the
  /// thread that calls.
  ///
  ///     Trace.note("first byte", value: 512)
  ///
  /// - Parameters:
  ///   - label: What it is.
  ///   - job: A number to tell by.
  ///   - value: A figure to show; what is below 0 is shown as 0.
  ///
  /// - Complexity: O(*n*) for the label's length, where there is an observer or a
  ///   recorder; else O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_note`.
  public static func note(_ label: String, job: UInt64 = 0, value: Int = 0) {
    weir_trace_note(label, job, Int(clamping: value < 0 ? 0 : value))
  }
}

/// Who observes: one at a time in the process.
private struct Observers {
  static let shared = Locked(Observers())

  /// Every observer that there ever was, since C may be in it still.
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

/// An observer as C has it. It is never freed.
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
