// The threads of the simulated machine that run blocks.

/// A pool of threads.
///
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedPool: @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private var limit: Int
  private let grows: Bool
  private var pending: [@Sendable () -> Void] = []
  private var idle: [SimulatedThread] = []
  private var threads = 0
  private var isMonitored = false

  /// - Parameters:
  ///   - limit: The maximum number of threads at the beginning.
  ///   - grows: True if a block that waits for a thread gets a new one after a second.
  init(_ machine: SimulatedMachine, limit: Int, grows: Bool = false) {
    self.machine = machine
    self.limit = limit
    self.grows = grows
  }

  /// Runs a block on an idle thread, on a new one, or later.
  func add(_ block: @escaping @Sendable () -> Void) {
    pending.append(block)
    if let thread = idle.popLast() {
      machine.wake(thread)
    } else if threads < limit {
      addThread()
    } else if grows {
      monitor()
    }
  }

  /// Lets the idle threads go on.
  func wakeIdle() {
    for thread in idle { machine.wake(thread) }
    idle = []
  }

  private func addThread() {
    threads += 1
    machine.start { self.work() }
  }

  private func work() {
    while true {
      while !pending.isEmpty {
        pending.removeFirst()()
      }
      guard let thread = machine.currentThread else { return }
      idle.append(thread)
      machine.block(isIdle: true)
      if machine.isOver { return }
    }
  }

  /// Adds a thread after a second if blocks still wait for one.
  private func monitor() {
    guard !isMonitored else { return }
    isMonitored = true
    machine.after(1_000_000_000) {
      self.isMonitored = false
      guard !self.pending.isEmpty else { return }
      self.limit += 1
      self.addThread()
      self.monitor()
    }
  }
}
