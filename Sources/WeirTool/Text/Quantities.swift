// Counts, sizes and times as text for people.

enum Quantities {
  /// Returns `1234567` as `1,234,567`.
  static func count(_ value: some BinaryInteger) -> String {
    if value < 1000 { return String(value) }
    var groups: [String] = []
    var rest = String(value)
    while rest.count > 3 {
      groups.insert(String(rest.suffix(3)), at: 0)
      rest.removeLast(3)
    }
    groups.insert(rest, at: 0)
    return groups.joined(separator: ",")
  }

  /// Returns a count with its noun: `1 file`, `2 files`.
  static func count(_ value: some BinaryInteger, _ noun: String, _ plural: String) -> String {
    "\(count(value)) \(value == 1 ? noun : plural)"
  }

  /// Returns bytes in decimal units: `461.5 MB`.
  static func bytes(_ value: Double) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var scaled = value
    var unit = 0
    while scaled >= 999.95 && unit < units.count - 1 {
      scaled /= 1000
      unit += 1
    }
    return unit == 0 ? "\(Int(scaled)) B" : "\(fixed(scaled, digits: 1)) \(units[unit])"
  }

  /// Returns a rate per second: `1,200/s`, `2.5/s`, or per minute if it is less than one
  /// a second: `12.0/min`.
  static func rate(_ value: Double) -> String {
    if value >= 10 { return "\(count(UInt64(min(value, 1e15))))/s" }
    return value >= 1 ? "\(fixed(value, digits: 1))/s" : "\(fixed(value * 60, digits: 1))/min"
  }

  /// Returns seconds: `0.41 s`.
  static func seconds(_ value: Double) -> String {
    "\(fixed(value, digits: value < 10 ? 2 : 1)) s"
  }

  /// Returns a long or estimated time: `42 s`, `3:05 min`, `2:10 h`.
  static func duration(_ value: Double) -> String {
    let seconds = Int(min(value, 3e8).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if seconds < 100 { return "\(seconds) s" }
    if seconds < 6000 { return "\(seconds / 60):\(two(seconds % 60)) min" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)) h"
  }

  /// Returns the time since a start as a clock shows it: `0:42`, `2:05:09`.
  static func clock(_ value: Double) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = Int(min(value, 3e8))
    let minutes = seconds / 60
    if minutes < 60 { return "\(minutes):\(two(seconds % 60))" }
    return "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
  }

  static func fixed(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let rounded = Int((value * Double(scale)).rounded())
    if digits == 0 { return String(rounded) }
    let fraction = String(rounded % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(rounded / scale).\(zeros)\(fraction)"
  }
}
