// The table of races: steps and kinds, with the number of races of each outcome.

struct RaceTable {
  private var counts: [RaceStep: [RaceKind: [RaceOutcome: Int]]] = [:]
  private(set) var races = 0

  mutating func add(_ race: Race, _ outcome: RaceOutcome) {
    counts[race.step, default: [:]][race.kind, default: [:]][outcome, default: 0] += 1
    races += 1
  }

  /// A line for each kind and step, and the sums.
  var text: String {
    var lines: [String] = []
    var totals: [RaceOutcome: Int] = [:]
    for kind in RaceKind.allCases {
      var ofKind: [String] = []
      for step in RaceStep.allCases {
        guard let outcomes = counts[step]?[kind] else { continue }
        for (outcome, count) in outcomes { totals[outcome, default: 0] += count }
        ofKind.append("    \(step.rawValue): \(text(of: outcomes))")
      }
      if !ofKind.isEmpty { lines += ["  \(kind.rawValue)"] + ofKind }
    }
    return (["races with the tree: \(races); \(text(of: totals))"] + lines).joined(separator: "\n")
  }

  private func text(of outcomes: [RaceOutcome: Int]) -> String {
    RaceOutcome.allCases.compactMap { outcome in
      outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
    }
    .joined(separator: ", ")
  }
}
