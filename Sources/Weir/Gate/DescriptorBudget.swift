// The descriptor budget of the process.

internal import CWeir
public import Dispatch
public import SystemPackage

/// How many file descriptors this process may spend, and who spends them.
///
///     try DescriptorBudget.withDescriptors(2) {
///       let pipe = try FileDescriptor.pipe()
///       try pipe.writeEnd.close()
///       try pipe.readEnd.close()
///     }
///
/// There is one budget for the whole process, shared by C and Swift: the permits
/// of ``gate``. A ``FileProcessor`` takes its own; a program that opens pipes,
/// sockets or files itself asks with `withDescriptors(_:timeout:_:)`. Who needs
/// several asks for all of them at once, and for no more while holding them: two
/// that each hold half of what both need would wait for ever.
///
/// The corresponding C header is `weir/descriptors.h`.
public enum DescriptorBudget {
  /// How many descriptors this process may have open.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_descriptor_limit` (`getdtablesize`).
  public static var limit: Int {
    Int(clamping: weir_descriptor_limit())
  }

  /// How many descriptors Weir will have open at once: half of the limit, less
  /// what was open when this was first asked for, at least 1; fewer while
  /// descriptors turned out to be short.
  ///
  /// Blocks: no. The first call opens a descriptor for a moment.
  ///
  /// The corresponding C function is `weir_descriptor_budget`.
  public static var total: Int {
    Int(clamping: weir_descriptor_budget())
  }

  /// Makes the budget what the caller knows better.
  ///
  /// - Parameter total: How many permits there are to be, 1 to 1,048,576.
  /// - Throws: `Errno.invalidArgument` for any other number.
  /// - Complexity: O(*waiting*): who waits may be let through.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_descriptor_set_budget`.
  public static func setTotal(_ total: Int) throws(Errno) {
    // A negative number is a huge one to C, which refuses it.
    try check(weir_descriptor_set_budget(total))
  }

  /// Lifts the limit of open descriptors as far as the hard one allows and the
  /// budget could spend, and the budget with it.
  ///
  /// For the whole process, and for good. A program that uses `select` must not:
  /// it knows descriptors below 1,024 alone. Children inherit the limit; those of
  /// `weir_spawn` get the one that the program was started with.
  ///
  /// - Throws: What `setrlimit(2)` said.
  ///
  /// Blocks: no. Safe to call again, and from any thread.
  ///
  /// The corresponding C function is `weir_descriptor_raise_limit`.
  public static func raiseLimit() throws(Errno) {
    try check(weir_descriptor_raise_limit())
  }

  /// How many permits are out now, and the most that ever were.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_stats`, on
  /// `weir_descriptor_gate`.
  public static var usage: (inUse: Int, peak: Int) {
    let statistics = shared.statistics
    return (statistics.inUse, statistics.peak)
  }

  /// The gate of the budget, a permit a descriptor.
  ///
  ///     let permit = try await DescriptorBudget.gate.acquire()
  ///     let file = try FileDescriptor.open("/etc/hosts", .readOnly)
  ///     try file.close()
  ///     permit.release()
  ///
  /// Not to be closed or resized: ``setTotal(_:)`` does the latter.
  ///
  /// Blocks: no. The first call opens a descriptor for a moment.
  ///
  /// The corresponding C function is `weir_descriptor_gate`.
  public static var gate: Gate {
    _ = weir_descriptor_gate()  // who asks lets a shrunken budget grow back
    return shared
  }

  private static let shared = Gate(retaining: weir_descriptor_gate(), label: "descriptors")

  /// Runs `body` once that many descriptors may be opened, and gives them back
  /// afterwards: by then they are to be closed.
  ///
  ///     try DescriptorBudget.withDescriptors(2) {
  ///       let pipe = try FileDescriptor.pipe()
  ///       try pipe.writeEnd.close()
  ///       try pipe.readEnd.close()
  ///     }
  ///
  /// - Parameters:
  ///   - count: How many `body` opens at most at a time; 0 or more.
  ///   - timeout: When to give up.
  ///   - body: Called once, on this thread, unless the descriptors are not to be
  ///     had.
  /// - Returns: What `body` returns.
  /// - Throws: `GateError.tooMany` where the budget is smaller, now or while this
  ///   waits: then one that asks for fewer may succeed. `GateError.timedOut`, or
  ///   what `body` throws.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until it is its turn and the descriptors are free.
  ///
  /// The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`,
  /// on `weir_descriptor_gate`.
  @available(
    *, noasync,
    message:
      "use the async form: try await DescriptorBudget.withDescriptors(n) { }; at the top level: in an async function"
  )
  @_disfavoredOverload
  public static func withDescriptors<R: ~Copyable>(
    _ count: Int, timeout: DispatchTime = .distantFuture, _ body: () throws -> R
  ) throws -> R {
    try gate.withPermits(count, timeout: timeout, body)
  }

  /// Runs `body` once that many descriptors may be opened, and gives them back
  /// afterwards: by then they are to be closed.
  ///
  ///     try await DescriptorBudget.withDescriptors(2) {
  ///       let pipe = try FileDescriptor.pipe()
  ///       await Task.yield()
  ///       try pipe.writeEnd.close()
  ///       try pipe.readEnd.close()
  ///     }
  ///
  /// - Parameters:
  ///   - count: How many `body` opens at most at a time; 0 or more.
  ///   - timeout: When to give up.
  ///   - body: Called once, where the caller is, unless the descriptors are not to
  ///     be had.
  /// - Returns: What `body` returns.
  /// - Throws: `GateError.tooMany` where the budget is smaller, now or while this
  ///   waits: then one that asks for fewer may succeed. `GateError.timedOut`,
  ///   `CancellationError`, or what `body` throws.
  /// - Complexity: O(1); a time-out that is waited for costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`, on `weir_descriptor_gate`.
  nonisolated(nonsending) public static func withDescriptors<R>(
    _ count: Int, timeout: DispatchTime = .distantFuture,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await gate.withPermits(count, timeout: timeout, body)
  }

  /// Calls what opens a descriptor, and again while the system has none left: the
  /// budget then shrinks to what there is, and grows back later.
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
  /// - Parameter open: Called until it succeeds or throws anything but
  ///   `Errno.tooManyOpenFiles`, `Errno.tooManyOpenFilesInSystem` and
  ///   `Errno.interrupted`; for about ten seconds.
  /// - Returns: What `open` returns.
  /// - Throws: What `open` threw last.
  ///
  /// Blocks: for 5 ms before each further try. To be called with a permit, for
  /// each descriptor that `open` makes.
  ///
  /// The corresponding C function is `weir_descriptor_retry`.
  @available(
    *, noasync,
    message:
      "use the async form: try await DescriptorBudget.retrying { }; at the top level: in an async function"
  )
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

  /// Calls what opens a descriptor, and again while the system has none left: the
  /// budget then shrinks to what there is, and grows back later.
  ///
  ///     let file = try await DescriptorBudget.withDescriptors(1) {
  ///       try await DescriptorBudget.retrying { () async throws(Errno) in
  ///         do {
  ///           return try FileDescriptor.open("/etc/hosts", .readOnly)
  ///         } catch {
  ///           throw error as? Errno ?? .ioError
  ///         }
  ///       }
  ///     }
  ///     try file.close()
  ///
  /// - Parameter open: Called, where the caller is, until it succeeds or throws
  ///   anything but `Errno.tooManyOpenFiles`, `Errno.tooManyOpenFilesInSystem` and
  ///   `Errno.interrupted`; 2,000 times at most; and not again once the task is
  ///   cancelled.
  /// - Returns: What `open` returns.
  /// - Throws: What `open` threw last.
  ///
  /// Blocks: no. It suspends for 5 ms before each further try; tasks that are
  /// short of descriptors at the same time do so one after the other. To be called
  /// with a permit, for each descriptor that `open` makes.
  ///
  /// The corresponding C function is `weir_descriptor_retry`.
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

  /// The pause is on a thread of Weir's own: for a timer libdispatch would open
  /// descriptors, and there are none.
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

  private static func check(_ error: Int32) throws(Errno) {
    if error != 0 { throw Errno(rawValue: error) }
  }
}
