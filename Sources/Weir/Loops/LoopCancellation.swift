// Concurrent loops that a task awaits: the blocking form runs on a thread of libdispatch.

internal import Synchronization

/// The cancellation state of a loop.
@usableFromInline
final class LoopCancellation: Sendable {
  private let isCancelled = Atomic(false)
  private let hasLeftOut = Atomic(false)

  init() {}

  fileprivate func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  /// Returns true if the calling stride must be left out.
  func leavesOut() -> Bool {
    guard isCancelled.load(ordering: .relaxed) else { return false }
    hasLeftOut.store(true, ordering: .relaxed)
    return true
  }

  fileprivate var cutLoopShort: Bool { hasLeftOut.load(ordering: .relaxed) }
}

/// Runs a loop outside the cooperative pool, and suspends until it ends. Throws `CancellationError`
/// if a stride was left out: an error after it may not be the first.
@usableFromInline
nonisolated(nonsending) func awaitLoop<R: Sendable>(
  _ loop: @Sendable (LoopCancellation) throws -> R
) async throws -> R {
  try Task.checkCancellation()
  let cancellation = LoopCancellation()
  let outcome = await withoutActuallyEscaping(loop) { loop in
    // When the task goes on, nothing else may hold the closure: so the queue gets the closure's
    // address, not the closure.
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

/// A closure that is called in place.
private struct LoopOfTask<R: Sendable>: ~Copyable {
  let run: @Sendable (LoopCancellation) throws -> R

  // Never inlined: its references to the closure are released when it returns.
  @inline(never)
  borrowing func outcome(_ cancellation: LoopCancellation) -> Result<R, any Error> {
    Result { try run(cancellation) }
  }
}

private nonisolated(nonsending) func outcomeOfLoop<R: Sendable>(
  at place: UnsafeMutablePointer<LoopOfTask<R>>, _ cancellation: LoopCancellation
) async -> Result<R, any Error> {
  // nonisolated(unsafe): the task does not use it until it is resumed.
  nonisolated(unsafe) let place = place
  return await withTaskCancellationHandler {
    await onOwnThread("weir.loop") { place.pointee.outcome(cancellation) }
  } onCancel: {
    cancellation.cancel()
  }
}
