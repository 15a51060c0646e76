// A concurrent loop over ranges. Unlike the other three it is not inlined into the user's module:
// its body contains a loop, so the cost of a call is shared by a whole stride.

/// Runs the iterations of a range on all cores; returns after the last one.
///
///     import Synchronization
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
/// The body receives a stride of iterations at a time, and loops over them itself. So the function
/// pays even for iterations of a nanosecond. Strides start in order, several at once, and every
/// index is in exactly one stride.
///
/// If the body throws, no new stride starts; strides in progress run to their end. Every earlier
/// stride was started, so the thrown error is that of the first failed one, on any number of cores.
///
/// Loops may be nested. The body is called on the calling thread and on threads of libdispatch,
/// without a current task: there are no task-local values, and `Task.isCancelled` is false. This
/// form ignores cancellation.
///
/// - Parameters:
///   - range: The iterations. For an empty range the body is not called.
///   - stride: The number of iterations per call of the body.
///   - body: The loop over one stride, called by several threads at once.
/// - Throws: The first error of the body, by index.
/// - Complexity: O(`range.count` / stride) atomic operations in addition to the body.
///
/// Blocks: yes, until the loop ends; the calling thread takes part in it. The corresponding C
/// function is `weir_apply_while_f`.
@available(*, noasync, message: "use the form with await; at the top level: in an async function")
@_disfavoredOverload
public func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: LoopStride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) throws(E) {
  try LoopRun<E>().loop(range, stride, body)
}

/// Runs the iterations of a range on all cores; suspends until after the last one.
///
///     try await concurrentLoop(0..<rows) { range in
///       for row in range { shade(row) }
///     }
///
/// Like the blocking form, on threads of libdispatch. After a cancellation of the task no new
/// stride starts. The body does not suspend.
///
/// - Throws: The first error of the body, by index. `CancellationError` if the task is cancelled
///   before the loop, or if a stride did not run because of it, whatever the body threw.
///
/// Blocks: no. The corresponding C function is `weir_apply_while_f`.
public nonisolated(nonsending) func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: LoopStride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) async throws {
  try await awaitLoop { cancellation in
    try LoopRun<E>(cancellation).loop(range, stride, body)
  }
}

extension LoopRun {
  /// Offsets wrap: a range can have more indices than `Int.max`.
  fileprivate func loop(
    _ range: Range<Int>, _ stride: LoopStride,
    _ body: @Sendable (Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let start = range.lowerBound
    run(range.upperBound &- start, stride, ()) { _, _, begin, end in
      do throws(Failure) {
        try body(start &+ begin..<start &+ end)
        return true
      } catch {
        return self.fail(error, begin, end)
      }
    }
    try finish()
  }
}
