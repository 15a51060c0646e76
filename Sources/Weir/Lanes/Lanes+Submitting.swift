// The submission of jobs to lanes.

internal import CWeir

extension Lanes {
  /// Submits a job; suspends the task while the backlog is full. Tasks and threads that wait for
  /// room stand in one queue. To await the result of the job use ``run(_:)``.
  ///
  ///     func thumbnails(_ count: Int) async throws {
  ///       let lanes = Lanes(label: "thumbnails", width: 2, backlog: 100)
  ///       for number in 1...count {
  ///         try await lanes.submit { print("thumbnail \(number)") }
  ///       }
  ///       await lanes.wait()
  ///     }
  ///
  /// - Parameter job: The job. Even after its submission ``cancel()`` may drop it.
  /// - Throws: ``LanesError/closed``, or `CancellationError` if the task was cancelled before there
  ///   was room. The job is then not submitted.
  ///
  /// Blocks: no, it suspends until there is room. The corresponding C function is
  /// `weir_lanes_request_f`.
  public func submit(
    _ job: @escaping @Sendable () -> Void
  ) async throws {
    try Task.checkCancellation()
    let wait = TaskWait()
    let request = self.request(
      retainJob(job, dropped: nil, decided: { wait.end($0 == 0 ? .over : .refused) }))
    let end = await withTaskCancellationHandler {
      await wait.end()
    } onCancel: {
      request.cancel()
    }
    if end == .over { return }
    try Task.checkCancellation()
    throw LanesError(.closed, label: label)
  }

  /// Requests that a job of ``retainJob(_:dropped:isWanted:decided:)`` be submitted. If it is
  /// not, it is dropped.
  func request(_ job: UnsafeMutableRawPointer) -> LanesRequest {
    LaneJob.retainForDecision(job)
    return LanesRequest { request in
      weir_lanes_request_f(
        handle, job, { job, _ in LaneJob.run(job) }, { LaneJob.decide($0, $1) }, &request)
    }
  }
}

/// A request to lanes.
final class LanesRequest: Sendable {
  // nonisolated(unsafe): never changed, and any thread may use the C type.
  private nonisolated(unsafe) let request: OpaquePointer

  init(_ make: (inout OpaquePointer?) -> Int32) {
    var request: OpaquePointer?
    Lanes.refuseWithoutMemory(make(&request))
    guard let request else { fatalError("the C library returned no request") }
    self.request = request
  }

  deinit {
    weir_lanes_request_release(request)
  }

  /// Ends the request, unless it has been decided. Returns true if it did. The task that waits
  /// may end meanwhile, and this object with it.
  @discardableResult
  func cancel() -> Bool {
    weir_lanes_request_cancel(request) == 0
  }

  /// Like ``cancel()``, but also drops the job if it was accepted and has not begun.
  func withdraw() -> Bool {
    weir_lanes_request_withdraw(request) == 0
  }
}

/// A job on its way through C. It is run or dropped, once.
final class LaneJob {
  typealias Dropped = @Sendable (LanesError.Reason) -> Void

  private let work: Work
  private let dropped: Dropped?
  private let decided: (@Sendable (Int32) -> Void)?

  private init(
    _ work: @escaping Work, _ dropped: Dropped?, _ decided: (@Sendable (Int32) -> Void)?
  ) {
    self.work = work
    self.dropped = dropped
    self.decided = decided
  }

  /// Returns a pointer that owns the job until it is run or dropped.
  static func retain(
    _ work: @escaping Work, dropped: Dropped?,
    decided: (@Sendable (Int32) -> Void)? = nil
  ) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(LaneJob(work, dropped, decided)).toOpaque()
  }

  /// Lets the pointer own the job until ``decide(_:_:)`` was called, too: C may run the job
  /// before.
  static func retainForDecision(_ pointer: UnsafeMutableRawPointer) {
    _ = Unmanaged<LaneJob>.fromOpaque(pointer).retain()
  }

  static func run(_ pointer: UnsafeMutableRawPointer?) {
    take(pointer).work()
  }

  static func drop(_ pointer: UnsafeMutableRawPointer?, _ reason: LanesError.Reason) {
    take(pointer).dropped?(reason)
  }

  static func decide(_ pointer: UnsafeMutableRawPointer?, _ result: Int32) {
    Lanes.refuseWithoutMemory(result)
    let job = take(pointer)
    if result != 0 { drop(pointer, .closed) }
    job.decided?(result)
  }

  private static func take(_ pointer: UnsafeMutableRawPointer?) -> LaneJob {
    guard let pointer else { fatalError("the C library returned no job") }
    return Unmanaged<LaneJob>.fromOpaque(pointer).takeRetainedValue()
  }
}
