// Two ways to do the same thing, measured in turn.

import OverlayBodies

/// Times both ways round by round, every second round backwards, and prints a
/// line: the medians in microseconds and the median of the rounds' ratios.
struct Pairs {
  let rounds: Int

  func printHead(_ first: String, _ second: String) {
    let titles = [
      (first, 11), (second, 11), ("paired", 8), ("25 %", 8), ("75 %", 8), ("goal", 6),
    ]
    let columns = [padded("overlay", 26, left: true)] + titles.map { padded($0, $1) }
    print(columns.joined(separator: " "))
  }

  func compare(
    _ name: String, goal: Double?, loops: Int = 1,
    _ first: () -> Void, _ second: () -> Void
  ) {
    var times: (first: [Double], second: [Double]) = ([], [])
    first()
    second()
    for round in 0..<rounds {
      if round % 2 == 0 {
        times.first.append(median(loops, first))
        times.second.append(median(loops, second))
      } else {
        times.second.append(median(loops, second))
        times.first.append(median(loops, first))
      }
    }
    report(name, goal, times.first, times.second)
  }

  private func report(_ name: String, _ goal: Double?, _ first: [Double], _ second: [Double]) {
    let ratios = zip(first, second).map { $1 / $0 }
    let sorted = ratios.sorted()
    let columns = [
      padded(name, 26, left: true), padded(fixed(median(first), 1), 11),
      padded(fixed(median(second), 1), 11), padded(fixed(median(ratios), 3), 8),
      padded(fixed(sorted[sorted.count / 4], 3), 8),
      padded(fixed(sorted[sorted.count * 3 / 4], 3), 8),
      padded(goal.map { fixed($0, 2) } ?? "", 6),
    ]
    print(columns.joined(separator: " "))
  }

  /// The median of so many runs after one that is not timed, in microseconds.
  private func median(_ loops: Int, _ body: () -> Void) -> Double {
    if loops > 1 { body() }
    let times = (0..<loops).map { _ in
      let begin = overlay_now()
      body()
      return Double(overlay_now() - begin) / 1000
    }
    return median(times)
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
  }
}

/// A number with so many digits after the point, without Foundation.
private func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int((value * Double(scale)).rounded())
  let rest = String(scaled % scale)
  return "\(scaled / scale)." + String(repeating: "0", count: digits - rest.count) + rest
}

private func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
  let space = String(repeating: " ", count: max(0, width - text.count))
  return left ? text + space : space + text
}
