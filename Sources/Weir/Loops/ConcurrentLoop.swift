// A loop on all cores, by ranges.
//
// Of the four loops this one alone is not inlined into the user's module: its
// body loops itself, so what it costs to call it is shared by a whole stride.

/// Runs the iterations of a range on all cores, and returns when all have run.
///
///     func squares(_ count: Int) -> Int {
///       let total = Atomic(0)
///       concurrentLoop(0..<count) { range in
///         let sum = range.reduce(0) { $0 + $1 * $1 }
///         total.add(sum, ordering: .relaxed)
///       }
///       return total.load(ordering: .relaxed)
///     }
///
/// The body is given a stride of iterations at a time, and loops over them
/// itself: so a loop whose iterations take a nanosecond is worth sharing out.
/// Strides start in order, several at once, and every index is in exactly one.
///
/// When the body throws, no new stride starts; those that have been started run
/// to their end. Every stride before one that failed has been started, so the
/// error that is thrown is that of the first stride that fails: the one that a
/// plain loop would have thrown, at any number of cores.
///
/// Loops may be nested. The body is called on the calling thread and on threads
/// of libdispatch, where there is no current task: no task-local values, and
/// `Task.isCancelled` is false. This form does not look at cancellation, since a
/// loop that cannot throw could not say that it has stopped early.
///
/// - Parameters:
///   - range: The iterations; an empty range calls nothing.
///   - stride: How many of them a call of the body is given.
///   - body: What is done for a stride, called by several threads at once.
///
/// - Throws: The first error of the body, by index.
///
/// - Complexity: O(`range.count` / stride) besides the body's own, for a stride
///   is claimed by one atomic operation.
///
/// Blocks: yes, until the loop is over; the calling thread takes part in it.
///
/// The corresponding C function is `weir_apply_while_f`.
@available(
  *, noasync, message: "use the async form, which suspends; at the top level: in an async function"
)
@_disfavoredOverload
public func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: Stride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) throws(E) {
  let run = LoopRun<E>()
  run.loop(range, stride, body)
  try run.finish()
}

/// Runs the iterations of a range on all cores, and suspends until all have run.
///
///     try await concurrentLoop(0..<rows) { range in
///       for row in range { shade(row) }
///     }
///
/// As the blocking form, but that the loop runs on threads of libdispatch alone,
/// so that the cooperative pool stays free, and that it can be cancelled: once
/// the task is, no new stride starts.
///
/// - Parameters:
///   - range: The iterations; an empty range calls nothing.
///   - stride: How many of them a call of the body is given.
///   - body: What is done for a stride, called by several threads at once. It
///     does not suspend; `Task.isCancelled` is false in it.
///
/// - Throws: The first error of the body, by index. `CancellationError` where
///   the task is cancelled before the loop begins, and where a stride did not
///   run because of it, whatever the body threw.
///
/// - Complexity: O(`range.count` / stride) besides the body's own, for a stride
///   is claimed by one atomic operation.
///
/// Blocks: no.
///
/// The corresponding C function is `weir_apply_while_f`.
public nonisolated(nonsending) func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: Stride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) async throws {
  try await awaitLoop { cancellation in
    let run = LoopRun<E>(cancellation)
    run.loop(range, stride, body)
    try run.finish()
  }
}

extension LoopRun {
  /// Offsets wrap: a range can have more indices than an `Int` can say.
  fileprivate func loop(
    _ range: Range<Int>, _ stride: Stride, _ body: @Sendable (Range<Int>) throws(Failure) -> Void
  ) {
    let start = range.lowerBound
    run(range.upperBound &- start, stride) { begin, end in
      do throws(Failure) {
        try body(start &+ begin..<start &+ end)
        return true
      } catch {
        return self.fail(error, begin, end)
      }
    }
  }
}
