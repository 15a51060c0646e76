// The text output of the game: the threads, the shared values, the steps.

internal import Demos

struct ScheduleText {
  let level: ScheduleLevel
  /// True if each line is a sentence or a line of code, for screen readers.
  let isPlain: Bool
  var width = 80

  /// The levels, one per line.
  static func list(isPlain: Bool) -> [String] {
    ScheduleLevel.all.map { level in
      isPlain
        ? "Level \(level.number): \(level.title)."
        : "  \(level.number)  \(level.title)"
    } + ["Play one of them on a terminal: weir demo schedule 1"]
  }

  /// The title and the goal.
  var beginning: [String] {
    ["Level \(level.number): \(level.title) (a simulated machine)"]
      + paragraph("Goal: \(level.goal)")
  }

  /// The threads with their next lines, and the shared values.
  func board(_ game: ScheduleGame) -> [String] {
    var lines = isPlain ? [] : [""]
    for thread in level.threads.indices {
      lines += block(of: thread, game)
    }
    return lines + paragraph(values(game.state))
  }

  private func block(of thread: Int, _ game: ScheduleGame) -> [String] {
    let state = game.state
    let code = level.threads[thread].lines
    let position = state.positions[thread]
    let condition = ScheduleText.words(for: level.condition(of: thread, in: state))
    let heading = "\(thread + 1) \(level.threads[thread].name): \(condition)"
    if isPlain {
      guard position < code.count else { return ["\(heading)."] }
      return ["\(heading). Next line: \(code[position].code)"]
    }
    return [heading]
      + code.enumerated().map { index, line in
        "  \(index == position ? ">" : index < position ? "." : " ") \(line.code)"
      }
  }

  private func values(_ state: ScheduleState) -> String {
    let values = level.values(in: state).map { "\($0.name): \($0.value)" }
    return "Shared: \(values.joined(separator: "; "))."
  }

  /// The number and the sentence of the last step.
  func step(_ game: ScheduleGame) -> [String] {
    guard let note = game.notes.last else { return [] }
    return paragraph("Step \(game.steps.count): \(note)")
  }

  /// The sentence after a step was taken back.
  func undone(_ game: ScheduleGame) -> [String] {
    paragraph(
      game.steps.isEmpty ? "Back at the start." : "Back after step \(game.steps.count).")
  }

  /// The end of a game: the lesson, or the advice to go back.
  func end(_ game: ScheduleGame) -> [String] {
    let steps = Quantities.count(game.steps.count, "step", "steps")
    if game.isReached {
      return paragraph("Goal reached in \(steps). \(level.lesson)")
        + paragraph("For real: weir demo pitfalls \(level.pitfall)")
    }
    if game.isMissed {
      return paragraph("No thread can step, and the goal is not reached. Another order can.")
    }
    return paragraph("The goal is not reached after \(steps).")
  }

  var hint: [String] { paragraph("Hint: \(level.hint)") }

  static func words(for condition: ScheduleCondition) -> String {
    switch condition {
    case .ready: "ready"
    case .waiting: "waits for a permit"
    case .timed: "waits for a permit; a step ends its time"
    case .queued: "queued on the main queue"
    case .unsubmitted: "not submitted yet"
    case .ended: "ended by the trap"
    case .finished: "finished"
    }
  }

  private func paragraph(_ text: String) -> [String] {
    isPlain ? [text] : TextWidth.lines(of: text, columns: width)
  }
}
