// The levels of the schedule game.

import Demos

enum Levels {
  /// The levels as a JSON array.
  static var json: String { "[]" }
}
