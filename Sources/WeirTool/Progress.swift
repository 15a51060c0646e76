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
      return parts.joined(separator: ", ")
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
