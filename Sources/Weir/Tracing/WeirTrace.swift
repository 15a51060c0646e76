// Events, notes and the state of the whole process.

internal import CWeir
public import SystemPackage

/// The events of gates, lanes, groups, queues and maps, for metrics and logs, and their state, for
/// programs that hang.
///
///     WeirTrace.setObserver { event in
///       print("\(event.label): \(event.kind)")
///     }
///     WeirTrace.note("ready")
///     WeirTrace.setObserver(nil)
///
/// Without an observer, a trace point costs one load and one branch. There is one observer, and
/// there can also be a ``TraceRecorder``. There is no corresponding C type.
public enum WeirTrace {
  /// Sets or removes the closure that receives every event of the process.
  ///
  /// - Parameter observer: Called for each event, on the thread of the event, often by several
  ///   threads at once; `nil` for none. It should be quick, and must not use Weir. It replaces an
  ///   earlier observer, which other threads may still be running, but not a ``TraceRecorder``. It
  ///   is kept until the process ends.
  ///
  /// Blocks: no. The corresponding C function is `weir_trace_set_observer`.
  public static func setObserver(_ observer: (@Sendable (TraceEvent) -> Void)?) {
    guard let observer else {
      weir_trace_set_observer(nil)
      return
    }
    typealias Observer = Box<@Sendable (TraceEvent) -> Void>
    let cObserver = UnsafeMutablePointer<weir_trace_observer_t>.allocate(capacity: 1)
    cObserver.initialize(
      to: weir_trace_observer_t(
        context: Observer.retain(observer),
        observe: { context, event in
          guard let context, let event = TraceEvent(event) else { return }
          Unmanaged<Observer>.fromOpaque(context).takeUnretainedValue().value(event)
        }, reserved: (0, 0, 0, 0)))
    observers.with { $0.append(cObserver) }
    weir_trace_set_observer(cObserver)
  }

  /// All observers so far. C does not wait for threads that execute one, so none is freed.
  private static let observers = Locked<[UnsafeMutablePointer<weir_trace_observer_t>]>([])

  /// Adds a note of the program to the events, for the calling thread: a text, a number to identify
  /// the note, and a value to show; a negative one is shown as 0.
  ///
  ///     WeirTrace.note("first byte", value: 512)
  ///
  /// Blocks: no. The corresponding C function is `weir_trace_note`.
  public static func note(_ label: String, job: UInt64 = 0, value: Int = 0) {
    weir_trace_note(label, job, max(0, value))
  }

  /// Writes the state of every gate, lanes, group, owned queue and map of the process as text for
  /// people: who holds permits, what runs, what waits, and for how long. A map or a windowed group
  /// is named by the place of its call.
  ///
  ///     import SystemPackage
  ///
  ///     let gate = Gate(label: "downloads", permits: 1)
  ///     try gate.withPermits(1) {
  ///       try WeirTrace.writeSnapshot(to: .standardError)
  ///     }
  ///     // gate "downloads": 1 of 1 permits in use
  ///
  /// It can be called at any time, also while all threads of the pool wait, but not by an observer
  /// of ``setObserver(_:)``. The times of jobs are known for jobs that began after the first call,
  /// or after ``printSnapshot(onSignal:)``. The descriptor is not closed.
  ///
  /// - Throws: `Errno.noMemory`, or the error of `write`.
  /// - Complexity: O(*n* log *n*) for *n* objects, jobs and waits.
  ///
  /// Blocks: as writing does, and for a moment while a thread uses one of the objects. The
  /// corresponding C function is `weir_inspect_write`.
  public static func writeSnapshot(to descriptor: FileDescriptor) throws(Errno) {
    try check(weir_inspect_write(descriptor.rawValue))
  }

  /// Prints the state to standard error whenever the process gets a signal.
  ///
  ///     import Glibc
  ///
  ///     try WeirTrace.printSnapshot(onSignal: SIGQUIT)
  ///
  /// Then Ctrl-\ in a terminal, or `kill -QUIT`, shows what a program that hangs waits for. A
  /// thread of its own writes, so that it works when every other thread waits. The program goes on
  /// afterwards. An earlier handler of the signal is replaced.
  ///
  /// - Throws: `Errno.invalidArgument` for a signal that cannot be handled,
  ///   `Errno.resourceTemporarilyUnavailable` if the system has no thread.
  ///
  /// Blocks: no. The corresponding C function is `weir_inspect_on_signal`.
  public static func printSnapshot(onSignal number: CInt) throws(Errno) {
    try check(weir_inspect_on_signal(number))
  }

  /// Reports waits without progress on standard error, each of them once: the gate, lanes or group,
  /// who waits there, and who holds it. So does the environment variable `WEIR_WATCH=10`.
  ///
  ///     import Weir
  ///
  ///     try WeirTrace.reportWaits(after: .seconds(10))
  ///
  /// - Parameter duration: The age, raised to at least 10 ms, of the waits that are reported, if
  ///   nothing happened meanwhile that brings them nearer to their end. `nil` or `.zero` ends this.
  /// - Throws: `Errno.invalidArgument` for a duration below 0 or above 30 years,
  ///   `Errno.resourceTemporarilyUnavailable` if the system has no thread.
  ///
  /// Blocks: no. The corresponding C function is `weir_inspect_watch`.
  public static func reportWaits(after duration: Duration?) throws(Errno) {
    try check(weir_inspect_watch((duration ?? .zero) / .seconds(1)))
  }

  /// Ends the recording of `WEIR_TRACE` and writes its file now, for a program that ends by `_exit`
  /// or by a signal. Without such a recording the call does nothing. An error is reported on
  /// standard error.
  ///
  /// Blocks: while the file is written. The corresponding C function is `weir_trace_finish`.
  @available(*, noasync, message: "it writes a file; call it in a synchronous function")
  public static func finish() {
    weir_trace_finish()
  }
}

/// The former name of `WeirTrace`.
@available(*, deprecated, renamed: "WeirTrace")
public typealias Trace = WeirTrace
