// Blocking calls of tasks.

internal import Dispatch

/// Runs a blocking closure outside the cooperative pool, while the task is suspended.
///
/// Each call has a serial queue of its own, which gets a thread at once. A global queue may have
/// to wait for a busy thread, and libdispatch would open three descriptors for it.
nonisolated(nonsending) func onOwnThread<R: Sendable>(
  _ label: String, _ body: @escaping @Sendable () -> R
) async -> R {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: label).async { continuation.resume(returning: body()) }
  }
}
