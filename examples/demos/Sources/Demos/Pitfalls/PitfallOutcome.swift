// The outcome of a run as a sentence: its end, its silence, or its signal put into words.

internal import Glibc

/// The end of a run that came to its end.
public enum PitfallEnd: Sendable {
  /// The last line is that of a right run.
  case right
  /// The last line is another one.
  case wrong
  /// The broken version depends on chance, and this time the mistake did not show.
  case hidden
}

/// The outcome of a run.
public enum PitfallOutcome: Sendable, Equatable {
  /// The run came to its end, with its last line.
  case end(PitfallEnd, String)
  /// Nothing happened between two times in milliseconds. `mainBeat` is the last heartbeat of the
  /// main queue if it stopped.
  case silence(since: Int, until: Int, mainBeat: Int?)
  /// The run went on until its time was over, in milliseconds.
  case timeLimit(Int)
  /// A signal ended the process.
  case signal(Int32)
  /// The process exited with a status other than 0.
  case exit(Int32)

  /// The symptom, if the outcome is one.
  public var symptom: PitfallSymptom? {
    switch self {
    case .silence: .silence
    case .signal(let signal): PitfallOutcome.traps.contains(signal) ? .trap : nil
    case .end(.wrong, _): .wrong
    case .end(.right, _): .fine
    case .end(.hidden, _), .exit, .timeLimit: nil
    }
  }

  private static let traps = [SIGILL, SIGTRAP]

  /// The name of the signal of a trap.
  private static func name(of signal: Int32) -> String {
    switch signal {
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGSEGV: "SIGSEGV"
    case SIGABRT: "SIGABRT"
    case SIGKILL: "SIGKILL"
    default: "signal \(signal)"
    }
  }

  /// Returns the outcome in a sentence or two.
  public func sentence(for pitfall: Pitfall) -> String {
    switch self {
    case .end(.right, let text):
      return "It ended: \(text)."
    case .end(.wrong, let text):
      return "It ended: \(text). A right run ends: \(pitfall.rightEnd)."
    case .end(.hidden, let text):
      return "It ended: \(text). The mistake did not show."
    case .silence(let since, let until, let mainBeat):
      let quiet =
        "nothing came for \(PitfallOutcome.seconds(until - since)), and the "
        + "watchdog ended the run"
      guard let mainBeat else {
        return "Silence: \(quiet). The main queue went on."
      }
      return "Silence: \(quiet). The main queue ran no block after "
        + "\(PitfallOutcome.seconds(mainBeat))."
    case .timeLimit(let milliseconds):
      return "The run was not over after \(PitfallOutcome.seconds(milliseconds)); use a longer "
        + "--watchdog."
    case .signal(let signal) where PitfallOutcome.traps.contains(signal):
      let name = PitfallOutcome.name(of: signal)
      let text = pitfall.trapMeaning
      return text.isEmpty
        ? "A trap (\(name)) ended the process; it printed nothing."
        : "libdispatch trapped: \(text). \(name) ended the process; it printed nothing."
    case .signal(let signal):
      return "\(PitfallOutcome.name(of: signal)) ended the process."
    case .exit(let status):
      return "The process exited with status \(status) and no result."
    }
  }

  /// Returns a time as text: `0.35 s`.
  public static func seconds(_ milliseconds: Int) -> String {
    text(seconds: Double(milliseconds) / 1000)
  }
}
