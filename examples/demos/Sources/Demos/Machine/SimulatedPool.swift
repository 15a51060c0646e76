// The threads of the simulated machine that run blocks.
//
// DESIGN. Measured with programs of the C interface of libdispatch on Linux, two cores:
// - The threads of serial queues and lanes come at once, up to 255: 300 serial queues ran 255
//   blocks at a time.
// - Concurrent queues share a pool, which begins with a thread a core. A monitor looks at it at
//   its first block and each second after it: nine blocks that came half a second after the
//   first one began two at 0.5 s, then one at 1.0 s and one at 2.0 s. So a burst at the beginning
//   has a thread more than there are cores.
// - The monitor adds a thread if blocks wait and no thread of the pool can run. The blocks of the
//   demos sleep or wait; of those that compute, at most two threads a core would be added.
// - The oldest idle thread takes the next block. A thread that is idle for 5 s ends.
// libdispatch promises none of this. The first look of the monitor can also come too early, and
// then the burst has as many threads as there are cores for up to a second.

/// A pool of threads. @unchecked: only the owner of the turn touches the state.
final class SimulatedPool: @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private let limit: Int
  private let isWatched: Bool
  private let idleNanoseconds: UInt64
  private var pending: [@Sendable () -> Void] = []
  private var idle: [SimulatedThread] = []
  private var threads = 0
  /// The time of the first block, from which the monitor counts its seconds.
  private var begin: UInt64?
  private var isMonitorSet = false

  /// - Parameters:
  ///   - limit: The maximum number of threads, but for those that the monitor adds.
  ///   - isWatched: True if the monitor looks at the pool.
  ///   - idleSeconds: The time after which an idle thread ends.
  init(
    _ machine: SimulatedMachine, limit: Int, isWatched: Bool = false, idleSeconds: UInt64 = 5
  ) {
    self.machine = machine
    self.limit = limit
    self.isWatched = isWatched
    idleNanoseconds = idleSeconds * 1_000_000_000
  }

  /// Runs a block on an idle thread, on a new one, or later.
  func add(_ block: @escaping @Sendable () -> Void) {
    pending.append(block)
    if !idle.isEmpty {
      machine.wake(idle.removeFirst())
    } else if threads < limit {
      addThread()
    }
    if isWatched { watch() }
  }

  /// True if a block waits for a thread.
  private var isWaiting: Bool { !pending.isEmpty && idle.isEmpty }

  /// Looks at the first block, and at each next full second while blocks wait.
  private func watch() {
    guard !isMonitorSet && (begin == nil || isWaiting) else { return }
    let second: UInt64 = 1_000_000_000
    let delay = begin.map { second - (machine.time - $0) % second } ?? 0
    begin = begin ?? machine.time
    isMonitorSet = true
    machine.after(delay) {
      self.isMonitorSet = false
      if self.isWaiting && self.threads < 255 { self.addThread() }
      self.watch()
    }
  }

  private func addThread() {
    threads += 1
    _ = machine.start { self.work() }
  }

  private func work() {
    guard let thread = machine.currentThread else { return }
    while let block = next(thread) { block() }
    threads -= 1
  }

  /// Waits for a block; `nil` if none came while the thread was idle.
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
