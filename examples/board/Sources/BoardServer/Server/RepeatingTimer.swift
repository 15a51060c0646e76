// A timer that repeats.

import Dispatch

/// Calls a closure at regular times, as long as it exists.
///
/// @unchecked: the source is only cancelled after its creation, which is thread-safe.
final class RepeatingTimer: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(seconds: Double, on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + seconds, repeating: seconds)
    source.setEventHandler(handler: fire)
    source.resume()
  }

  deinit { source.cancel() }
}
