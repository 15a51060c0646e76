// The commands to a running demo.
//
// DESIGN. A demo names the commands that it takes when it starts, and DemoRun takes them back when
// the run ends, so a sender needs to know nothing about either. A command acts on the thread that
// sends it, as a button's code would. Only threads of the simulation may touch a simulated machine:
// a command from another thread would come at no simulated time, and is ignored.

internal import Synchronization

/// The commands to one run, such as `resize` with the value 6 to the gate.
///
/// ```swift
/// let controls = DemoControls()
/// let values = KnobValues(demo.knobs, given: ["tasks": "12"], controls: controls)
/// // While another thread runs the demo with these values:
/// controls.send("resize", 6)
/// ```
///
/// All demos take the command ``stop``, which ends the recording of a real run. Besides it:
/// - gate: `resize` to a number of permits, `close`, `cancel` the task of a number;
/// - gallery: `leave` the page, which cancels the requests;
/// - images, in the form of the article: `cancel` the request of an image's number.
public final class DemoControls: Sendable {
  private struct State {
    var actions: [String: @Sendable (Int) -> Void] = [:]
    var isOver = false
  }

  private let state = Mutex(State())

  /// The command that ends a real run before its end. Its threads may still work afterwards.
  public static let stop = "stop"

  /// Creates controls for one run.
  public init() {}

  /// Sends a command. The value has no meaning for `close` and `leave`.
  ///
  /// A command is ignored if the run has not begun or has ended, if its demo does not take the
  /// command, if the value is out of the range of the knob of that name, and if there is no task
  /// or image of that number. A simulated run ignores commands from threads other than its own.
  ///
  /// Blocks: no. It may be called on any thread.
  public func send(_ name: String, _ value: Int) {
    state.withLock { $0.actions[name] }?(value)
  }

  /// Sets the action of a command.
  func on(_ name: String, _ action: @escaping @Sendable (Int) -> Void) {
    state.withLock { state in
      if !state.isOver { state.actions[name] = action }
    }
  }

  /// Ignores all commands from now on.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.actions = [:]
    }
  }
}

extension KnobValues {
  /// Sets the action of a command to this run. The action receives the values in the range of the
  /// knob that has the name of the command, or any value if no knob with a range has it.
  func on(
    _ command: String, _ machine: any Machine, _ action: @escaping @Sendable (Int) -> Void
  ) {
    let range = range(of: command)
    let isSimulated = machine.isSimulated
    controls?.on(command) { value in
      guard range.contains(value), !isSimulated || SimulatedThread.isCurrent else { return }
      action(value)
    }
  }
}
