// The progress line, at every width of a terminal.

import TestSupport
import Testing

@testable import WeirTool

struct ProgressTests {
  /// The parts in the order of the line.
  private static let whole: [Progress.Part] = [
    .init(kind: .files, text: "12,345 files"), .init(kind: .bytes, text: "461.5 MB"),
    .init(kind: .rate, text: "99.9 MB/s"), .init(kind: .errors, text: "3 errors"),
    .init(kind: .percentage, text: "47 %"), .init(kind: .timeLeft, text: "3:05 min left"),
  ]

  @Test("the line fits every width, no part is cut, and the least important parts are left out")
  func widths() {
    let kinds = Progress.Kind.allCases
    for lacking in [[], [.errors], [.percentage, .timeLeft], [.timeLeft]] as [[Progress.Kind]] {
      let parts = Self.whole.filter { !lacking.contains($0.kind) }
      for width in 1...120 {
        let line = Progress.fitting(parts, columns: width - 1)
        #expect(line.count <= width - 1)
        let shown = line.isEmpty ? [] : line.split(separator: ", ").map(String.init)
        // The shown parts are complete and in order.
        let left = parts.filter { shown.contains($0.text) }
        #expect(left.map(\.text) == shown, "\(width): \(line)")
        // They are the most important ones, and no other one fits.
        let ranked = kinds.filter { kind in parts.contains { $0.kind == kind } }
        let expected = Set(ranked.prefix(shown.count))
        #expect(Set(left.map(\.kind)) == expected, "\(width): \(line)")
        if shown.count < ranked.count {
          let more = Set(ranked.prefix(shown.count + 1))
          let longer = parts.filter { more.contains($0.kind) }.map(\.text)
          #expect(longer.joined(separator: ", ").count > width - 1, "\(width): \(line)")
        }
      }
    }
  }

  @Test("40 and 20 columns show the percentage and the time left")
  func narrow() {
    #expect(
      Progress.fitting(Self.whole, columns: 39) == "12,345 files, 47 %, 3:05 min left")
    #expect(Progress.fitting(Self.whole, columns: 19) == "47 %, 3:05 min left")
    #expect(Progress.fitting(Self.whole, columns: 120).hasSuffix(", 47 %, 3:05 min left"))
    #expect(Progress.fitting([], columns: 10) == "")
  }
}
