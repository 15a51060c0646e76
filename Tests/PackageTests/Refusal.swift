// Code that the compiler must reject.

import Foundation

/// Code that must not compile, and almost the same code that must: so the compiler
/// rejects the first for its fault and not for a misspelling.
///
/// A line after `-` is in the first alone, a line after `+` in the second alone.
struct Refusal: Sendable, CustomStringConvertible {
  /// The function around the code.
  enum Place: String {
    case function = "throws"
    case asyncFunction = "async throws"
  }

  let name: String
  let place: Place
  /// A part of each error of the first code.
  let message: String
  let code: String

  init(_ name: String, in place: Place = .function, says message: String, _ code: String) {
    self.name = name
    self.place = place
    self.message = message
    self.code = code
  }

  var description: String { name }

  /// Returns the code as a file of a module, with the lines after one sign.
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
