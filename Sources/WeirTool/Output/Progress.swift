// The progress line, and the words in which verbs report progress.

internal import ArgumentParser
internal import WeirLibC
internal import Weir

/// The values of `--progress`.
enum ProgressWhen: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, after half a second.
  case auto
  case always
  case never

  /// True if progress is shown on standard error.
  var applies: Bool {
    switch self {
    case .auto: isatty(STDERR_FILENO) == 1
    case .always: true
    case .never: false
    }
  }
}

/// The words for the progress and the interruption of a run.
struct ProgressWording: Sendable {
  /// The work of the lanes.
  var work = "reading"
  /// The effect of a signal on the work in progress.
  var ending = "finishing the open files"
  /// Returns the counts of a run.
  let counts: @Sendable (FileStatistics) -> String
  /// Returns the parts of the progress line after a number of seconds; `nil` for files
  /// and bytes.
  let parts: (@Sendable (FileStatistics, Double) -> [Progress.Part])?

  /// The words of a verb that reads files.
  static let files = ProgressWording(counts: { SummaryLine.counts($0) }, parts: nil)
}

/// The progress of a run, as a line of text.
enum Progress {
  /// The kinds of parts. If the line is too short, the last ones are left out.
  enum Kind: Int, CaseIterable {
    case percentage, timeLeft, files, errors, bytes, rate
  }

  /// A part of the line.
  struct Part {
    let kind: Kind
    let text: String
  }

  /// Returns files, bytes, rate and errors, and the percentage and the time left if the
  /// total is known.
  ///
  /// - Parameters:
  ///   - expected: The number of bytes to read, if it is known.
  ///   - seconds: The time since the start.
  ///   - columns: The longest line allowed.
  static func line(
    _ statistics: FileStatistics, of expected: UInt64? = nil, seconds: Double, columns: Int = .max,
    _ wording: ProgressWording = .files
  ) -> String {
    fitting(parts(statistics, of: expected, seconds: seconds, wording), columns: columns)
  }

  /// Returns the parts in the order of the line.
  private static func parts(
    _ statistics: FileStatistics, of expected: UInt64?, seconds: Double, _ wording: ProgressWording
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

  /// Returns the expected number of bytes once all files are found, with the mean size of
  /// the opened files for the others; `nil` if it is unknown, as for a pipe.
  private static func total(_ statistics: FileStatistics, _ expected: UInt64?) -> Double? {
    // Edited or missing files are not read, so the run may end before 100 %.
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

  /// Returns the parts that fit. The least important part is left out first, and as a
  /// whole, since half a number is another number. If no part fits, the line is empty.
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

  /// The longest progress line, in columns: a line that wraps cannot be cleared.
  static var columns: Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return (isKnown ? Int(size.ws_col) : 80) - 1
  }
}
