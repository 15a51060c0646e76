// The standard streams that may be terminals: their size, and when text has colors.

internal import WeirLibC

enum TerminalStream {
  case input
  case output
  case error

  private var descriptor: Int32 {
    switch self {
    case .input: STDIN_FILENO
    case .output: STDOUT_FILENO
    case .error: STDERR_FILENO
    }
  }

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// True unless another program has the terminal: the foreground, after `&` or `bg`, or a pager, which
  /// reads single keys.
  var isOurs: Bool {
    if !isTerminal { return true }
    let foreground = tcgetpgrp(descriptor)
    if foreground > 0 && foreground != getpgrp() { return false }
    var modes = termios()
    return tcgetattr(descriptor, &modes) != 0 || modes.c_lflag & tcflag_t(ICANON) != 0
  }

  /// True if TERM says that the terminal has no control sequences.
  static var isDumb: Bool { getenv("TERM").map { String(cString: $0) } == "dumb" }

  /// The present size of the terminal; 80 columns and 24 rows if it is unknown.
  private var size: winsize {
    var size = winsize()
    _ = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    if size.ws_col == 0 { size.ws_col = 80 }
    if size.ws_row == 0 { size.ws_row = 24 }
    return size
  }

  var columns: Int { Int(size.ws_col) }
  var rows: Int { Int(size.ws_row) }
}

/// The values of `--color` and `--progress`.
enum TerminalWhen: String, CaseIterable {
  /// On a terminal, unless the environment or the run forbids it.
  case auto
  case always
  case never

  /// True if text on a stream has colors. NO_COLOR and TERM forbid them.
  func applies(to stream: TerminalStream) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      let isForbidden = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
      let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
      return stream.isTerminal && !isForbidden && terminal != "dumb"
    }
  }
}

enum TerminalColor {
  private static let (boldRed, plain) = ("\u{1B}[1;31m", "\u{1B}[0m")

  /// The control sequences that the program itself writes within its text.
  static let sequences = [Array(boldRed.utf8), Array(plain.utf8)]

  static func red(_ text: String) -> String { boldRed + text + plain }
}
