// Durations as short as an index of a loop, as text.

enum LoopsDuration {
  /// Returns a duration with about three digits: `40 ns`, `812 us`, `5.21 ms`, `1.20 s`.
  static func text(_ nanoseconds: Double) -> String {
    let units = [("s", 1e9), ("ms", 1e6), ("us", 1e3)]
    guard let (name, size) = units.first(where: { nanoseconds >= $0.1 }) else {
      return "\(Int(nanoseconds)) ns"
    }
    return "\(ratio(nanoseconds / size)) \(name)"
  }

  static func text(_ nanoseconds: UInt64) -> String { text(Double(nanoseconds)) }

  /// Returns the nanoseconds of a duration such as `5`, `5 ms`, `0.005s` or `800us`; `nil` if
  /// the text is not a duration. The default unit is the millisecond.
  static func nanoseconds(_ text: some StringProtocol) -> Double? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    let sizes: [String: Double] = ["": 1e6, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
    guard let value = Double(number), let size = sizes[String(unit)], value * size < 1e15 else {
      return nil
    }
    return value * size
  }

  /// Returns a ratio with about three digits: `1.92`, `14.0`, `140`.
  static func ratio(_ value: Double) -> String {
    Quantities.fixed(value, digits: value < 10 ? 2 : value < 100 ? 1 : 0)
  }
}
