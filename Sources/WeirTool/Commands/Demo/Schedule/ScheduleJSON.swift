// A game as JSON, by docs/schema/schedule.json.

internal import Demos

enum ScheduleJSON {
  /// Returns the object of the state after the last step.
  static func state(_ game: ScheduleGame) -> [UInt8] {
    JSONText.object("state") { json in
      json.append("step", game.steps.count)
      if let thread = game.steps.last, let note = game.notes.last {
        json.append("thread", thread + 1)
        json.append("note", note)
      }
      json.append(
        "positions", elements: game.state.positions.map { Array(String($0 + 1).utf8) })
      json.append("choices", elements: game.choices.map { Array(String($0 + 1).utf8) })
      for value in game.level.values(in: game.state) {
        json.append("shared_\(value.name.filter { $0 != " " })", value.value)
      }
      json.append("reached", game.isReached)
    }
  }

  /// Returns the last object.
  static func summary(_ game: ScheduleGame) -> [UInt8] {
    JSONText.object("summary") { json in
      json.append("complete", true)
      json.append("level", game.level.number)
      json.append("title", game.level.title)
      json.append("steps", game.steps.count)
      json.append("reached", game.isReached)
      json.append("pitfall", game.level.pitfall)
    }
  }
}
