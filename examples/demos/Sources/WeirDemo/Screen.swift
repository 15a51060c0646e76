// The live view of a run on a terminal.
//
// DESIGN. The view is drawn on the terminal's alternate screen: leaving it restores what was there,
// whatever the size of the terminal has become meanwhile. A signal that ends the program leaves it
// too. Moving the cursor up over the former picture was rejected: after a resize its lines are
// wrapped, and their number is unknown. After the run the last picture is written below what was
// there, so that a learner can read it.

import Demos
import Dispatch
import Foundation
import Synchronization

/// The screen on which a run is drawn.
struct Screen: Sendable {
  let title: String
  let usesColors: Bool
  let language: Language

  private static let picturesPerSecond = 15.0
  private static let pause = UInt32(1e6 / picturesPerSecond)

  /// Draws the state of the run while a closure runs it.
  func watch<T>(speed: Double, _ body: () throws -> T) rethrows -> T {
    let model = LiveModel(speed: speed)
    let painter = Painter { self.draw(model) }
    Screen.begin()
    model.observe()
    Thread.detachNewThread { painter.paint(every: Screen.pause) }
    defer {
      painter.end()
      model.finish()
      end(model)
    }
    return try body()
  }

  /// Draws a finished run as if it ran now.
  func replay(_ run: DemoRun, speed: Double) {
    let model = LiveModel(speed: 1)
    Screen.begin()
    defer { end(model) }
    let step = speed / Screen.picturesPerSecond
    var (index, seconds) = (0, 0.0)
    while index < run.log.events.count {
      index = model.replay(run.log, from: index, to: UInt64(seconds * 1e9))
      draw(model)
      usleep(Screen.pause)
      seconds += step
    }
  }

  private func lines(_ model: LiveModel) -> [String] {
    let (columns, rows) = Terminal.size
    return model.screen(
      title: title, columns: columns, rows: rows, usesColors: usesColors, language: language)
  }

  private func draw(_ model: LiveModel) {
    // Each line is cleared behind its text, and what is below the last one too.
    Screen.write(
      "\u{1B}[H" + lines(model).joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }

  /// Leaves the alternate screen, and writes the last picture.
  private func end(_ model: LiveModel) {
    Screen.leave()
    for number in Screen.ending + [SIGTSTP] { Screen.handle(number, SIG_DFL) }
    Screen.write(lines(model).map { "\($0)\r\n" }.joined() + "\r\n")
  }

  /// A thread that paints until it is told to end.
  private final class Painter: Sendable {
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)
    private let draw: @Sendable () -> Void

    init(_ draw: @escaping @Sendable () -> Void) { self.draw = draw }

    func paint(every microseconds: UInt32) {
      while !isOver.load(ordering: .acquiring) {
        draw()
        usleep(microseconds)
      }
      ended.signal()
    }

    func end() {
      isOver.store(true, ordering: .releasing)
      ended.wait()
    }
  }

  // MARK: - The alternate screen

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private static func begin() {
    for number in ending { handle(number, leaveAndEnd) }
    handle(SIGTSTP, stopAndReturn)
    enter()
  }

  /// Sets the action of a signal, unless the program's parent had it ignored.
  private static func handle(_ number: Int32, _ action: sighandler_t?) {
    var current = sigaction()
    sigaction(number, nil, &current)
    let isIgnored = unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
    if !isIgnored { signal(number, action) }
  }

  private static let leaveAndEnd: @convention(c) (Int32) -> Void = { number in
    Screen.leave()
    signal(number, SIG_DFL)
    raise(number)
  }

  /// On Ctrl-Z: leaves the screen while the program is stopped.
  private static let stopAndReturn: @convention(c) (Int32) -> Void = { _ in
    Screen.leave()
    raise(SIGSTOP)
    Screen.enter()
  }

  /// Shows the alternate screen without a cursor. Safe in a signal handler.
  private static func enter() { write(constant: "\u{1B}[?1049h\u{1B}[?25l") }

  /// Shows the cursor and the former screen. Safe in a signal handler.
  private static func leave() { write(constant: "\u{1B}[?25h\u{1B}[?1049l") }

  private static func write(constant text: StaticString) {
    _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
