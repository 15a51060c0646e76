// Progress on standard error.

#if Tool
  internal import ArgumentParser
  internal import Dispatch
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

  /// Shows how far a run has come, until it is told to stop.
  ///
  /// It lives on a serial queue of its own, whose block sleeps between two
  /// looks. A dispatch timer would do the same for three descriptors, which at
  /// `ulimit -n 8` are not there.
  final class Progress: Sendable {
    private let console: Console
    private let figures: @Sendable () -> FileFigures
    private let stop = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// Begins, if it is to be shown.
    init?(
      _ when: ProgressWhen, on console: Console, figures: @escaping @Sendable () -> FileFigures
    ) {
      guard when.applies else { return nil }
      self.console = console
      self.figures = figures
      DispatchQueue(label: "weir.progress").async { [self] in run() }
    }

    /// Ends it, and leaves a clean line.
    func finish() {
      stop.signal()
      stopped.wait()
      console.clear()
    }

    private func run() {
      let begin = DispatchTime.now()
      var pause = 0.5
      while stop.wait(timeout: .now() + pause) == .timedOut {
        let elapsed =
          Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
        console.show(Progress.line(figures(), seconds: elapsed, width: Progress.width()))
        pause = 0.1
      }
      stopped.signal()
    }

    /// One line, cut to a width.
    static func line(_ figures: FileFigures, seconds: Double, width: Int) -> String {
      var parts = [
        Figures.count(figures.files, "file", "files"),
        Figures.bytes(Double(figures.bytes)),
        "\(Figures.bytes(Double(figures.bytes) / max(seconds, 0.001)))/s",
      ]
      if figures.failed > 0 {
        parts.append(Figures.count(figures.failed, "error", "errors"))
      }
      return String(parts.joined(separator: ", ").prefix(max(1, width - 1)))
    }

    /// How wide the terminal is.
    private static func width() -> Int {
      var size = winsize()
      let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
      return isKnown ? Int(size.ws_col) : 80
    }
  }
#endif
