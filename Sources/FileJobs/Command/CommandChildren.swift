internal import Dispatch
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The running children of a run. Each leads a process group of its own.
final class CommandChildren: Sendable {
  private struct State {
    /// Not by process id, which the system may reuse before a child is removed.
    var running: [ObjectIdentifier: ChildProcess] = [:]
    var starting = 0
    var isOver = false
    var graceEnd = DispatchTime.distantFuture
    var isKilled = false
    /// True if the system has refused to start a child.
    var hasShortage = false
    /// The time of the stop of the children, which are stopped since then.
    var stopTime: DispatchTime?
    /// The nanoseconds for which the children were stopped earlier.
    var stoppedBefore: UInt64 = 0
    /// The children that were sent a signal while they ran.
    var signaled: Set<ObjectIdentifier> = []
  }

  private let state = Locked(State())

  /// The seconds between SIGTERM and SIGKILL.
  static let grace = 1.0

  /// True if no more children may be started.
  var isOver: Bool { state.with { $0.isOver } }

  /// True if all children were sent SIGKILL: none has more output to read.
  var isKilled: Bool { state.with { $0.isKilled } }

  func begin() {
    state.with { state -> Void in
      state.isOver = false
      state.isKilled = false
      state.hasShortage = false
    }
  }

  /// Starts a child. Throws `Errno.canceled` if the run is over.
  func start(_ create: () throws(Errno) -> ChildProcess) throws(Errno) -> ChildProcess {
    let isRefused = state.with { state in
      if !state.isOver { state.starting += 1 }
      return state.isOver
    }
    if isRefused { throw .canceled }
    do throws(Errno) {
      let child = try create()
      let isLate = state.with { state in
        state.starting -= 1
        if state.stopTime != nil { child.send(SIGSTOP) }
        state.running[ObjectIdentifier(child)] = child
        if state.isOver { state.signaled.insert(ObjectIdentifier(child)) }
        return state.isOver
      }
      // The run ended while this child was being started.
      if isLate { CommandChildren.terminate(child) }
      return child
    } catch {
      state.with { $0.starting -= 1 }
      throw error
    }
  }

  /// Removes a child that has ended. Returns true if the run has sent it a signal: it may be
  /// incomplete even with status 0, which a program that catches SIGTERM may return.
  func remove(_ child: ChildProcess) -> Bool {
    state.with { state in
      state.running[ObjectIdentifier(child)] = nil
      return state.signaled.remove(ObjectIdentifier(child)) != nil
    }
  }

  // MARK: - Process shortage

  var areRunning: Bool { state.with { !$0.running.isEmpty } }

  /// Notes that the system has refused to start a child. Returns true the first time in a run.
  func markShortage() -> Bool {
    state.with { state in
      defer { state.hasShortage = true }
      return !state.hasShortage
    }
  }

  // MARK: - Stopped children

  /// Stops all children, also those that are being started. SIGTSTP would not stop them: no process
  /// of their sessions can continue them.
  func stop() {
    state.with { state -> Void in
      if state.stopTime == nil { state.stopTime = .now() }
      state.running.values.forEach { $0.send(SIGSTOP) }
    }
    // A child that is being started when this process stops would run on.
    for _ in 0..<2000 where state.with({ $0.starting > 0 }) { usleep(500) }
  }

  /// Continues all children.
  func resume() {
    state.with { state -> Void in
      if let stop = state.stopTime {
        state.stoppedBefore += DispatchTime.now().uptimeNanoseconds - stop.uptimeNanoseconds
      }
      state.stopTime = nil
      state.running.values.forEach { $0.send(SIGCONT) }
    }
  }

  /// The time without that for which the children were stopped, in seconds.
  var activeTime: Double {
    state.with { state in
      let now = state.stopTime ?? .now()
      return Double(now.uptimeNanoseconds - state.stoppedBefore) / 1e9
    }
  }

  // MARK: - The end of the run

  /// Starts no more children and ends all: by SIGTERM, and a second later by SIGKILL. A
  /// second call after that time sends SIGKILL.
  ///
  /// DESIGN. A thread sends SIGKILL: a timer takes descriptors, and libdispatch waits within the
  /// call for a thread of a queue if the system has none to give. In that case the lanes that read,
  /// which check the time, and a second call send it.
  func terminate() {
    let (isFirst, running, isNeeded) = state.with { state in
      let isFirst = !state.isOver
      if isFirst {
        state.isOver = true
        state.graceEnd = .now() + CommandChildren.grace
        state.signaled.formUnion(state.running.keys)
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

  func killWhenDue() {
    let isDue = state.with { $0.isOver && !$0.isKilled && .now() >= $0.graceEnd }
    if isDue { kill() }
  }

  /// Sends SIGKILL to all children, also to those that are being started.
  func kill() {
    var tries = 0
    while true {
      let (starting, running) = state.with { state in
        // The children of a run that has begun meanwhile are not meant.
        guard state.isOver else { return (0, [ChildProcess]()) }
        state.signaled.formUnion(state.running.keys)
        return (state.starting, Array(state.running.values))
      }
      for child in running {
        child.killGroupAtEnd()
        child.send(SIGKILL)
      }
      tries += 1
      if starting == 0 || tries > 2000 {
        return state.with { $0.isKilled = $0.isOver }
      }
      usleep(500)
    }
  }

  /// Starts no more children and sends SIGKILL to all.
  func abandon() {
    state.with { $0.isOver = true }
    kill()
  }

  /// Sends SIGTERM to a child and its process group.
  static func terminate(_ child: ChildProcess) {
    child.killGroupAtEnd()
    child.send(SIGTERM)
    // A stopped process receives SIGTERM only when it continues.
    child.send(SIGCONT)
  }
}
