// The descriptor budget of the process.

internal import CWeir
internal import Dispatch
public import SystemPackage

/// The number of file descriptors that this process may open, and its use.
///
/// C and Swift share one budget for the whole process: the permits of ``gate``. A ``FileProcessor``
/// takes its own. A program that opens pipes, sockets or files itself calls
/// `withDescriptors(_:timeout:_:)`, for all descriptors that it needs at once, and for no more
/// while it holds them.
///
/// The corresponding C header is `weir/descriptors.h`.
public enum DescriptorBudget {
  /// The number of descriptors that this process may have open.
  package static var limit: Int {
    Int(clamping: weir_descriptor_limit())
  }

  /// The number of descriptors that Weir opens at once: half of the limit, less those that were
  /// open at the first call, at least 1. It shrinks while the system has too few descriptors.
  /// Blocks: no. The first call opens a descriptor for a moment. The corresponding C function is
  /// `weir_descriptor_budget`.
  public static var total: Int {
    Int(clamping: weir_descriptor_budget())
  }

  /// Raises the soft limit of open descriptors as far as the hard limit allows and the budget can
  /// use, and raises the budget with it. A program that uses `select` must not call this function:
  /// `select` knows descriptors below 1,024 only. Children inherit the limit; a ``ChildProcess``
  /// gets the former limit.
  ///
  /// - Throws: The error of `setrlimit(2)`.
  ///
  /// Blocks: no. Safe to call again, and from any thread. The corresponding C function is
  /// `weir_descriptor_raise_limit`.
  public static func raiseLimit() throws(Errno) {
    try check(weir_descriptor_raise_limit())
  }

  /// The gate of the budget, with one permit for each descriptor. It must not be closed or resized.
  /// Blocks: no. The first call opens a descriptor for a moment. The corresponding C function is
  /// `weir_descriptor_gate`.
  public static var gate: Gate {
    _ = weir_descriptor_gate()  // this call lets a shrunken budget grow again
    return shared
  }

  private static let shared = Gate(budget: weir_descriptor_gate())

  /// Runs `body` when a number of descriptors may be opened, and releases the permits
  /// afterwards. `body` must have closed the descriptors by then.
  ///
  /// - Parameters:
  ///   - count: The number of descriptors that `body` opens at a time; 0 or more.
  ///   - body: Called once, on this thread, unless the permits cannot be obtained.
  /// - Throws: ``TimeoutError``, ``GateError/tooMany`` if the budget is smaller than `count`, now
  ///   or during the wait (a smaller request may then succeed), or the error of `body`.
  /// Blocks: yes, until the permits are free and no earlier caller waits. The corresponding C
  /// functions are `weir_gate_wait` and `weir_gate_signal`, on `weir_descriptor_gate`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public static func withDescriptors<R: ~Copyable>(
    _ count: Int, timeout: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: () throws -> R
  ) throws -> R {
    try gate.withPermits(count, timeout: timeout, fileID: fileID, line: line, body)
  }

  /// Runs `body` when a number of descriptors may be opened; otherwise like the blocking form.
  ///
  ///     import SystemPackage
  ///
  ///     try await DescriptorBudget.withDescriptors(2) {
  ///       let pipe = try FileDescriptor.pipe()
  ///       await Task.yield()
  ///       try pipe.writeEnd.close()
  ///       try pipe.readEnd.close()
  ///     }
  ///
  /// - Parameters:
  ///   - body: Called once, on the caller's actor, unless the permits cannot be obtained.
  /// - Throws: Also `CancellationError`.
  ///
  /// Blocks: no, it suspends. The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`, on `weir_descriptor_gate`.
  nonisolated(nonsending) public static func withDescriptors<R>(
    _ count: Int, timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await gate.withPermits(
      count, timeout: timeout, clock: clock, fileID: fileID, line: line, body)
  }

  /// Opens a descriptor, and tries again as long as the system has none left. Meanwhile
  /// the budget shrinks to the number that is open; it grows again later.
  ///
  ///     import SystemPackage
  ///
  ///     let file = try DescriptorBudget.withDescriptors(1) {
  ///       try DescriptorBudget.retrying { () throws(Errno) in
  ///         do {
  ///           return try FileDescriptor.open("/etc/hosts", .readOnly)
  ///         } catch {
  ///           throw error as? Errno ?? .ioError
  ///         }
  ///       }
  ///     }
  ///     try file.close()
  ///
  /// - Parameter open: Called until it succeeds or throws anything but `Errno.tooManyOpenFiles`,
  ///   `Errno.tooManyOpenFilesInSystem` and `Errno.interrupted`; for about ten seconds. The caller
  ///   must hold a permit for each descriptor that `open` creates.
  /// - Throws: The last error of `open`.
  ///
  /// Blocks: for 5 ms before each further try. The corresponding C function is
  /// `weir_descriptor_retry`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public static func retrying<R: ~Copyable>(
    _ open: () throws(Errno) -> R
  ) throws(Errno) -> R {
    var attempt = 0
    while true {
      attempt += 1
      do throws(Errno) {
        let opened = try open()
        _ = weir_descriptor_retry(0, attempt)
        return opened
      } catch {
        if !weir_descriptor_retry(error.rawValue, attempt) { throw error }
      }
    }
  }

  /// Opens a descriptor, and tries again as long as the system has none left; otherwise like the
  /// blocking form.
  ///
  /// - Parameter open: Called on the caller's actor, until it succeeds, throws any other error, or
  ///   the task is cancelled; 2,000 times at most.
  ///
  /// Blocks: no. It suspends for 5 ms before each further try. The corresponding C function is
  /// `weir_descriptor_retry`.
  nonisolated(nonsending) public static func retrying<R: ~Copyable>(
    _ open: nonisolated(nonsending) () async throws(Errno) -> R
  ) async throws(Errno) -> R {
    var attempt = 0
    while true {
      attempt += 1
      do throws(Errno) {
        let opened = try await open()
        _ = weir_descriptor_retry(0, attempt)
        return opened
      } catch {
        let isWorthIt = await isWorthRetrying(error, attempt)
        if !isWorthIt || Task.isCancelled { throw error }
      }
    }
  }

  /// Returns true if another try makes sense, after a pause. The pause is on a thread of
  /// Weir: for a timer libdispatch would open descriptors, and none are left.
  nonisolated(nonsending) private static func isWorthRetrying(
    _ error: Errno, _ attempt: Int
  ) async -> Bool {
    guard error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem else {
      return weir_descriptor_retry(error.rawValue, attempt)
    }
    return await withCheckedContinuation { continuation in
      pauses.async {
        continuation.resume(returning: weir_descriptor_retry(error.rawValue, attempt))
      }
    }
  }

  private static let pauses = DispatchQueue(label: "weir.descriptors")
}
