// Lanes: the bounded executor.
//
// DESIGN. A job is a closure with an optional second closure, which is called if the job is not
// run: with it a producer that must account for each job can do so after close() and cancel(). Two
// alternatives were rejected: a trap for a job after close(), since producers and the closing
// thread race by nature, and a Bool as the result of async(_:), which callers would ignore. In C
// each lane owns a context. Here a job captures what it needs.

internal import CWeir
public import Dispatch
internal import Synchronization
internal import WeirLibC

/// A bounded executor: one queue of jobs, drained by a fixed number of lanes.
///
///     let lanes = Lanes(label: "downloads", width: 16)
///     for number in 1...100 {
///       lanes.async { print("download \(number)") }
///     }
///     lanes.wait()
///
/// A lane is a serial dispatch queue, which libdispatch gives a thread at once. So sixteen blocking
/// jobs run at the same time from the start. A concurrent queue with a semaphore in the block
/// begins on Linux with one thread per core and gets one more per second. Jobs start in the order
/// of submission, on any free lane.
///
/// Jobs that are queued when the last reference is released still run. Releasing suspended lanes
/// that have jobs is a programmer's error, and traps. If the system grants this process no more
/// threads, a submit blocks until it does. Any thread may use lanes, also in their jobs.
///
/// Async code runs a blocking job on a lane, off Swift's cooperative pool, and awaits its result:
///
///     let lanes = Lanes(label: "blocking", width: 16)
///     let answer = try await lanes.run { 42 }
///     print(answer)
///
/// Lanes are also a task executor. `withTaskExecutorPreference(lanes) { }` moves tasks to them, but
/// only code that is not isolated to an actor; see ``enqueue(_:)``.
///
/// The corresponding C type is `weir_lanes_t`.
public final class Lanes: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer

  let label: String
  private let gates: ArraySlice<Gate>
  let refusals = Refusals()

  /// The largest width. All lanes of the process together hold 240 threads at most for each quality
  /// of service; idle lanes hold none. The corresponding C constant is `WEIR_LANES_WIDTH_MAX`.
  public static var widthMax: Int { 200 }

  /// The number of cores that this process may use, by its affinity and its container's quota.
  /// Blocks: no. The corresponding C function is `weir_lanes_default_width`.
  public static var defaultWidth: Int { Int(clamping: weir_lanes_default_width()) }

  /// Creates lanes.
  ///
  ///     import Dispatch
  ///
  ///     let connections = Gate(label: "connections", permits: 10)
  ///     let lanes = Lanes(
  ///       label: "requests", width: 64, backlog: 1000, qos: .utility, within: connections)
  ///
  /// - Parameters:
  ///   - width: The number of jobs that may run at once, 1 to ``widthMax``. Any other number is
  ///     a programmer's error and traps.
  ///   - backlog: The number of jobs that may be queued before ``async(_:dropped:)``,
  ///     ``submit(_:)`` and ``run(_:)`` wait, and ``tryAsync(_:)`` refuses; `nil` for no limit.
  ///     With a backlog of 0 a job is accepted only if a lane is free. A negative number is a
  ///     programmer's error and traps.
  ///   - gates: Further limits, which can be shared: every job holds one permit of each gate while
  ///     it runs, and its lane waits for the permits, in this order. If a gate is closed, a job
  ///     whose turn comes is dropped as by ``cancel()``.
  ///
  /// Blocks: no. Complexity: O(`width`). The corresponding C function is `weir_lanes_create`.
  public convenience init(
    label: String, width: Int, backlog: Int? = nil, qos: DispatchQoS.QoSClass = .unspecified,
    within gates: (any Gates)? = nil
  ) {
    // Not preconditions, which print nothing in a release build.
    guard (1...Lanes.widthMax).contains(width) else {
      misuse(
        "the lanes \"\(label)\" were given a width of \(width); it is 1 to \(Lanes.widthMax)")
    }
    if let backlog, backlog < 0 {
      misuse("the lanes \"\(label)\" were given a backlog of \(backlog); it is 0 or more")
    }
    self.init(label: label, rawWidth: width, backlog: backlog, qos: qos, gates: gates)
  }

  private init(
    label: String, rawWidth: Int, backlog: Int?, qos: DispatchQoS.QoSClass, gates: (any Gates)?
  ) {
    var options = weir_lanes_options_t()
    options.width = rawWidth
    options.backlog = backlog.map { $0 == 0 ? Lanes.noBacklog : $0 } ?? 0
    options.qos = qos.cValue
    options.dropped = { LaneJob.drop($0, .cancelled) }
    let made = label.withCString { label in
      options.label = label
      return weir_lanes_create(&options)
    }
    guard let made else { fatalError("no memory for the lanes \"\(label)\"") }
    handle = made
    self.label = label
    self.gates = (gates?._gates ?? [])[...]
  }

  /// `WEIR_LANES_NO_BACKLOG`, which is a calculation in C.
  private static let noBacklog = Int(bitPattern: UInt.max - 1)

  /// Creates lanes that run every job in order on the submitting thread, before
  /// ``async(_:dropped:)`` returns: for tests and teaching. A job that a running job submits runs
  /// after it. If two threads submit at once, one of them runs both jobs.
  ///
  ///     let lanes = Lanes.inline(label: "test")
  ///     lanes.async { print("here and now") }
  ///
  /// Blocks: no. The corresponding C constant is `WEIR_LANES_INLINE`.
  public static func inline(label: String) -> Lanes {
    Lanes(
      label: label, rawWidth: Int(bitPattern: UInt.max), backlog: nil, qos: .unspecified, gates: nil
    )
  }

  deinit {
    weir_lanes_release(handle)
  }

  // MARK: - Submitting

  /// Submits a job.
  ///
  ///     let lanes = Lanes(label: "sums", width: 4)
  ///     lanes.async { print("a sum") }
  ///     lanes.async {
  ///       print("done")
  ///     } dropped: {
  ///       print("not done")
  ///     }
  ///     lanes.wait()
  ///
  /// - Parameters:
  ///   - job: The job. Jobs start in the order of submission.
  ///   - dropped: A short closure that is called once instead of the job if it is not run: if the
  ///     lanes are closed (on this thread, before the method returns), if ``cancel()`` drops the
  ///     job (on the cancelling thread), or if the gate of the lanes is closed (on a lane).
  ///
  /// Blocks: only while a backlog is full, and never on one of its own lanes. Async code uses
  /// ``run(_:)`` or ``submit(_:)``, which suspend, or ``tryAsync(_:)``. The corresponding C
  /// functions are `weir_lanes_async_f` and `weir_lanes_async_drop_f`.
  public func async(
    _ job: @escaping @Sendable () -> Void, dropped: (@Sendable () -> Void)? = nil
  ) {
    accept(job, dropped: dropped.map { dropped -> Dropped in { _ in dropped() } })
  }

  func accept(_ job: @escaping Work, dropped: Dropped?) {
    let context = retainJob(job, dropped: dropped)
    let error = weir_lanes_async_f(handle, context) { context, _ in LaneJob.run(context) }
    Lanes.refuseWithoutMemory(error)
    if error != 0 { LaneJob.drop(context, .closed) }
  }

  /// Submits a job if there is room for it.
  ///
  /// - Returns: True if the job was submitted; false if the backlog is full or other callers wait
  ///   for it, even on one of their own lanes, and after ``close()``.
  ///
  /// Blocks: no. The corresponding C function is `weir_lanes_try_async_f`.
  public func tryAsync(_ job: @escaping @Sendable () -> Void) -> Bool {
    let context = retainJob(job, dropped: nil)
    let error = weir_lanes_try_async_f(handle, context) { context, _ in LaneJob.run(context) }
    Lanes.refuseWithoutMemory(error)
    if error != 0 {
      LaneJob.drop(context, .closed)
    }
    return error == 0
  }

  /// Submits a job regardless of the backlog. It runs even after a close, a cancel does not
  /// drop it, and it takes no permit of the gate.
  func mustAsync(_ job: @escaping Work) {
    let context = LaneJob.retain(job, dropped: nil)
    Lanes.refuseWithoutMemory(
      weir_lanes_async_must_f(handle, context) { context, _ in LaneJob.run(context) })
  }

  static func refuseWithoutMemory(_ error: Int32) {
    if error == ENOMEM {
      fatalError("no memory to submit a job to lanes")
    }
  }

  /// Returns the context of a job for C.
  func retainJob(
    _ job: @escaping Work, dropped: Dropped?, isWanted: (@Sendable () -> Bool)? = nil,
    decided: (@Sendable (Int32) -> Void)? = nil
  ) -> UnsafeMutableRawPointer {
    let label = label
    return LaneJob.retain(
      gated(job, dropped, isWanted),
      dropped: dropped.map { dropped -> LaneJob.Dropped in
        { dropped(LanesError($0, label: label)) }
      },
      decided: decided)
  }

  /// Returns the job, with a permit of each gate around it.
  private func gated(
    _ job: @escaping Work, _ dropped: Dropped?, _ isWanted: (@Sendable () -> Bool)?
  ) -> Work {
    if gates.isEmpty { return job }
    let (gates, refusals) = (gates, refusals)
    return {
      if isWanted?() == false { return }
      do {
        try Lanes.hold(gates, job)
      } catch {
        refusals.add()
        dropped?(error)
      }
    }
  }

  private static func hold(_ gates: ArraySlice<Gate>, _ job: Work) throws {
    guard let gate = gates.first else { return job() }
    let scope = try gate.enterBlocking(1, nil, .unknown)
    defer { scope.end() }
    try hold(gates.dropFirst(), job)
  }
}

/// A closure that receives the reason why a job is not run.
typealias Dropped = @Sendable (any Error) -> Void

/// The number of jobs that a closed gate refused, in an object that outlives its lanes, as jobs do.
final class Refusals: Sendable {
  private let refused = Atomic(0)

  var count: Int { refused.load(ordering: .relaxed) }

  func add() {
    refused.add(1, ordering: .relaxed)
  }
}
