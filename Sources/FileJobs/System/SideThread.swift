// A thread of its own for what is done beside the lanes.

internal import Glibc

/// A thread that does one thing, and is waited for.
package struct SideThread: Sendable {
  private let thread: pthread_t

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts one; `nil` where the system has none to give. What is captured is let
  /// go of when the work is done.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var made = pthread_t()
    let error = pthread_create(
      &made, nil,
      { work in
        guard let work else { return nil }
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if error != 0 {
      work.release()
      return nil
    }
    thread = made
  }

  /// Starts one that nobody waits for. Returns whether there is one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let made = SideThread(body) else { return false }
    pthread_detach(made.thread)
    return true
  }

  /// Sends it a signal.
  package func signal(_ number: Int32) { pthread_kill(thread, number) }

  /// Waits for its end. To be called once.
  package func join() { pthread_join(thread, nil) }
}
