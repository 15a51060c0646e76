// The bounded executor.
//
// A job is a closure and, where somebody wants to know, a second one for the
// case that it is not run: after close() and cancel() a producer that has to
// account for each of its jobs can. A trap for a job that comes after close()
// was rejected: producers and who closes race by nature. So was a Bool as the
// result of async(_:), which nobody would look at.
//
// Lanes of C own a context each. Here they do not: a job captures what it needs,
// an OwnedQueue owns a value, and FileProcessor gives each of its lanes one.

internal import CWeir
public import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A bounded executor: one queue of jobs, drained by a fixed number of lanes.
///
///     let lanes = Lanes(label: "downloads", width: 16)
///     for number in 1...100 {
///       lanes.async { print("download \(number)") }
///     }
///     lanes.wait()
///
/// A lane is a serial dispatch queue. libdispatch gives each a thread at once,
/// so sixteen jobs that block run sixteen at a time from the start; a
/// concurrent queue with a semaphore in the block begins with one thread a core
/// on Linux and gets one more a second. Jobs start in the order in which they
/// were submitted, on whichever lane is free.
///
/// Jobs that are queued when the last reference goes still run. Letting go of
/// suspended lanes that have jobs is a programmer's error, and traps.
///
/// Lanes are also a task executor, which keeps blocking work off Swift's
/// cooperative pool:
///
///     let lanes = Lanes(label: "blocking", width: 16)
///     await withTaskExecutorPreference(lanes) {
///       // What blocks here blocks a lane.
///     }
///
/// The corresponding C type is `weir_lanes_t`.
public final class Lanes: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer

  private let gate: Gate?
  let refusals = Refusals()
  let idleWaits = IdleWaits()
  /// `nil` where there is always room.
  let rooms: RoomWaits?

  /// The widest there can be: libdispatch stops at 255 threads.
  ///
  /// The corresponding C constant is `WEIR_LANES_WIDTH_MAX`.
  public static var widthMax: Int { 200 }

  /// How many cores this process may use, by its affinity and its container's
  /// quota: the width for work that computes.
  ///
  /// - Complexity: O(1); it is looked up once.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_default_width`.
  public static var defaultWidth: Int { Int(clamping: weir_lanes_default_width()) }

  /// Makes lanes.
  ///
  ///     let connections = Gate(label: "connections", permits: 10)
  ///     let lanes = Lanes(
  ///       label: "requests", width: 64, backlog: 1000, qos: .utility, within: connections)
  ///
  /// - Parameters:
  ///   - label: A name for messages and traces.
  ///   - width: How many jobs may run at once, from 1 to ``widthMax``. Anything
  ///     else is a programmer's error and traps.
  ///   - backlog: How many jobs may be queued before ``async(_:)`` and
  ///     ``submit(_:)`` wait, at least 1; `nil` for no bound. A thread that waits is
  ///     let on when half as many have been taken.
  ///   - qos: The quality of service of the lanes' queues.
  ///   - gate: A limit besides `width` that may be shared: every job holds one of
  ///     the gate's permits while it runs, and its lane waits for it. While the
  ///     gate is closed, or has no permits at all, jobs whose turn comes are not
  ///     run, but dropped as by ``cancel()``.
  ///
  /// - Complexity: O(`width`), for the queues.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_create`.
  public convenience init(
    label: String, width: Int, backlog: Int? = nil, qos: DispatchQoS.QoSClass = .unspecified,
    within gate: Gate? = nil
  ) {
    // Not preconditions, which say nothing in a release build.
    guard (1...Lanes.widthMax).contains(width) else {
      misuse(
        "the lanes \"\(label)\" were given a width of \(width); it is 1 to \(Lanes.widthMax)")
    }
    if let backlog, backlog < 1 {
      misuse("the lanes \"\(label)\" need a backlog of at least 1")
    }
    self.init(label: label, rawWidth: width, backlog: backlog, qos: qos, gate: gate)
  }

  private init(
    label: String, rawWidth: Int, backlog: Int?, qos: DispatchQoS.QoSClass, gate: Gate?
  ) {
    var options = weir_lanes_options_t()
    options.width = rawWidth
    options.backlog = backlog ?? 0
    options.qos = qos.cValue
    options.dropped = { LaneJob.drop($0) }
    let made = label.withCString { label in
      options.label = label
      return weir_lanes_create(&options)
    }
    guard let made else { fatalError("no memory for the lanes \"\(label)\"") }
    handle = made
    self.gate = gate
    rooms = backlog.map { _ in RoomWaits(made) }
  }

  /// Lanes that run every job on the thread that submits it, before ``async(_:)``
  /// returns, in order: for tests and for teaching.
  ///
  /// A job that is submitted by a running one runs after it, without recursion.
  /// Where two threads submit at once, one of them runs both jobs.
  ///
  ///     let lanes = Lanes.inline(label: "test")
  ///     lanes.async { print("here and now") }
  ///
  /// - Parameter label: A name for messages and traces.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C constant is `WEIR_LANES_INLINE`.
  public static func inline(label: String) -> Lanes {
    Lanes(
      label: label, rawWidth: Int(bitPattern: UInt.max), backlog: nil, qos: .unspecified, gate: nil)
  }

  deinit {
    weir_lanes_release(handle)
  }

  // MARK: - Submitting

  /// Submits a job.
  ///
  /// After ``close()`` the job is not run, nor is one that ``cancel()`` drops: its
  /// closure is let go. ``async(_:dropped:)`` and ``tryAsync(_:)`` tell,
  /// and ``Statistics`` counts.
  ///
  /// - Parameter job: What to do. Jobs start in the order of submission.
  ///
  /// - Complexity: O(1), amortised: the queue of jobs grows as an array does.
  ///
  /// Blocks: only where there is a backlog and it is full, and never on one of
  /// its own lanes. Async code, which must not block, uses ``submit(_:)`` where
  /// there is a backlog, which suspends, or ``tryAsync(_:)``.
  ///
  /// The corresponding C function is `weir_lanes_async_f`.
  public func async(_ job: @escaping @Sendable () -> Void) {
    accept(job, dropped: nil)
  }

  /// Submits a job, and what to do if it is not run.
  ///
  ///     let lanes = Lanes(label: "sums", width: 4)
  ///     lanes.async {
  ///       print("done")
  ///     } dropped: {
  ///       print("not done")
  ///     }
  ///     lanes.wait()
  ///
  /// - Parameters:
  ///   - job: What to do.
  ///   - dropped: Called instead of `job`, once, where the lanes are closed (on
  ///     this thread, before this returns), where ``cancel()`` drops the job (on
  ///     the thread that cancels), and where the gate of the lanes is closed (on
  ///     a lane). It is soon done.
  ///
  /// - Complexity: O(1), amortised.
  ///
  /// Blocks: as ``async(_:)``.
  ///
  /// The corresponding C function is `weir_lanes_async_drop_f`.
  public func async(
    _ job: @escaping @Sendable () -> Void, dropped: @escaping @Sendable () -> Void
  ) {
    accept(job, dropped: dropped)
  }

  private func accept(_ job: @escaping Work, dropped: Work?) {
    let context = give(job, dropped: dropped)
    let error = weir_lanes_async_f(handle, context) { context, _ in LaneJob.run(context) }
    Lanes.refuseWithoutMemory(error)
    if error != 0 {
      refusals.add()
      LaneJob.drop(context)
    }
  }

  /// Submits a job if it does not have to wait for that.
  ///
  ///     let lanes = Lanes(label: "thumbnails", width: 2, backlog: 100)
  ///     if !lanes.tryAsync({ print("a thumbnail") }) {
  ///       print("too busy")
  ///     }
  ///
  /// - Parameter job: What to do.
  ///
  /// - Returns: Whether it was submitted; `false` where the backlog is full, also
  ///   on one of their own lanes, and after ``close()``.
  ///
  /// - Complexity: O(1), amortised.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_try_async_f`.
  public func tryAsync(_ job: @escaping @Sendable () -> Void) -> Bool {
    let context = give(job, dropped: nil)
    let error = weir_lanes_try_async_f(handle, context) { context, _ in LaneJob.run(context) }
    Lanes.refuseWithoutMemory(error)
    if error != 0 {
      LaneJob.drop(context)
    }
    return error == 0
  }

  /// Submits a job past the backlog that is run after a close too and is not
  /// dropped by a cancel. It takes no permit of the gate.
  func mustAsync(_ job: @escaping Work) {
    let context = LaneJob.give(job, dropped: nil, rooms: nil)
    Lanes.refuseWithoutMemory(
      weir_lanes_async_must_f(handle, context) { context, _ in LaneJob.run(context) })
  }

  static func refuseWithoutMemory(_ error: Int32) {
    if error == ENOMEM {
      fatalError("no memory to submit a job to lanes")
    }
  }

  /// What C is handed for a job.
  func give(_ job: @escaping Work, dropped: Work?) -> UnsafeMutableRawPointer {
    LaneJob.give(gated(job, dropped), dropped: dropped, rooms: rooms)
  }

  /// The job with a permit of the gate around it, where there is a gate.
  private func gated(_ job: @escaping Work, _ dropped: Work?) -> Work {
    guard let gate else { return job }
    let refusals = refusals
    return {
      let error = weir_gate_wait(gate.handle, 1, DispatchTime.distantFuture.rawValue)
      Lanes.refuseWithoutMemory(error)
      if error == 0 {
        job()
        _ = weir_gate_signal(gate.handle, 1)
      } else {
        refusals.add()
        dropped?()
      }
    }
  }
}

/// Counts jobs that were not run though nobody cancelled them. It outlives its
/// lanes, as jobs do.
final class Refusals: Sendable {
  private let refused = Atomic(0)

  var count: Int { refused.load(ordering: .relaxed) }

  func add() {
    refused.add(1, ordering: .relaxed)
  }
}
