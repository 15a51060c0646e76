// Plain columns: no colour and no cursor, so that they work in pipes.

import Foundation

extension String {
  /// The text in a column; what is too long is cut.
  package func column(_ width: Int) -> String {
    count > width
      ? prefix(width - 1) + "…" : self + String(repeating: " ", count: width - count)
  }

  /// The text at the right of a column.
  package func atRight(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

extension Double {
  /// With two digits behind the point.
  package var inSeconds: String { String(format: "%.2f", self) }

  /// Without digits behind the point where there is nothing.
  package var short: String { String(format: "%g", self) }
}

/// How long something has taken.
package struct Stopwatch: Sendable {
  private let begin = ContinuousClock.now

  package init() {}

  package var seconds: Double { begin.duration(to: .now) / .seconds(1) }
}
