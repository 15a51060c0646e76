// A duration in a few characters.

extension Duration {
  /// The duration in the unit that leaves one to three digits before the point, such as
  /// "1.5 s", "20.0 ms" or "3 us".
  package var short: String {
    let (seconds, attoseconds) = components
    let microseconds = attoseconds / 1_000_000_000_000
    if seconds > 0 { return "\(seconds).\(microseconds / 100_000) s" }
    if microseconds < 1000 { return "\(microseconds) us" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }
}
