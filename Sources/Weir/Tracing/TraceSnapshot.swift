// The state of every gate, lanes and group, for programs that hang.
//
// DESIGN. The types keep the C structs, whose pointers are valid only during the visit, without
// using the pointers afterwards.

internal import CWeir
public import SystemPackage

/// The state of every gate, lanes and group of the process: who holds permits, what runs, what
/// waits, and for how long.
///
///     let gate = Gate(label: "downloads", permits: 1)
///     gate.withPermit {
///       print(Trace.snapshot())
///     }
///     // gate "downloads": 1 of 1 permits in use
///
/// Two objects are not seen at the same instant.
///
/// There is no corresponding C type: C visits one object after the other.
public struct TraceSnapshot: Sendable {
  private let states: (gates: [GateState], lanes: [LanesState], groups: [GroupState])

  fileprivate init(gates: [GateState], lanes: [LanesState], groups: [GroupState]) {
    states = (gates, lanes, groups)
  }

  /// The gates, in the order in which they were created.
  public var gates: [GateState] { states.gates }

  /// The lanes, in the order in which they were created.
  public var lanes: [LanesState] { states.lanes }

  /// The groups, in the order in which they were created.
  public var groups: [GroupState] { states.groups }

  /// A wait for permits, for a place in a backlog, or for the end of work.
  ///
  ///     for wait in Trace.snapshot().gates.flatMap(\.waits) where wait.duration > .seconds(5) {
  ///       print("thread \(wait.thread ?? 0) waits for \(wait.permits) permits")
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_wait_t`.
  public struct Wait: Sendable {
    fileprivate let wait: weir_inspect_wait_t

    /// The number of the thread that waits, as the system's tools show it; `nil` for a task and
    /// for submitted work, which hold no thread.
    public var thread: Int? { wait.thread == 0 ? nil : Int(wait.thread) }
    /// The number of requested permits; 0 for other waits.
    public var permits: Int { wait.reason == WEIR_INSPECT_PERMITS ? Int(clamping: wait.count) : 0 }
    /// A Boolean value that indicates whether the wait is for a place in the backlog of lanes.
    public var isForRoom: Bool { wait.reason == WEIR_INSPECT_ROOM }
    /// The time since the wait began.
    public var duration: Duration { .nanoseconds(Int64(clamping: wait.nanoseconds)) }
  }

  /// A job that runs on a lane.
  ///
  ///     for job in Trace.snapshot().lanes.flatMap(\.jobs) {
  ///       print(job.number, job.thread)
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_job_t`.
  public struct Job: Sendable {
    fileprivate let job: weir_inspect_job_t

    /// The number of the job, from 1, the same as in a ``TraceEvent``.
    public var number: UInt64 { job.job }
    /// The index of the lane.
    public var lane: Int { Int(clamping: job.lane) }
    /// The number of the thread, as the system's tools show it.
    public var thread: Int { Int(job.thread) }
    /// The time since the job began, to 10 ms; `nil` if it is not known.
    public var duration: Duration? { known(job.nanoseconds) }
  }

  /// A holder of permits of a gate.
  ///
  ///     for holder in Trace.snapshot().gates.flatMap(\.holders) {
  ///       print(holder.lanes ?? "submitted work", holder.permits)
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_holder_t`.
  public struct Holder: Sendable {
    // nonisolated(unsafe): never changed; its pointer is not used.
    private nonisolated(unsafe) let holder: weir_inspect_holder_t

    /// The label of the lanes whose job holds the permits; `nil` for work submitted to a gate.
    public var lanes: String? { label }
    private let label: String?

    fileprivate init(_ holder: weir_inspect_holder_t) {
      self.holder = holder
      label = holder.lanes.map { String(cString: $0) }
    }

    /// The number of permits.
    public var permits: Int { Int(clamping: holder.count) }
    /// The number of the thread, as the system's tools show it.
    public var thread: Int { Int(holder.thread) }
    /// The number of the job; `nil` for work submitted to a gate.
    public var job: UInt64? { holder.job == 0 ? nil : holder.job }
    /// False for permits that a job took itself, since another thread may have released them.
    public var isCertain: Bool { holder.is_certain }
    /// The time since the job or work began, to 10 ms; `nil` if it is not known.
    public var duration: Duration? { known(holder.nanoseconds) }
  }

  /// The state of a gate.
  ///
  ///     for gate in Trace.snapshot().gates where !gate.waits.isEmpty {
  ///       print(gate.label, gate.inUse, gate.permits)
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_object_t`.
  public struct GateState: Sendable {
    fileprivate let seen: Seen<Holder>

    /// The label.
    public var label: String { seen.label }
    /// A number that no other object of the process has.
    public var serial: UInt64 { seen.object.serial }
    /// The number of permits, free or in use.
    public var permits: Int { Int(clamping: seen.object.permits) }
    /// The number of permits in use.
    public var inUse: Int { Int(clamping: seen.object.in_use) }
    /// A Boolean value that indicates whether the gate is closed.
    public var isClosed: Bool { seen.object.is_closed }
    /// The waits, in the order in which they are served.
    public var waits: [Wait] { seen.waits }
    /// The known holders of permits: jobs of lanes, and work submitted to the gate since the first
    /// snapshot. The permits of other threads have no known holder.
    public var holders: [Holder] { seen.parts }
  }

  /// The state of lanes.
  ///
  ///     for lanes in Trace.snapshot().lanes where lanes.running == lanes.width {
  ///       print(lanes.label, lanes.queued)
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_object_t`.
  public struct LanesState: Sendable {
    fileprivate let seen: Seen<Job>

    /// The label.
    public var label: String { seen.label }
    /// A number that no other object of the process has.
    public var serial: UInt64 { seen.object.serial }
    /// The number of jobs that may run at once.
    public var width: Int { Int(clamping: seen.object.width) }
    /// The number of running jobs.
    public var running: Int { Int(clamping: seen.object.running) }
    /// The number of jobs that wait for a lane.
    public var queued: Int { Int(clamping: seen.object.queued) }
    /// A Boolean value that indicates whether the lanes are suspended.
    public var isSuspended: Bool { seen.object.suspended > 0 }
    /// A Boolean value that indicates whether the lanes are closed.
    public var isClosed: Bool { seen.object.is_closed }
    /// The time for which jobs have been queued and none began, to 10 ms; `nil` if it is not
    /// known.
    public var stalled: Duration? { known(seen.object.stalled) }
    /// The running jobs.
    public var jobs: [Job] { seen.parts }
    /// The threads that wait for the end of all jobs or for a place in the backlog, the longest
    /// wait first.
    public var waits: [Wait] { seen.waits }
  }

  /// The state of a group.
  ///
  ///     for group in Trace.snapshot().groups where group.outstanding > 0 {
  ///       print(group.label, group.outstanding)
  ///     }
  ///
  /// The corresponding C type is `weir_inspect_object_t`.
  public struct GroupState: Sendable {
    fileprivate let seen: Seen<Never>

    /// The label.
    public var label: String { seen.label }
    /// A number that no other object of the process has.
    public var serial: UInt64 { seen.object.serial }
    /// The number of units of outstanding work.
    public var outstanding: Int { Int(clamping: seen.object.outstanding) }
    /// The number of notifications that have not run.
    public var notifications: Int { Int(clamping: seen.object.notifications) }
    /// A Boolean value that indicates whether the group is cancelled.
    public var isCancelled: Bool { seen.object.is_closed }
    /// The threads that wait for the end of the work, the longest wait first.
    public var waits: [Wait] { seen.waits }
  }
}

/// Returns a duration; `nil` for 0, which stands for an unknown time.
private func known(_ nanoseconds: UInt64) -> Duration? {
  nanoseconds == 0 ? nil : .nanoseconds(Int64(clamping: nanoseconds))
}

/// An object of the C inspection. The pointers in `object` are not valid any more.
private struct Seen<Part: Sendable>: Sendable {
  // nonisolated(unsafe): never changed; its pointers are not used.
  nonisolated(unsafe) let object: weir_inspect_object_t
  let label: String
  let waits: [TraceSnapshot.Wait]
  let parts: [Part]

  init(_ object: weir_inspect_object_t, parts: [Part]) {
    self.object = object
    self.parts = parts
    label = String(cString: object.label)
    waits = UnsafeBufferPointer(start: object.waits, count: object.wait_count)
      .map { TraceSnapshot.Wait(wait: $0) }
  }
}

// MARK: - Taking a snapshot

extension Trace {
  /// Returns the state of every gate, lanes and group of the process.
  ///
  ///     let lanes = Lanes(label: "work", width: 2)
  ///     lanes.async { print(Trace.snapshot()) }
  ///     lanes.wait()
  ///
  /// It can be called at any time, also while all threads of the pool wait, but not by an observer
  /// of ``setObserver(_:)``. The times of jobs are known for jobs that began after the first
  /// snapshot of the process, or after ``printSnapshot(onSignal:)``.
  ///
  /// - Complexity: O(*n* log *n*) for *n* objects, jobs and waits.
  ///
  /// Blocks: for a moment, while a thread uses one of the objects.
  ///
  /// The corresponding C function is `weir_inspect_f`.
  public static func snapshot() -> TraceSnapshot {
    var builder = SnapshotBuilder()
    let error = withUnsafeMutablePointer(to: &builder) { builder in
      weir_inspect_f(builder) { context, object in
        context?.assumingMemoryBound(to: SnapshotBuilder.self).pointee.add(object.pointee)
      }
    }
    guard error == 0 else { fatalError("no memory for a snapshot") }
    return TraceSnapshot(gates: builder.gates, lanes: builder.lanes, groups: builder.groups)
  }

  /// Prints a snapshot to standard error whenever the process gets a signal.
  ///
  ///     import Glibc
  ///
  ///     try Trace.printSnapshot(onSignal: SIGQUIT)
  ///
  /// Then Ctrl-\ in a terminal, or `kill -QUIT`, shows what a program that hangs waits for. A
  /// thread of its own prints, so that it works when every other thread waits, and without a free
  /// descriptor. The program goes on afterwards. An earlier handler of the signal is replaced.
  ///
  /// - Parameter number: The signal, for example `SIGQUIT` or `SIGUSR2`.
  /// - Throws: `Errno.invalidArgument` for a signal that cannot be handled,
  ///   `Errno.resourceTemporarilyUnavailable` if the system has no thread.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_inspect_on_signal`.
  public static func printSnapshot(onSignal number: CInt) throws(Errno) {
    try check(weir_inspect_on_signal(number))
  }

  /// Ends the recording of `WEIR_TRACE` and writes its file now, for a program that ends by
  /// `_exit` or by a signal.
  ///
  ///     Trace.finish()
  ///
  /// Every program that uses Weir is recorded if the environment variable `WEIR_TRACE` contains
  /// the name of a file; it is written when the program calls `exit` or returns from its main
  /// function. An error is reported on standard error. Without such a recording the call does
  /// nothing.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events, which are sorted by time.
  ///
  /// Blocks: while the file is written.
  ///
  /// The corresponding C function is `weir_trace_finish`.
  public static func finish() {
    weir_trace_finish()
  }
}

/// Collects the objects that C visits.
private struct SnapshotBuilder {
  var gates: [TraceSnapshot.GateState] = []
  var lanes: [TraceSnapshot.LanesState] = []
  var groups: [TraceSnapshot.GroupState] = []

  mutating func add(_ object: weir_inspect_object_t) {
    switch object.kind {
    case WEIR_INSPECT_GATE:
      let holders = UnsafeBufferPointer(start: object.holders, count: object.holder_count)
      gates.append(.init(seen: Seen(object, parts: holders.map { TraceSnapshot.Holder($0) })))
    case WEIR_INSPECT_LANES:
      let jobs = UnsafeBufferPointer(start: object.jobs, count: object.job_count)
      lanes.append(.init(seen: Seen(object, parts: jobs.map { TraceSnapshot.Job(job: $0) })))
    case WEIR_INSPECT_GROUP:
      groups.append(.init(seen: Seen(object, parts: [])))
    default:
      break
    }
  }
}
