// Answers to who asks how far a demo is.

internal import Dispatch
internal import FileJobs
internal import Weir

/// Answers SIGUSR1 as long as it is there, from a thread of its own. Signals that end
/// a program go on to end it at once: a demo leaves nothing behind.
final class DemoInquiries: Sendable {
  private struct State {
    /// What the demo is at.
    var stage: String
    var isOver = false
  }

  private let name: String
  private let console: Console
  private let state: Locked<State>
  private let signals = Signals(ending: [])
  private let begin = DispatchTime.now()
  private let thread = Locked<SideThread?>(nil)

  /// - Parameter stage: What it is at in the beginning.
  init(_ demo: Demo, _ console: Console, stage: String) {
    name = demo.rawValue
    self.console = console
    state = Locked(State(stage: stage))
    signals.block()
    // Without a thread there are no answers.
    thread.with { $0 = SideThread { self.loop() } }
  }

  /// From here on it is at that.
  func enter(_ stage: String) { state.with { $0.stage = stage } }

  /// Answers no more. To be called, or the thread stays.
  func finish() {
    state.with { $0.isOver = true }
    guard let thread = thread.with({ $0.take() }) else { return }
    Signals.wake(thread)
    thread.join()
  }

  private func loop() {
    while !state.with({ $0.isOver }) {
      if signals.wait(seconds: nil) == .inquiry { console.report(line) }
    }
  }

  private var line: String {
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    return "\(name): \(state.with { $0.stage }), \(Quantities.seconds(seconds))"
  }
}
