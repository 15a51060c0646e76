// The progress line, and the words in which verbs report progress.

internal import FileJobs
internal import Weir

/// An amount of work, as far as it is known.
struct WorkAmount: Sendable, Equatable {
  /// The number of files, or of commands.
  var files: UInt64?
  var bytes: UInt64?
}

/// The words for the progress and the interruption of a run.
struct ProgressWording: Sendable {
  /// The work of the lanes.
  var work = "reading"
  /// The effect of a signal on the work in progress.
  var ending = "finishing the open files, for at most 2 s"
  let counts: @Sendable (FileStatistics) -> String
  /// The noun of the counted things, one and several; `nil` for files and their bytes.
  var noun: (String, String)?
  /// Returns the number of failures; `nil` for the files that could not be read.
  var failed: (@Sendable () -> UInt64)?
  /// Returns the part of the work that is done, 0 to 1; `nil` to find it by files and bytes.
  var fraction: (@Sendable (WorkAmount?) -> Double?)?

  static let files = ProgressWording(counts: { SummaryLine.counts($0) })
}

/// The progress of a run, as a line of text.
enum Progress {
  /// The kinds of parts. If the line is too short, the last ones are left out.
  enum Kind: Int, CaseIterable {
    case percentage, timeLeft, files, errors, busy, bar, bytes, elapsed, rate
  }

  struct Part {
    let kind: Kind
    let text: String
  }

  struct Moment {
    var statistics: FileStatistics
    /// The part of the work that is done, 0 to 1; `nil` if it is unknown.
    var fraction: Double?
    /// The time since the start.
    var seconds: Double
    /// The time to the end; `nil` if it is unknown.
    var secondsLeft: Double?
    /// The file that a lane has been working on for long.
    var busy: BusyFile?
  }

  // MARK: - Parts

  /// Returns the progress as a message: files, bytes, rate and errors, the percentage and the
  /// time left if they are known, and the time so far.
  static func message(_ moment: Moment, _ wording: ProgressWording = .files) -> String {
    joined(
      counts(moment, wording) + share(moment)
        + [Part(kind: .elapsed, text: "after \(Quantities.duration(moment.seconds))")])
  }

  /// Returns the progress as a line of a terminal: the time so far, a bar with the percentage
  /// and the time left if they are known, files, bytes, rate and errors, and the file that
  /// takes long.
  ///
  /// - Parameter columns: The longest line allowed.
  static func line(_ moment: Moment, columns: Int, _ wording: ProgressWording = .files) -> String {
    var parts = [Part(kind: .elapsed, text: Quantities.clock(moment.seconds))]
    if let fraction = moment.fraction {
      parts.append(Part(kind: .bar, text: bar(fraction, cells: 10)))
    }
    parts += share(moment)
    // A single file is not worth counting.
    let isSingle = moment.statistics.found == 1 && !moment.statistics.isFeeding
    parts += counts(moment, wording).filter { !(isSingle && $0.kind == .files) }
    if let busy = moment.busy { parts.append(part(busy, columns: columns)) }
    return fitting(parts, columns: columns)
  }

  private static func share(_ moment: Moment) -> [Part] {
    var parts: [Part] = []
    if let fraction = moment.fraction {
      // The end of the line is the end of the run: until then something is left.
      parts.append(Part(kind: .percentage, text: "\(min(99, Int(100 * fraction))) %"))
    }
    if let left = moment.secondsLeft {
      parts.append(Part(kind: .timeLeft, text: "\(Quantities.duration(left)) left"))
    }
    return parts
  }

  private static func counts(_ moment: Moment, _ wording: ProgressWording) -> [Part] {
    let statistics = moment.statistics
    let (one, several) = wording.noun ?? ("file", "files")
    var parts = [Part(kind: .files, text: Quantities.count(statistics.files, one, several))]
    func perSecond(_ count: UInt64) -> Double { Double(count) / max(moment.seconds, 0.001) }
    if wording.noun == nil {
      parts.append(Part(kind: .bytes, text: Quantities.bytes(Double(statistics.bytes))))
      let rate = Quantities.bytes(perSecond(statistics.bytes))
      parts.append(Part(kind: .rate, text: "\(rate)/s"))
    } else {
      parts.append(Part(kind: .rate, text: Quantities.rate(perSecond(statistics.files))))
    }
    if let failed = wording.failed?() {
      if failed > 0 {
        parts.append(Part(kind: .errors, text: "\(Quantities.count(failed)) failed"))
      }
    } else if wording.noun == nil && statistics.failed > 0 {
      parts.append(
        Part(kind: .errors, text: Quantities.count(statistics.failed, "error", "errors")))
    }
    return parts
  }

  /// Returns a bar: `[####------]`.
  static func bar(_ fraction: Double, cells: Int) -> String {
    let full = min(cells, Int(fraction * Double(cells)))
    return "[\(String(repeating: "#", count: full))\(String(repeating: "-", count: cells - full))]"
  }

  /// Returns the part on a file that takes long: the end of its name, and the time.
  private static func part(_ busy: BusyFile, columns: Int) -> Part {
    let name = String(decoding: QuotedName.bytes(of: busy.path), as: UTF8.self)
    let time = Quantities.duration((Double(busy.nanoseconds) / 1e9).rounded(.down))
    return Part(kind: .busy, text: "\(TextWidth.end(of: name, columns: columns / 3)) for \(time)")
  }

  // MARK: - The part that is done

  /// Returns the part of the work that is done, 0 to 1; `nil` if it is unknown, as for a pipe.
  ///
  /// Bytes decide. The size of a file that is not opened yet counts as the mean of those that
  /// are. If many files need not be read, as in an update, the files decide.
  static func fraction(of statistics: FileStatistics, _ expected: WorkAmount?) -> Double? {
    let done = Double(statistics.bytes)
    // Edited or missing files are not read, so the run may end before the last byte.
    if let bytes = expected?.bytes, bytes > 0, statistics.bytes <= bytes {
      return done / Double(bytes)
    }
    let ahead = expected?.files.map { max($0, statistics.found) }
    guard let found = statistics.isFeeding ? ahead : statistics.found, found > 0 else { return nil }
    let begun = statistics.opened + statistics.failed + statistics.special
    if statistics.unread > 0 && begun < found {
      let over = statistics.files + statistics.failed + statistics.changed + statistics.special
      return min(1, Double(over) / Double(found))
    }
    guard statistics.opened > 0, statistics.bytesExpected > 0 else { return nil }
    let mean = Double(statistics.bytesExpected) / Double(statistics.opened)
    let total =
      Double(statistics.bytesExpected) + mean * Double(found > begun ? found - begun : 0)
    return done <= total ? done / total : nil
  }

  // MARK: - The width

  /// Returns the parts that fit. The least important part is left out first, and as a
  /// whole, since half a number is another number. If no part fits, the line is empty.
  static func fitting(_ parts: [Part], columns: Int) -> String {
    var parts = parts
    while TextWidth.columns(of: joined(parts)) > columns {
      let least = parts.indices.max { parts[$0].kind.rawValue < parts[$1].kind.rawValue }
      guard let least else { return "" }
      parts.remove(at: least)
    }
    return joined(parts)
  }

  private static func joined(_ parts: [Part]) -> String {
    var line = ""
    for (index, part) in parts.enumerated() {
      line += part.text
      if index == parts.count - 1 { break }
      line += part.kind == .bar || (part.kind == .elapsed && index == 0) ? " " : ", "
    }
    return line
  }
}

/// An estimate of the time left, by the speed of the last half minute: the first part of a
/// resumed run takes no time, and says nothing about the rest.
struct TimeLeft {
  private var samples: [(seconds: Double, fraction: Double)] = []

  private static let (window, interval) = (30.0, 1.0)

  /// - Parameter fraction: The part that is done, 0 to 1.
  mutating func estimate(_ fraction: Double, seconds: Double) -> Double? {
    while samples.count > 1 && samples[1].seconds <= seconds - TimeLeft.window {
      samples.removeFirst()
    }
    // The estimated total may have grown since.
    samples.removeAll { $0.fraction > fraction }
    let start = samples.first ?? (seconds: 0, fraction: 0)
    if seconds - (samples.last?.seconds ?? 0) >= TimeLeft.interval {
      samples.append((seconds, fraction))
    }
    let speed = (fraction - start.fraction) / max(seconds - start.seconds, 0.001)
    return speed > 0 ? (1 - fraction) / speed : nil
  }
}
