internal import CFileKernels
internal import WeirLibC

/// A thread that does one piece of work and can be joined.
package struct SideThread: Sendable {
  private let thread: kernel_thread_t

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread; `nil` if the system has none to give. The captures of `body` are released
  /// when it returns. The thread blocks all signals but faults: one that it took would end the
  /// process by its default action, although another thread waits for it.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var created = kernel_thread_t()
    var all = sigset_t(), before = sigset_t()
    sigfillset(&all)
    // A fault whose signal is blocked ends the process without its handler.
    for fault in [SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let error = kernel_thread_start(
      &created,
      { work in
        guard let work else { return }
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
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
    kernel_thread_detach(created.thread)
    return true
  }

  package func signal(_ number: Int32) { kernel_thread_signal(thread, number) }

  /// Waits for the end of the thread. Must be called once.
  package func join() { kernel_thread_join(thread) }
}
