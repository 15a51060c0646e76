// A game: the steps of the learner, which can be taken back.

/// A game on the machine: the states so far, and the steps between them.
public struct ScheduleGame: Sendable {
  /// The level.
  public let level: ScheduleLevel
  /// All states, the present one last.
  public private(set) var states: [ScheduleState]
  /// The threads that took the steps.
  public private(set) var steps: [Int] = []
  /// The last step in a sentence.
  public private(set) var notes: [String] = []

  /// Begins a level.
  public init(_ level: ScheduleLevel) {
    self.level = level
    states = [level.start]
  }

  /// The present state.
  public var state: ScheduleState { states[states.count - 1] }
  /// True if the goal of the level is reached.
  public var isReached: Bool { level.isReached(state) }
  /// The threads that can take a step; none if the goal is reached.
  public var choices: [Int] { isReached ? [] : level.choices(in: state) }
  /// True if no step is left, and the goal is not reached.
  public var isMissed: Bool { !isReached && choices.isEmpty }

  /// Takes a step of a thread. Returns false if the thread cannot take one.
  public mutating func step(_ thread: Int) -> Bool {
    guard choices.contains(thread) else { return false }
    let (next, note) = level.step(thread, in: state)
    states.append(next)
    steps.append(thread)
    notes.append(note)
    return true
  }

  /// Takes the last step back.
  public mutating func undo() {
    guard !steps.isEmpty else { return }
    states.removeLast()
    steps.removeLast()
    notes.removeLast()
  }

  /// Begins again.
  public mutating func restart() { self = ScheduleGame(level) }
}
