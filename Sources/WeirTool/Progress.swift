// How far a run has come, in a line.

#if Tool
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
    /// Files, bytes, rate, time left where the total is known, errors so far.
    static func line(_ figures: FileFigures, seconds: Double) -> String {
      let rate = Double(figures.bytes) / max(seconds, 0.001)
      var parts = [
        Figures.count(figures.files, "file", "files"),
        Figures.bytes(Double(figures.bytes)),
        "\(Figures.bytes(rate))/s",
      ]
      if figures.failed > 0 {
        parts.append(Figures.count(figures.failed, "error", "errors"))
      }
      if let total = total(figures) {
        let done = Double(figures.bytes)
        parts.append("\(Int(100 * done / total)) %")
        if rate > 0 { parts.append("\(Figures.duration((total - done) / rate)) left") }
      }
      return parts.joined(separator: ", ")
    }

    /// How many bytes there will be, once all files are found: those that are not
    /// opened yet are taken to be as large as the others. `nil` where nobody knows,
    /// as of a pipe.
    private static func total(_ figures: FileFigures) -> Double? {
      guard !figures.isFeeding, figures.opened > 0, figures.bytesExpected > 0 else { return nil }
      let over = figures.opened + figures.failed + figures.special
      let left = figures.found > over ? figures.found - over : 0
      let mean = Double(figures.bytesExpected) / Double(figures.opened)
      let total = Double(figures.bytesExpected) + mean * Double(left)
      return Double(figures.bytes) <= total ? total : nil
    }

    /// The same, cut to the terminal: a line that wraps cannot be wiped away.
    static func fitting(_ line: String) -> String {
      String(line.prefix(max(1, width() - 1)))
    }

    /// How wide the terminal is.
    private static func width() -> Int {
      var size = winsize()
      let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
      return isKnown ? Int(size.ws_col) : 80
    }
  }
#endif
