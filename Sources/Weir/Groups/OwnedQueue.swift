// A queue and the value that it protects, as one object.
//
// DESIGN. The value has its own memory, which the context of the queue owns, and every job receives
// it in place, without an exclusivity check at run time. Nested jobs on one thread would break
// exclusivity, so they are reported: sync from a job of the same queue, which on Linux is otherwise
// a bare SIGILL. For this check a queue knows the thread that runs its job. dispatch_get_specific
// was rejected: it does not see the queues that the current one was reached from by sync. A
// DispatchQueue as a target is not offered: on Linux it hides its C handle.

internal import CWeir
public import Dispatch
internal import Synchronization
internal import WeirLibC

/// A serial queue that owns a value. Only jobs of the queue can access the value.
///
///     let counts = OwnedQueue(label: "counts", context: [String: Int]())
///     counts.async { counts in counts["apple", default: 0] += 1 }
///     print(counts.sync { counts in counts.count })
///
/// The value need not be `Sendable`: it is transferred to the queue and stays there. Jobs run one
/// after the other, in the order of submission, on a thread of libdispatch.
///
/// After the last reference is released and the last job has ended, the value is passed to the
/// finalizer, exactly once, or is freed. That happens soon, but not at once: libdispatch does it on
/// the queue.
///
/// The corresponding C function is `weir_queue_create`.
public final class OwnedQueue<Context>: Sendable {
  // nonisolated(unsafe): never changed, and a queue may be used by any thread.
  private nonisolated(unsafe) let queue: dispatch_queue_t
  private let owned: OwnedValue<Context>
  private let suspensions = Atomic(0)

  /// Creates a queue that owns a value.
  ///
  ///     let log = OwnedQueue(label: "log", context: [String]()) { lines in
  ///       print("\(lines.count) lines")
  ///     }
  ///     log.async { lines in lines.append("started") }
  ///
  /// Jobs of queues with the same target never run at the same time:
  ///
  ///     let disk = OwnedQueue(label: "disk", context: ())
  ///     let index = OwnedQueue(label: "index", target: disk, context: [Int]())
  ///     let names = OwnedQueue(label: "names", target: disk, context: [String]())
  ///
  /// - Parameters:
  ///   - target: A queue that runs the jobs between its own, and lives as long as this queue;
  ///     `nil` for none.
  ///   - context: The value that the queue owns from now on.
  ///   - finalizer: Called once with the value at the end; `nil` frees the value.
  ///
  /// Blocks: no. The corresponding C functions are `weir_queue_create` and
  /// `dispatch_set_target_queue`.
  public init<Other>(
    label: String, qos: DispatchQoS.QoSClass = .unspecified,
    target: OwnedQueue<Other>? = OwnedQueue<Void>?.none, context: sending Context,
    finalizer: (@Sendable (Context) -> Void)? = nil
  ) {
    let owned = OwnedValue(label, context, below: target?.owned, finalizer: finalizer)
    // An unspecified class means no attribute: with one, the target's class is not inherited.
    let attributes =
      qos == .unspecified ? nil : dispatch_queue_attr_make_with_qos_class(nil, qos.cValue, 0)
    let context = Unmanaged<Finalizable>.passRetained(owned).toOpaque()
    let made = weir_queue_create(label, attributes, context) { context in
      guard let context else { return }
      Unmanaged<Finalizable>.fromOpaque(context).takeRetainedValue().finalize()
    }
    guard let made else { fatalError("no memory for the queue \"\(label)\"") }
    if let target {
      dispatch_set_target_queue(anyObject(made), target.queue)
    }
    queue = made
    self.owned = owned
  }

  deinit {
    if suspensions.load(ordering: .relaxed) > 0 {
      misuse(
        """
        the queue "\(label)" was let go while it was suspended, and nobody could resume it; \
        resume it first
        """)
    }
    releaseQueue(queue)
  }

  /// The name of the queue. Blocks: no. The corresponding C function is `dispatch_queue_get_label`.
  public var label: String {
    String(cString: dispatch_queue_get_label(queue))
  }

  // MARK: - Jobs

  /// Submits a job, which is called with the value in place. Blocks: no. The corresponding C
  /// function is `dispatch_async_f`.
  public func async(_ job: @escaping @Sendable (inout Context) -> Void) {
    let owned = owned
    let number = owned.work.add()
    submit { owned.run(number) { value in job(&value) } }
  }

  /// Runs a job and returns its result.
  ///
  ///     let numbers = OwnedQueue(label: "numbers", context: [1, 2, 3])
  ///     let last = numbers.sync { numbers in numbers.removeLast() }
  ///     print(last)
  ///
  /// In a job of this queue, or of a queue that targets it, the call is a programmer's error, and
  /// traps.
  ///
  /// - Parameter job: The job, called with the value in place. Only its result, which is
  ///   `Sendable`, can leave the queue.
  /// - Throws: The error of `job`.
  ///
  /// Blocks: until the earlier jobs and this one have ended. The corresponding C function is
  /// `dispatch_sync_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func sync<T: Sendable, E: Error>(
    _ job: (inout sending Context) throws(E) -> T
  ) throws(E) -> T {
    guard !owned.isHere else {
      misuse(
        """
        sync on the queue "\(label)" in one of its own jobs would wait for itself; \
        use the value that the job was given
        """)
    }
    var result: Result<T, E>?
    let number = owned.work.add()
    dispatch_sync(queue) { result = owned.result(number, of: job) }
    guard let result else { fatalError("the queue \"\(label)\" did not run a job") }
    return try result.get()
  }

  /// Runs a job and returns its result, while the task is suspended; otherwise like the blocking
  /// form. Cancelling the task does not withdraw the job. Blocks: no. The corresponding C function
  /// is `dispatch_async_f`.
  public func sync<T: Sendable, E: Error>(
    _ job: @escaping @Sendable (inout sending Context) throws(E) -> T
  ) async throws(E) -> T {
    let result: Result<T, E> = await withCheckedContinuation { continuation in
      let owned = owned
      let number = owned.work.add()
      submit { continuation.resume(returning: owned.result(number, of: job)) }
    }
    return try result.get()
  }

  private func submit(_ work: @escaping Work) {
    dispatch_async_f(queue, Box<Work>.retain(work), callWork)
  }

  // MARK: - Control

  /// Starts no more jobs until ``resume()``. A running job goes on. Calls nest. Releasing a
  /// suspended queue is a programmer's error, and traps. Blocks: no. The corresponding C function
  /// is `dispatch_suspend`.
  public func suspend() {
    suspensions.add(1, ordering: .relaxed)
    dispatch_suspend(anyObject(queue))
  }

  /// Undoes one ``suspend()``. A call without a suspend is a programmer's error, and traps. Blocks:
  /// no. The corresponding C function is `dispatch_resume`.
  public func resume() {
    guard suspensions.subtract(1, ordering: .relaxed).newValue >= 0 else {
      misuse(
        """
        the queue "\(label)" was resumed more often than it was suspended; \
        pair each resume() with one suspend()
        """)
    }
    dispatch_resume(anyObject(queue))
  }
}

/// The context of the queue for the finalizer, since C functions cannot be generic.
private class Finalizable {
  func finalize() {}
}

/// The value, and the thread that runs a job with it.
private final class OwnedValue<Context>: Finalizable, Place, @unchecked Sendable {
  // @unchecked: the value is touched by jobs of one serial queue alone.
  private let value: UnsafeMutablePointer<Context>
  private let finalizer: (@Sendable (Context) -> Void)?
  private let below: (any Place)?
  private let thread = Atomic<UInt>(0)
  let work: WatchedWork
  private let shown: Shown

  init(
    _ label: String, _ value: sending Context, below: (any Place)? = nil,
    finalizer: (@Sendable (Context) -> Void)?
  ) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    self.finalizer = finalizer
    self.below = below
    work = WatchedWork("queue", .name(label))
    shown = work.shown
  }

  /// True if the current thread runs a job of the queue, or of a queue that targets it.
  var isHere: Bool {
    thread.load(ordering: .relaxed) == currentThread || below?.isHere ?? false
  }

  func set(_ thread: UInt) {
    self.thread.store(thread, ordering: .relaxed)
    below?.set(thread)
  }

  func run(_ number: UInt64, _ job: (inout Context) -> Void) {
    begin(number)
    job(&value.pointee)
    end(number)
  }

  private func begin(_ number: UInt64) {
    set(currentThread)
    work.begin(number)
  }

  private func end(_ number: UInt64) {
    work.end(number)
    set(0)
  }

  func result<T: Sendable, E: Error>(
    _ number: UInt64, of job: (inout sending Context) throws(E) -> T
  ) -> Result<T, E> {
    begin(number)
    defer { end(number) }
    do throws(E) {
      // nonisolated(unsafe): it is in no region but the queue's.
      nonisolated(unsafe) let value = value
      return .success(try job(&value.pointee))
    } catch {
      return .failure(error)
    }
  }

  override func finalize() {
    let last = value.move()
    value.deallocate()
    finalizer?(last)
  }
}

/// An object that one thread at a time uses.
private protocol Place: AnyObject, Sendable {
  var isHere: Bool { get }
  func set(_ thread: UInt)
}
