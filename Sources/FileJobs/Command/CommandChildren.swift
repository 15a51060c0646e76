// The children of a run, so that none outlives it.

internal import Dispatch
internal import Glibc
internal import SystemPackage
internal import Weir

/// All children that are running. Each leads a group of its own.
final class CommandChildren: Sendable {
  private struct State {
    var running: [Int32: ChildProcess] = [:]
    /// How many are about to be.
    var starting = 0
    var isOver = false
    /// When those that were sent SIGTERM have had their time.
    var graceEnd = DispatchTime.distantFuture
    /// Whether all were sent SIGKILL.
    var isKilled = false
    /// How many have ended, and who is to be told of the next one.
    var ended: UInt64 = 0
    var bells: [DispatchSemaphore] = []
    /// Whether the system has refused to start one.
    var isHeldUp = false
    /// Which were sent a signal while they ran.
    var cut: Set<Int32> = []
  }

  private let state = Locked(State())

  /// How long who was sent SIGTERM has for it.
  static let grace = 1.0

  /// Whether no more are to be started.
  var isOver: Bool { state.with { $0.isOver } }

  /// Whether those that were to end have been ended by force: there is nothing more
  /// to be read from them.
  var isKilled: Bool { state.with { $0.isKilled } }

  /// A new run begins.
  func begin() {
    state.with { state -> Void in
      state.isOver = false
      state.isKilled = false
      state.isHeldUp = false
    }
  }

  /// Starts one, unless it is over: then it throws `Errno.canceled`.
  func start(_ make: () throws(Errno) -> ChildProcess) throws(Errno) -> ChildProcess {
    let isRefused = state.with { state in
      if !state.isOver { state.starting += 1 }
      return state.isOver
    }
    if isRefused { throw .canceled }
    do throws(Errno) {
      let child = try make()
      let isLate = state.with { state in
        state.starting -= 1
        state.running[child.id] = child
        if state.isOver { state.cut.insert(child.id) }
        return state.isOver
      }
      // What ended the others came before it was among them.
      if isLate { CommandChildren.terminate(child) }
      return child
    } catch {
      state.with { $0.starting -= 1 }
      throw error
    }
  }

  /// One has been waited for. Returns whether it was among those that were ended:
  /// then it is not known to have done all, even where it says so. One that catches
  /// SIGTERM may well end with 0.
  func end(_ child: ChildProcess) -> Bool {
    state.with { state in
      state.running[child.id] = nil
      state.ended += 1
      CommandChildren.ring(&state)
      return state.cut.remove(child.id) != nil
    }
  }

  // MARK: - Where there can be no more of them

  /// Whether any run, and how many have ended so far.
  var look: (areRunning: Bool, ended: UInt64) {
    state.with { (!$0.running.isEmpty, $0.ended) }
  }

  /// The system has refused to start one. Returns whether that is new in this run.
  func noteHoldUp() -> Bool {
    state.with { state in
      defer { state.isHeldUp = true }
      return !state.isHeldUp
    }
  }

  /// Waits until another has ended than those that had when it was looked, or it is
  /// over; at most so long.
  func awaitEnd(since ended: UInt64, seconds: Double) {
    let bell = DispatchSemaphore(value: 0)
    let isSoon = state.with { state in
      if state.isOver || state.ended != ended { return false }
      state.bells.append(bell)
      return true
    }
    guard isSoon else { return }
    _ = bell.wait(timeout: .now() + seconds)
    state.with { state -> Void in state.bells.removeAll { $0 === bell } }
  }

  private static func ring(_ state: inout State) {
    state.bells.forEach { $0.signal() }
    state.bells = []
  }

  // MARK: - The end of all

  /// Starts no more and ends all: by SIGTERM, and a second later by SIGKILL. Called
  /// again later than that, it does the latter.
  ///
  /// DESIGN. A thread of its own sends SIGKILL, and not a timer, which takes
  /// descriptors. It is no queue's: where the system has no thread to give, libdispatch
  /// waits for one, in the middle of the call. Then those send it who look now and
  /// then, the lanes that read and who calls this again.
  func terminate() {
    let (isFirst, running, isNeeded) = state.with { state in
      let isFirst = !state.isOver
      if isFirst {
        state.isOver = true
        state.graceEnd = .now() + CommandChildren.grace
        state.cut.formUnion(state.running.keys)
        CommandChildren.ring(&state)
      }
      return (isFirst, Array(state.running.values), state.starting + state.running.count > 0)
    }
    guard isFirst else { return killWhenDue() }
    running.forEach { CommandChildren.terminate($0) }
    guard isNeeded else { return }
    _ = SideThread.start {
      usleep(useconds_t(CommandChildren.grace * 1e6))
      self.kill()
    }
  }

  /// Ends all by force that have had their time.
  func killWhenDue() {
    let isDue = state.with { $0.isOver && !$0.isKilled && .now() >= $0.graceEnd }
    if isDue { kill() }
  }

  /// Ends all at once, those too that are being started.
  func kill() {
    var tries = 0
    while true {
      let (starting, running) = state.with { state in
        // Of a run that has begun meanwhile nobody is meant.
        guard state.isOver else { return (0, [ChildProcess]()) }
        state.cut.formUnion(state.running.keys)
        return (state.starting, Array(state.running.values))
      }
      for child in running {
        child.endGroupWithIt()
        child.send(SIGKILL)
      }
      tries += 1
      if starting == 0 || tries > 2000 {
        return state.with { $0.isKilled = $0.isOver }
      }
      usleep(500)
    }
  }

  /// Starts no more and ends all at once.
  func abandon() {
    state.with { state -> Void in
      state.isOver = true
      CommandChildren.ring(&state)
    }
    kill()
  }

  /// Asks one to end, and those that it has started.
  static func terminate(_ child: ChildProcess) {
    child.endGroupWithIt()
    child.send(SIGTERM)
    // One that is stopped would not hear of it.
    child.send(SIGCONT)
  }
}
