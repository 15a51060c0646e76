// Loops that a task waits for.
//
// The whole loop, as the blocking form has it, runs on a thread of libdispatch
// while the task is suspended. It starts from a serial queue of its own: a
// serial queue gets a thread at once, where a global one may have to wait for a
// thread that is busy, and on one queue for all a loop would wait for others
// that have nothing to do with it, or for ever where they wait for it.

internal import Dispatch
internal import Synchronization

/// Tells a loop that its task is cancelled.
@usableFromInline
final class LoopCancellation: Sendable {
  private let isCancelled = Atomic(false)
  private let hasLeftOut = Atomic(false)

  init() {}

  fileprivate func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  /// Whether the stride that asks is to be left out.
  func leavesOut() -> Bool {
    guard isCancelled.load(ordering: .relaxed) else { return false }
    hasLeftOut.store(true, ordering: .relaxed)
    return true
  }

  fileprivate var cutLoopShort: Bool { hasLeftOut.load(ordering: .relaxed) }
}

/// Runs a loop off the cooperative pool, and suspends until it is over.
///
/// Throws `CancellationError` where a stride was left out, whatever else went
/// wrong: an error that comes after a stride that did not run may not be the
/// first.
@usableFromInline
nonisolated(nonsending) func awaitLoop<R: Sendable>(
  _ loop: @Sendable (LoopCancellation) throws -> R
) async throws -> R {
  try Task.checkCancellation()
  let cancellation = LoopCancellation()
  let outcome = await withoutActuallyEscaping(loop) { loop in
    // Once the task goes on, nobody else may hold the closure: so the queue is
    // given its place, not the closure.
    let place = UnsafeMutablePointer<LoopOfTask<R>>.allocate(capacity: 1)
    place.initialize(to: LoopOfTask(run: loop))
    defer {
      place.deinitialize(count: 1)
      place.deallocate()
    }
    return await outcomeOfLoop(at: place, cancellation)
  }
  if cancellation.cutLoopShort { throw CancellationError() }
  return try outcome.get()
}

/// A closure that is called where it lies.
private struct LoopOfTask<R: Sendable>: ~Copyable {
  let run: @Sendable (LoopCancellation) throws -> R

  // Never inlined: what it holds of the closure is let go when it returns.
  @inline(never)
  borrowing func outcome(_ cancellation: LoopCancellation) -> Result<R, any Error> {
    Result { try run(cancellation) }
  }
}

private nonisolated(nonsending) func outcomeOfLoop<R: Sendable>(
  at place: UnsafeMutablePointer<LoopOfTask<R>>, _ cancellation: LoopCancellation
) async -> Result<R, any Error> {
  // nonisolated(unsafe): the task does not touch it before it is resumed.
  nonisolated(unsafe) let place = place
  return await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "weir.loop").async {
        continuation.resume(returning: place.pointee.outcome(cancellation))
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
}
