// A thread for work that must not hold up the lanes.

internal import WeirLibC

/// A thread that does one piece of work and can be joined.
package struct SideThread: Sendable {
  private let thread: pthread_t

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread; `nil` if the system has none to give. The captures of `body` are
  /// released when `body` returns. The thread blocks all signals but faults: one that it
  /// could take would end the process by its default action, although another thread waits
  /// for it.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var created = pthread_t()
    var all = sigset_t(), before = sigset_t()
    sigfillset(&all)
    // A fault whose signal is blocked ends the process without its handler.
    for fault in [SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let error = pthread_create(
      &created, nil,
      { work in
        guard let work else { return nil }
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if error != 0 {
      work.release()
      return nil
    }
    thread = created
  }

  /// Starts a detached thread. Returns false if the system has none to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let created = SideThread(body) else { return false }
    pthread_detach(created.thread)
    return true
  }

  /// Sends a signal to the thread.
  package func signal(_ number: Int32) { pthread_kill(thread, number) }

  /// Waits for the end of the thread. Must be called once.
  package func join() { pthread_join(thread, nil) }
}
