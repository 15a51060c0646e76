// The status line of a running demo, printed on SIGUSR1.

internal import Dispatch
internal import FileJobs
internal import Weir
internal import WeirLibC

/// Prints a status line on each SIGUSR1, from a thread of its own. Signals that end a program
/// keep their default action: a demo leaves nothing to clean up.
final class DemoStatus: Sendable {
  private struct State {
    var stage: String
    var isOver = false
  }

  // nonisolated(unsafe): set before the handler that reads it.
  private nonisolated(unsafe) static var receiver: SideThread?

  private let name: String
  private let console: Console
  private let state: Locked<State>
  private let signals = Signals(ending: [])
  private let begin = DispatchTime.now()
  private let thread = Locked<SideThread?>(nil)

  /// - Parameter stage: The first stage.
  init(_ name: String, _ console: Console, stage: String) {
    self.name = name
    self.console = console
    state = Locked(State(stage: stage))
    signals.block()
    // If the thread cannot be started, signals have no effect.
    let started = SideThread { self.answerSignals() }
    thread.with { $0 = started }
    DemoStatus.receiver = started
    // The thread that libdispatch starts for dispatchMain takes every signal: it passes this one on.
    if started != nil { signal(SIGUSR1) { DemoStatus.receiver?.signal($0) } }
  }

  /// Begins a stage, which the status line names.
  func enter(_ stage: String) { state.with { $0.stage = stage } }

  /// Ends the thread, which otherwise runs forever.
  func finish() {
    state.with { $0.isOver = true }
    guard let thread = thread.with({ $0.take() }) else { return }
    signal(SIGUSR1, SIG_IGN)
    DemoStatus.receiver = nil
    Signals.wake(thread)
    thread.join()
  }

  private func answerSignals() {
    while !state.with({ $0.isOver }) {
      if signals.wait(seconds: nil) == .inquiry { console.report(line) }
    }
  }

  private var line: String {
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    return "\(name): \(state.with { $0.stage }), \(Quantities.seconds(seconds))"
  }
}
