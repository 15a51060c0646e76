// The threads of the simulated machine that run blocks.
//
// DESIGN. Measured with programs of the C interface of libdispatch on Linux, two cores:
// - The threads of serial queues and lanes come at once, up to 255: 300 serial queues ran 255
//   blocks at a time.
// - Concurrent queues share a pool for each quality of service. It begins with a thread a core.
//   A monitor looks at these pools at their first block and each second after it: nine blocks
//   that came half a second after the first one began two at 0.5 s, then one at 1.0 s and one at
//   2.0 s. So a burst at the beginning has a thread more than there are cores.
// - The monitor adds a thread to a pool whose blocks wait: always if no thread of the pool can
//   run; up to two threads a core if some compute, fewer than there are cores; else never.
// - The oldest idle thread takes the next block. A thread that is idle for 5 s ends.
// libdispatch promises none of this. The first look of the monitor can also come too early, and
// then the burst has as many threads as there are cores for up to a second.

/// A pool of threads.
///
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedPool: @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private let limit: Int
  private let monitor: SimulatedMonitor?
  private let idleNanoseconds: UInt64
  private var pending: [@Sendable () -> Void] = []
  private var idle: [SimulatedThread] = []
  private var threads: [SimulatedThread] = []

  /// - Parameters:
  ///   - limit: The maximum number of threads, but for those that the monitor adds.
  ///   - idleSeconds: The time after which an idle thread ends.
  init(
    _ machine: SimulatedMachine, limit: Int, monitor: SimulatedMonitor? = nil,
    idleSeconds: UInt64 = 5
  ) {
    self.machine = machine
    self.limit = limit
    self.monitor = monitor
    idleNanoseconds = idleSeconds * 1_000_000_000
    monitor?.pools.append(self)
  }

  /// True if a block waits for a thread.
  var isWaiting: Bool { !pending.isEmpty && idle.isEmpty }

  /// Runs a block on an idle thread, on a new one, or later.
  func add(_ block: @escaping @Sendable () -> Void) {
    pending.append(block)
    if !idle.isEmpty {
      machine.wake(idle.removeFirst())
    } else if threads.count < limit {
      addThread()
    }
    monitor?.watch()
  }

  /// Adds a thread beyond the limit if so many threads that can run allow it.
  func grow() {
    let running = threads.count(where: \.isComputing)
    let most = running == 0 ? 255 : running < machine.cores ? 2 * machine.cores : 0
    if isWaiting && threads.count < most { addThread() }
  }

  private func addThread() {
    threads.append(machine.start { self.work() })
  }

  private func work() {
    guard let thread = machine.currentThread else { return }
    while let block = next(thread) { block() }
    threads.removeAll { $0 === thread }
  }

  /// Waits for a block.
  ///
  /// - Returns: `nil` if none came while the thread was idle.
  private func next(_ thread: SimulatedThread) -> (@Sendable () -> Void)? {
    while pending.isEmpty {
      var isLate = false
      idle.append(thread)
      let timer = machine.after(idleNanoseconds) {
        isLate = true
        self.idle.removeAll { $0 === thread }
        self.machine.wake(thread)
      }
      machine.block()
      if isLate { return nil }
      machine.cancel(timer: timer)
    }
    return pending.removeFirst()
  }
}

/// Looks at the pools of concurrent queues once a second.
///
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedMonitor: @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private var begin: UInt64?
  private var isSet = false
  fileprivate var pools: [SimulatedPool] = []

  init(_ machine: SimulatedMachine) {
    self.machine = machine
  }

  /// Looks at the pools at the first block, and at the next full second while blocks wait.
  fileprivate func watch() {
    guard !isSet && (begin == nil || pools.contains(where: \.isWaiting)) else { return }
    let second: UInt64 = 1_000_000_000
    let delay = begin.map { second - (machine.time - $0) % second } ?? 0
    begin = begin ?? machine.time
    isSet = true
    machine.after(delay) {
      self.isSet = false
      self.pools.forEach { $0.grow() }
      self.watch()
    }
  }
}
