// Signals, without descriptors and without handlers.

internal import FileJobs
internal import Glibc

/// The signals that a run answers.
///
/// They are blocked before there is a second thread, so in all threads, and one
/// thread waits for them. A dispatch source for signals costs descriptors, which
/// at `ulimit -n 8` are not there; a handler may do next to nothing, and a flag
/// that it sets is not looked at by a thread that is blocked in a read.
struct Signals: Sendable {
  /// Ends the program: SIGINT, SIGTERM, SIGHUP; what was ignored when the
  /// program began stays so (nohup).
  private let ending: [Int32]
  /// All that is waited for.
  private let all: [Int32]

  /// Wakes the waiting thread. Nobody else sends it, and it is ignored where it
  /// is not blocked.
  private static let wake = SIGURG

  /// What was waited for.
  enum Event: Equatable {
    /// It is to end, by this signal.
    case end(Int32)
    /// Somebody asks how far it has come.
    case inquiry
    /// ``wake(_:)``, or nothing that is known.
    case woken
    /// The time is over.
    case timeout
  }

  /// - Parameter ending: What is to be waited for, of what ends the program. The rest
  ///   does what it does by default.
  init(ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
    self.ending = ending.filter { !Signals.isIgnored($0) }
    all = ending + [SIGUSR1].filter { !Signals.isIgnored($0) } + [Signals.wake]
  }

  /// Keeps inquiries waiting, from the first steps of the program on: by default they
  /// are its end, and a script may ask at once. Who has something to say answers
  /// later; the others end without a word of it.
  static func holdInquiries() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Keeps them from this thread and those that it starts from now on.
  func block() { change(SIG_BLOCK) }

  /// Lets them do again what they do by default. An inquiry that comes too late
  /// would by default be the end, and is ignored.
  func unblock() {
    signal(SIGUSR1, SIG_IGN)
    change(SIG_UNBLOCK)
  }

  /// Waits for one.
  ///
  /// - Parameter seconds: How long; `nil` for as long as it takes.
  func wait(seconds: Double?) -> Event {
    var set = signalSet
    var number: Int32 = -1
    if let seconds {
      let whole = Int(seconds)
      var time = timespec(tv_sec: whole, tv_nsec: Int((seconds - Double(whole)) * 1e9))
      number = sigtimedwait(&set, nil, &time)
      if number < 0 { return errno == EAGAIN ? .timeout : .woken }
    } else {
      number = sigtimedwait(&set, nil, nil)
    }
    if ending.contains(number) { return .end(number) }
    return number == SIGUSR1 ? .inquiry : .woken
  }

  /// One that has come and was not waited for yet; a timeout where there is none.
  func last() -> Event { wait(seconds: 0) }

  /// Wakes the thread that waits.
  static func wake(_ thread: SideThread) {
    thread.signal(wake)
  }

  /// Ends the process by a signal, as if nobody had waited for it.
  static func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
    exit(128 + number)
  }

  private var signalSet: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in all { sigaddset(&set, number) }
    return set
  }

  private func change(_ how: Int32) {
    var set = signalSet
    pthread_sigmask(how, &set, nil)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
  }
}
