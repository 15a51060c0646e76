// A run of a pitfall, seen from its body: the steps, the clock, and the end; and its process.
//
// DESIGN. The heartbeat of the process comes from a thread of its own, which needs neither
// libdispatch nor Swift's pool: the pitfalls stop both. Without a reader the heartbeat fails, and
// the process exits: so none outlives its parent, even one that was killed.

internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A run of one version of a pitfall.
///
/// The broken versions deadlock, trap and exhaust the thread pool, so a run needs a process of
/// its own, which some other process watches.
public final class PitfallRun: Sendable {
  private let begin = DispatchTime.now().uptimeNanoseconds
  private let take: @Sendable (PitfallEvent) -> Void
  private let answered = Atomic<Bool>(true)

  private init(_ take: @escaping @Sendable (PitfallEvent) -> Void) { self.take = take }

  /// Runs a version in this process, for another one: the output is events, one a line.
  public static func runWatched(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    let run = PitfallRun { event in
      write(event.line)
      if case .end = event.kind { _exit(0) }
    }
    Thread.detachNewThread {
      while true {
        run.beat()
        usleep(50_000)
      }
    }
    run.start(pitfall, version)
  }

  /// Runs a version in this process, for a person with a debugger: the output is steps and the end.
  public static func run(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    PitfallRun { event in
      switch event.kind {
      case .step: write("\(PitfallOutcome.seconds(event.milliseconds))  \(event.text)")
      case .end(let end):
        write(event.text)
        _exit(end == .right || end == .fine ? 0 : 1)
      default: break
      }
    }.start(pitfall, version)
  }

  /// Starts a version, and runs the main queue forever.
  private func start(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    DispatchQueue.main.async { version.body(of: pitfall)(self) }
    dispatchMain()
  }

  /// Reports a heartbeat of the process, and asks the main queue for one of its own.
  private func beat() {
    emit(.processBeat)
    // A queue that does not answer is asked only once.
    guard answered.exchange(false, ordering: .relaxed) else { return }
    DispatchQueue.main.async {
      self.emit(.mainBeat)
      self.answered.store(true, ordering: .relaxed)
    }
  }

  /// Writes a line in one call, so that lines of several threads do not mix.
  private static func write(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if Glibc.write(STDOUT_FILENO, bytes, bytes.count) < 0 { _exit(1) }
  }

  // MARK: - For the bodies

  /// Reports a step.
  func report(_ text: String) { emit(.step, text) }

  /// Reports the end.
  func end(_ end: PitfallEnd, _ text: String) { emit(.end(end), text) }

  /// The milliseconds since the start.
  var milliseconds: Int { Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000) }

  private func emit(_ kind: PitfallEvent.Kind, _ text: String = "") {
    take(PitfallEvent(milliseconds: milliseconds, kind: kind, text: text))
  }
}

/// Blocks the thread, as a slow call does.
func block(milliseconds: Int) {
  var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
  var left = timespec()
  while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
}

/// A count that threads share.
final class SharedCount: Sendable {
  private let atomic = Atomic<Int>(0)

  var value: Int { atomic.load(ordering: .relaxed) }

  /// Adds a number without interruption, and returns the new count.
  @discardableResult
  func add(_ number: Int = 1) -> Int { atomic.wrappingAdd(number, ordering: .relaxed).newValue }

  /// Adds one as `count += 1` does: a load, and later a store. Both are atomic, which changes
  /// nothing about the lost updates, and gives them a defined meaning.
  func addUnprotected() {
    atomic.store(atomic.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  func reset() { atomic.store(0, ordering: .relaxed) }
}
