// The live view of a run on a terminal.
//
// DESIGN. The view is drawn on the terminal's alternate screen: leaving it restores what was there,
// whatever the size of the terminal has become meanwhile. A signal that ends the program leaves it
// too. Moving the cursor up over the former picture was rejected: after a resize its lines are
// wrapped, and their number is unknown.

internal import Demos
internal import FileJobs
internal import Synchronization
internal import WeirLibC

enum DemoScreen {
  struct Options {
    let usesColors: Bool
    let language: Language
  }

  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let picturesPerSecond = 15.0

  /// Draws the state of the run while a closure runs it.
  static func watch<T>(
    title: String, speed: Double, options: Options, _ body: () throws -> T
  ) rethrows -> T {
    let model = LiveModel(speed: speed)
    let isOver = Atomic(false)
    begin()
    model.observe()
    let thread = SideThread {
      while !isOver.load(ordering: .acquiring) {
        draw(model, title, options)
        Pace(speed: picturesPerSecond).sleep(1)
      }
    }
    defer {
      isOver.store(true, ordering: .releasing)
      thread?.join()
      model.finish()
      end()
    }
    return try body()
  }

  /// Draws a finished run as if it ran now.
  static func replay(_ run: DemoRun, title: String, speed: Double, options: Options) {
    let model = LiveModel(speed: 1)
    begin()
    defer { end() }
    let step = speed / picturesPerSecond
    var (index, seconds) = (0, 0.0)
    while index < run.log.events.count {
      index = model.replay(run.log, from: index, to: UInt64(seconds * 1e9))
      draw(model, "\(title), simulated", options)
      Pace(speed: picturesPerSecond).sleep(1)
      seconds += step
    }
  }

  private static func draw(_ model: LiveModel, _ title: String, _ options: Options) {
    let (columns, rows) = (TerminalStream.output.columns, TerminalStream.output.rows)
    let lines = model.screen(
      title: title, columns: columns, rows: rows, usesColors: options.usesColors,
      language: options.language)
    // Each line is cleared behind its text, and what is below the last one too.
    write("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }

  // MARK: - The alternate screen

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private static func begin() {
    for number in ending { handle(number, leaveAndEnd) }
    handle(SIGTSTP, stopAndReturn)
    write(enter)
  }

  private static func end() {
    leave()
    for number in ending + [SIGTSTP] { handle(number, SIG_DFL) }
  }

  /// Sets the action of a signal, unless the program's parent had it ignored.
  private static func handle(_ number: Int32, _ action: @escaping @convention(c) (Int32) -> Void) {
    if isIgnored(number) { return }
    signal(number, action)
  }

  private static func handle(_ number: Int32, _ action: sighandler_t?) {
    if isIgnored(number) { return }
    signal(number, action)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var current = sigaction()
    sigaction(number, nil, &current)
    return unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  private static let leaveAndEnd: @convention(c) (Int32) -> Void = { number in
    DemoScreen.leave()
    signal(number, SIG_DFL)
    raise(number)
  }

  /// On Ctrl-Z: leaves the screen while the program is stopped.
  private static let stopAndReturn: @convention(c) (Int32) -> Void = { _ in
    DemoScreen.leave()
    raise(SIGSTOP)
    let text: StaticString = "\u{1B}[?1049h\u{1B}[?25l"
    _ = WeirLibC.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Shows the cursor and the former screen. Safe in a signal handler.
  private static func leave() {
    let text: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
    _ = WeirLibC.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = WeirLibC.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
