// The bounded executor.

internal import CWeir
public import Dispatch

/// A bounded executor: one queue of jobs, drained by a fixed number of lanes.
///
///     let lanes = Lanes(label: "downloads", width: 16)
///     for url in urls {
///       lanes.async { download(url) }
///     }
///     lanes.wait()
///
/// A lane is a serial dispatch queue. libdispatch gives each a thread at once,
/// so sixteen jobs that block run sixteen at a time from the start; a
/// concurrent queue with a semaphore in the block begins with one thread a core
/// on Linux and gets one more a second. Jobs start in the order in which they
/// were submitted, on whichever lane is free.
///
/// Jobs that are queued when the last reference goes still run.
///
/// The corresponding C type is `weir_lanes_t`.
public final class Lanes: Sendable {
  /// The C handle.
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// The widest there can be: libdispatch stops at 255 threads.
  public static var widthMax: Int { 200 }

  /// How many cores this process may use, by its affinity and its container's
  /// quota: the width for work that computes.
  ///
  /// The corresponding C function is `weir_lanes_default_width`.
  public static var defaultWidth: Int { Int(clamping: weir_lanes_default_width()) }

  /// Makes lanes.
  ///
  /// - Parameters:
  ///   - label: A name for messages and traces.
  ///   - width: How many jobs may run at once, from 1 to ``widthMax``. Anything
  ///     else is a programmer's error and traps.
  ///
  /// - Complexity: O(`width`). Does not block.
  ///
  /// The corresponding C function is `weir_lanes_create`.
  public convenience init(label: String, width: Int) {
    self.init(label: label, checkedWidth: width, backlog: 0)
  }

  /// Makes lanes whose submitters wait while too much is queued.
  ///
  /// - Parameters:
  ///   - label: A name for messages and traces.
  ///   - width: How many jobs may run at once, from 1 to ``widthMax``.
  ///   - backlog: How many jobs may be queued before ``async(_:)`` waits, at
  ///     least 1.
  ///
  /// The corresponding C function is `weir_lanes_create`.
  public convenience init(label: String, width: Int, backlog: Int) {
    guard backlog >= 1 else {
      fatalError("the lanes \"\(label)\" need a backlog of at least 1")
    }
    self.init(label: label, checkedWidth: width, backlog: backlog)
  }

  private convenience init(label: String, checkedWidth width: Int, backlog: Int) {
    // Not a precondition, which says nothing in a release build.
    guard (1...Lanes.widthMax).contains(width) else {
      fatalError(
        "the lanes \"\(label)\" were given a width of \(width); it is 1 to \(Lanes.widthMax)")
    }
    self.init(label: label, rawWidth: width, backlog: backlog)
  }

  private init(label: String, rawWidth: Int, backlog: Int) {
    var options = weir_lanes_options_t()
    options.width = rawWidth
    options.backlog = backlog
    let made = label.withCString { label in
      options.label = label
      return weir_lanes_create(&options)
    }
    guard let made else { fatalError("no memory for the lanes \"\(label)\"") }
    handle = made
  }

  /// Lanes that run every job on the thread that submits it, before ``async(_:)``
  /// returns, in order: for tests and for teaching.
  ///
  /// The corresponding C constant is `WEIR_LANES_INLINE`.
  public static func inline(label: String) -> Lanes {
    Lanes(label: label, rawWidth: Int(bitPattern: UInt.max), backlog: 0)
  }

  deinit {
    weir_lanes_release(handle)
  }

  /// Submits a job.
  ///
  /// Blocks: only where there is a backlog and it is full, and never on one of
  /// its own lanes.
  ///
  /// - Complexity: O(1).
  ///
  /// The corresponding C function is `weir_lanes_async_f`.
  public func async(_ job: @escaping @Sendable () -> Void) {
    let error = weir_lanes_async_f(handle, Box<Work>.give(job)) { context, _ in
      Box<Work>.take(context)()
    }
    if error != 0 {
      fatalError("no memory to submit a job to lanes")
    }
  }

  /// Waits until no job is queued or running.
  ///
  /// On one of its own lanes it is a programmer's error, and traps.
  ///
  /// Blocks: yes, until `timeout` at most.
  ///
  /// The corresponding C function is `weir_lanes_wait`.
  @available(*, noasync, message: "use the async form, which suspends")
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: DispatchTime = .distantFuture) -> DispatchTimeoutResult {
    weir_lanes_wait(handle, timeout.rawValue) == 0 ? .success : .timedOut
  }

  /// Suspends until no job is queued or running.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_notify_f`.
  public func wait() async {
    await withCheckedContinuation { continuation in
      notify { continuation.resume() }
    }
  }

  /// Runs a closure on a queue once no job is queued or running.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_notify_f`.
  public func notify(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    notify { queue.async(execute: work) }
  }

  /// Runs a closure that is soon done, on a serial queue that all lanes share: a
  /// global one would have libdispatch open three descriptors.
  private func notify(_ work: @escaping @Sendable () -> Void) {
    weir_lanes_notify_f(handle, Notifications.queue, Box<Work>.give(work), callWork)
  }

  /// Figures of lanes, all of one instant.
  public struct Statistics: Sendable {
    /// How many lanes there are.
    public let width: Int
    /// Jobs running now.
    public let running: Int
    /// The most that ran at once.
    public let peak: Int
    /// Jobs queued now.
    public let queued: Int
    /// Jobs that have ended.
    public let finished: Int
  }

  /// Figures, for display and for tests.
  ///
  /// The corresponding C function is `weir_lanes_stats`.
  public var statistics: Statistics {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(
      width: Int(clamping: stats.width), running: Int(clamping: stats.running),
      peak: Int(clamping: stats.peak), queued: Int(clamping: stats.queued),
      finished: Int(clamping: stats.finished))
  }
}
