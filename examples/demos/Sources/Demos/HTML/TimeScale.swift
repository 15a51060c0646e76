// Times as places on the page and as text.

/// The time axis of a page.
struct TimeScale {
  /// The time at the right edge, in nanoseconds.
  let span: UInt64

  /// A tick of the axis.
  struct Tick {
    var time: UInt64
    var label: String
    var isMinor: Bool
  }

  /// Creates a scale. With `hasOpenEnds` it leaves room after the last event, so that activities
  /// that never ended can be seen.
  init(duration: UInt64, hasOpenEnds: Bool) {
    let longest = max(1, min(duration, UInt64.max / 2))
    span = hasOpenEnds ? longest + max(1, longest / 10) : longest
  }

  /// Returns the place of a time, as a percentage.
  func percent(_ time: UInt64) -> String {
    HTMLText.decimal(min(100, Double(time) / Double(span) * 100), places: 3) + "%"
  }

  /// Returns the share of the axis from one time to another, from 0 to 1.
  func share(_ begin: UInt64, _ end: UInt64) -> Double {
    end > begin ? min(1, Double(end - begin) / Double(span)) : 0
  }

  /// The ticks, at most nine.
  var ticks: [Tick] {
    var step: UInt64 = 1
    var factors: [UInt64] = [2, 5, 10]
    var decade: UInt64 = 1
    while span / step > 8 {
      let factor = factors.removeFirst()
      factors.append(factor)
      let (product, isOver) = decade.multipliedReportingOverflow(by: factor)
      if isOver { break }
      step = product
      if factor == 10 { decade = product }
    }
    return (0...span / step).map { number in
      Tick(
        time: number * step, label: Self.text(number * step, unit: span, isTick: true),
        isMinor: number % 2 == 1)
    }
  }

  /// Returns a time in a unit that suits `unit`.
  static func text(_ time: UInt64, unit: UInt64, isTick: Bool = false) -> String {
    let units: [(least: UInt64, name: String)] = [
      (1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"),
    ]
    guard let best = units.first(where: { unit >= $0.least }) else { return "\(time) ns" }
    let value = Double(time) / Double(best.least)
    let size = Double(unit) / Double(best.least)
    var places = size < 10 ? 3 : size < 100 ? 2 : 1
    if isTick { places = size < 1.7 ? 1 : size < 8 ? 1 : 0 }
    return HTMLText.decimal(value, places: places) + " " + best.name
  }
}
