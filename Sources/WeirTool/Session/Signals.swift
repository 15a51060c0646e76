internal import CFileKernels
internal import FileJobs
internal import WeirLibC

/// The signals that a run answers.
///
/// The signals are blocked before there is a second thread, and so in all threads; one
/// thread waits for them. A dispatch source for signals needs descriptors, of which
/// `ulimit -n 8` leaves none. A handler may do next to nothing, and a thread that is
/// blocked in a read does not notice a flag that a handler sets.
struct Signals: Sendable {
  /// The signals that end the program: SIGINT, SIGTERM, SIGHUP, unless they were
  /// ignored when the program started (nohup).
  private let ending: [Int32]
  private let all: [Int32]

  /// The signal that wakes the waiting thread. No other program sends it, and it is
  /// ignored if it is not blocked.
  private static let wake = SIGURG

  enum Event: Equatable {
    case end(Int32)
    /// SIGUSR1, which requests a report on the progress.
    case inquiry
    /// SIGTSTP, as by Ctrl-Z.
    case stop
    /// A call of ``wake(_:)``, or an unknown reason.
    case woken
    /// The end of the time.
    case timeout
  }

  /// - Parameter ending: The signals to wait for among those that end the program. All
  ///   others keep their default action.
  init(ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
    self.ending = ending.filter { !kernel_signal_is_ignored($0) }
    let others = [SIGUSR1, SIGTSTP].filter { !kernel_signal_is_ignored($0) }
    all = self.ending + others + [Signals.wake]
  }

  /// Blocks SIGUSR1 from the start of the program. Its default action ends the process,
  /// and a script may send it at once. A run answers the signal later; any other command
  /// never does.
  static func holdInquiries() {
    change(SIG_BLOCK, [SIGUSR1])
  }

  /// Blocks the signals in this thread and in the threads that it starts afterwards.
  func block() { Signals.change(SIG_BLOCK, all + [SIGCONT]) }

  /// Restores the default actions of the signals, but ignores SIGUSR1, whose default
  /// action ends the process.
  func unblock() {
    signal(SIGUSR1, SIG_IGN)
    Signals.change(SIG_UNBLOCK, all + [SIGCONT])
  }

  /// - Parameter seconds: The longest time to wait; `nil` for no limit.
  func wait(seconds: Double?) -> Event {
    var set = Signals.set(of: all)
    let number = kernel_signal_wait(&set, seconds.map { Int64($0 * 1e9) } ?? -1)
    if number < 0 { return seconds != nil && errno == EAGAIN ? .timeout : .woken }
    if ending.contains(number) { return .end(number) }
    return number == SIGUSR1 ? .inquiry : number == SIGTSTP ? .stop : .woken
  }

  func pending() -> Event { wait(seconds: 0) }

  static func wake(_ thread: SideThread) {
    thread.signal(wake)
  }

  /// Stops the process, as SIGTSTP does by default. Returns when it is continued.
  static func stopProcess() {
    // A SIGCONT that came after the SIGTSTP: each takes the other from those that wait.
    var waiting = sigset_t()
    if sigpending(&waiting) == 0 && sigismember(&waiting, SIGCONT) == 1 { return }
    change(SIG_UNBLOCK, [SIGTSTP])
    raise(SIGTSTP)
    change(SIG_BLOCK, [SIGTSTP])
  }

  /// Ends the process by the default action of a signal.
  static func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    change(SIG_UNBLOCK, [number])
    kill(getpid(), number)
    exit(128 + number)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  private static func change(_ how: Int32, _ numbers: [Int32]) {
    var set = set(of: numbers)
    pthread_sigmask(how, &set, nil)
  }
}
