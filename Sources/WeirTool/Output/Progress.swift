// How far a run has come, in a line.

internal import ArgumentParser
internal import Glibc
internal import Weir

/// When progress is shown.
enum ProgressWhen: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, after half a second.
  case auto
  case always
  case never

  /// Whether it is shown on this standard error.
  var applies: Bool {
    switch self {
    case .auto: isatty(STDERR_FILENO) == 1
    case .always: true
    case .never: false
    }
  }
}

/// Words for how far a run has come.
enum Progress {
  /// What a part tells; what goes last where the line is too short comes first.
  enum Kind: Int, CaseIterable {
    case percentage, timeLeft, files, errors, bytes, rate
  }

  /// A part of the line.
  struct Part {
    let kind: Kind
    let text: String
  }

  /// Files, bytes, rate, errors so far, and where the total is known how much of
  /// it is done and the time left.
  ///
  /// - Parameters:
  ///   - figures: The figures.
  ///   - expected: How many bytes there are to read, where that is known.
  ///   - seconds: How long it has taken.
  ///   - columns: How wide it may become.
  static func line(
    _ statistics: FileStatistics, of expected: UInt64? = nil, seconds: Double, columns: Int = .max,
    _ wording: Wording = .files
  ) -> String {
    fitting(parts(statistics, of: expected, seconds: seconds, wording), columns: columns)
  }

  /// In the order in which they stand in the line.
  private static func parts(
    _ statistics: FileStatistics, of expected: UInt64?, seconds: Double, _ wording: Wording
  ) -> [Part] {
    if let own = wording.parts { return own(statistics, seconds) }
    let rate = Double(statistics.bytes) / max(seconds, 0.001)
    var parts = [
      Part(kind: .files, text: Quantities.count(statistics.files, "file", "files")),
      Part(kind: .bytes, text: Quantities.bytes(Double(statistics.bytes))),
      Part(kind: .rate, text: "\(Quantities.bytes(rate))/s"),
    ]
    if statistics.failed > 0 {
      parts.append(
        Part(kind: .errors, text: Quantities.count(statistics.failed, "error", "errors")))
    }
    if let total = total(statistics, expected) {
      let done = Double(statistics.bytes)
      parts.append(Part(kind: .percentage, text: "\(Int(100 * done / total)) %"))
      if rate > 0 {
        let time = Quantities.duration((total - done) / rate)
        parts.append(Part(kind: .timeLeft, text: "\(time) left"))
      }
    }
    return parts
  }

  /// How many bytes there will be, once all files are found: those that are not
  /// opened yet are taken to be as large as the others. `nil` where nobody knows,
  /// as of a pipe.
  private static func total(_ statistics: FileStatistics, _ expected: UInt64?) -> Double? {
    // What is edited or missing is not read, so the end may come before 100 %.
    if let expected, expected > 0, statistics.bytes <= expected { return Double(expected) }
    guard !statistics.isFeeding, statistics.opened > 0, statistics.bytesExpected > 0 else {
      return nil
    }
    let over = statistics.opened + statistics.failed + statistics.special
    let left = statistics.found > over ? statistics.found - over : 0
    let mean = Double(statistics.bytesExpected) / Double(statistics.opened)
    let total = Double(statistics.bytesExpected) + mean * Double(left)
    return Double(statistics.bytes) <= total ? total : nil
  }

  /// The parts for which there is room. The least important go first, and whole:
  /// half a number is another number. Where not even one fits there is nothing.
  static func fitting(_ parts: [Part], columns: Int) -> String {
    var parts = parts
    while true {
      let line = parts.map(\.text).joined(separator: ", ")
      if line.count <= columns { return line }
      let least = parts.indices.max { parts[$0].kind.rawValue < parts[$1].kind.rawValue }
      guard let least else { return "" }
      parts.remove(at: least)
    }
  }

  /// How many columns a line may have: one that wraps cannot be wiped away.
  static var columns: Int { width() - 1 }

  /// How wide the terminal is.
  private static func width() -> Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }
}
