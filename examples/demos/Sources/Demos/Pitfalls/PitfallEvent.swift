// The events of a running pitfall, and their form as lines of text between two processes.

/// The end of a run that came to its end.
public enum PitfallEnd: String, Sendable {
  /// The result is right.
  case right
  /// The result is wrong.
  case wrong
  /// The result is right and came late.
  case slow
  /// The broken version did no harm.
  case fine
  /// The broken version depends on chance, and this time the mistake did not show.
  case hidden
}

/// An event of a running pitfall.
public struct PitfallEvent: Sendable, Equatable {
  /// The kind of an event.
  public enum Kind: Sendable, Equatable {
    /// A step of the body.
    case step
    /// A heartbeat of a thread outside of libdispatch: the process runs.
    case processBeat
    /// A heartbeat of the main queue.
    case mainBeat
    /// The end.
    case end(PitfallEnd)
  }

  /// The time since the start, in milliseconds.
  public let milliseconds: Int
  /// The kind.
  public let kind: Kind
  /// The text of a step or of the end.
  public let text: String

  /// Creates an event.
  public init(milliseconds: Int, kind: Kind, text: String = "") {
    self.milliseconds = milliseconds
    self.kind = kind
    self.text = text
  }

  private var word: String {
    switch kind {
    case .step: "step"
    case .processBeat: "beat"
    case .mainBeat: "main"
    case .end(let end): end.rawValue
    }
  }

  /// The event as a line without a newline.
  public var line: String { "\(milliseconds) \(word) \(text)" }

  /// Parses a line; `nil` if it is no event.
  public init?(line: some StringProtocol) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let milliseconds = Int(parts[0]) else { return nil }
    let kind: Kind
    switch parts[1] {
    case "step": kind = .step
    case "beat": kind = .processBeat
    case "main": kind = .mainBeat
    default:
      guard let end = PitfallEnd(rawValue: String(parts[1])) else { return nil }
      kind = .end(end)
    }
    self.init(milliseconds: milliseconds, kind: kind, text: String(parts[2]))
  }
}
