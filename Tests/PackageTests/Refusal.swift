// Code that the compiler must refuse, and what becomes of it.

import Foundation

/// A piece of code that must not compile, and one that is almost the same and
/// does: so it is refused for what is wrong with it, and not for a misspelling.
///
/// Lines behind a `-` are in the first alone, those behind a `+` in the second.
struct Refusal: Sendable, CustomStringConvertible {
  /// Where the code stands: most is a matter of that.
  enum Place: String {
    case function = "throws"
    case asyncFunction = "async throws"
  }

  let name: String
  let place: Place
  /// A piece of what the compiler says to the first, and all that it says.
  let message: String
  let code: String

  init(_ name: String, in place: Place = .function, says message: String, _ code: String) {
    self.name = name
    self.place = place
    self.message = message
    self.code = code
  }

  var description: String { name }

  /// The code as a file of a module, with what stands behind one sign alone.
  func file(_ number: Int, _ sign: Character) -> String {
    let lines = code.split(separator: "\n").compactMap { line -> String? in
      guard let first = line.first, "+-".contains(first) else { return String(line) }
      return first == sign ? String(line.dropFirst()) : nil
    }
    return """
      import Dispatch
      import Synchronization
      import SystemPackage
      import Weir

      private final class Chart {
        var points: [Int] = []
        var next: Chart?
      }

      func tried\(number)() \(place.rawValue) {
        let gate = Gate(label: "gate", permits: 2)
        let group = WorkGroup(label: "group")
        let lanes = Lanes(label: "lanes", width: 2)
        let numbers = OwnedQueue(label: "numbers", context: 0)
        let charts = OwnedQueue(label: "charts", context: Chart())
        \(lines.joined(separator: "\n  "))
        _ = (gate, group, lanes, numbers, charts)
      }
      """
  }
}
