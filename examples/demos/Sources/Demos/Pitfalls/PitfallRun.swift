// The process of a run: a version of a pitfall, with two heartbeats.
//
// DESIGN. The lines that the program prints are its steps. Between them are the heartbeats, lines
// that begin with a control character. The heartbeat of the process comes from a thread of its
// own, which needs neither libdispatch nor Swift's pool: the pitfalls stop both. Without a reader
// the heartbeat fails, and the process exits: so none outlives its parent, even one that was
// killed.

internal import Dispatch
@preconcurrency internal import Foundation
@preconcurrency internal import Glibc
internal import Synchronization

/// A process that runs one version of a pitfall.
///
/// The broken versions deadlock, trap and exhaust the thread pool, so a run needs a process of
/// its own, which some other process watches.
public enum PitfallRun {
  private static let answered = Atomic<Bool>(true)

  /// Runs a version in this process, for another one that reads its steps and heartbeats.
  public static func runWatched(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    Thread.detachNewThread {
      while true {
        beat()
        usleep(50_000)
      }
    }
    run(pitfall, version)
  }

  /// Runs a version in this process, for a person with a debugger.
  public static func run(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    // A line is written at once and whole.
    setvbuf(stdout, nil, _IOLBF, 0)
    pitfall.program(version)()
    exit(0)
  }

  /// Reports a heartbeat of the process, and asks the main queue for one of its own.
  private static func beat() {
    write(.processBeat)
    // A queue that does not answer is asked only once.
    guard answered.exchange(false, ordering: .relaxed) else { return }
    DispatchQueue.main.async {
      write(.mainBeat)
      answered.store(true, ordering: .relaxed)
    }
  }

  private static func write(_ beat: PitfallEvent.Kind) {
    let bytes = Array("\(beat.line)\n".utf8)
    if Glibc.write(STDOUT_FILENO, bytes, bytes.count) < 0 { _exit(1) }
  }
}

/// An event of a running pitfall.
public struct PitfallEvent: Sendable, Equatable {
  /// The kind of an event.
  public enum Kind: Sendable {
    /// A line of the program.
    case step
    /// A heartbeat of a thread outside of libdispatch: the process runs.
    case processBeat
    /// A heartbeat of the main queue.
    case mainBeat

    /// The line of a heartbeat.
    var line: String { self == .processBeat ? "\u{1}beat" : "\u{1}main" }
  }

  /// The time of its arrival since the start, in milliseconds.
  public let milliseconds: Int
  /// The kind.
  public let kind: Kind
  /// The line of a step.
  public let text: String

  init(milliseconds: Int, line: String) {
    self.milliseconds = milliseconds
    kind = [.processBeat, .mainBeat].first { $0.line == line } ?? .step
    text = kind == .step ? line : ""
  }
}
