// The simulated machine: the same code and the same log each time.
//
// DESIGN. All threads are real, but only one has the turn, so nothing here needs a lock. The
// thread that called `run` gives the turn to the threads that can go on, in order; if none can,
// it moves the clock to the next timer; if there is none either, the run is over, and threads
// that still wait are stuck for good. Queues and threads follow libdispatch on Linux:
// SimulatedEngines.swift and SimulatedPool.swift have the rules. SimulationTests.swift holds them
// against real runs. One thread drains the main queue and never ends before the run does. Swift
// tasks run their own code too: the machine is their executor, with a thread a core.

internal import CWeir
internal import Synchronization
internal import Weir

/// Runs demos in simulated time. @unchecked: only the owner of the turn touches the state.
final class SimulatedMachine: Machine, TaskExecutor, @unchecked Sendable {
  var isSimulated: Bool { true }
  let speed: Double = 1
  let cores: Int
  var mainQueue: any QueueEngine { main }
  var isOnMainQueue: Bool { main.isCurrent }

  var now: UInt64 { time }

  /// The seconds that a core takes to hand out a block of a loop while the other one does the same, and
  /// those until the second thread begins: measured once, on two cores of an AMD EPYC.
  static let blockSeconds = 120e-9
  static let wakeSeconds = 40e-6

  private(set) var time: UInt64 = 1_000_000_000
  private var ready: [SimulatedThread] = []
  private var timers: [SimulatedTimer] = []
  private var timersMade = 0
  private var current: SimulatedThread?
  private var blocked = 0

  // A thread that waits for more than thirty years waits until the end of the run.
  private lazy var main = SimulatedQueue(
    self, kind: .serial, pool: SimulatedPool(self, limit: 1, idleSeconds: 1_000_000_000))
  /// The pool of concurrent queues, and that of serial queues and lanes.
  private lazy var sharedPool = SimulatedPool(self, limit: cores, isWatched: true)
  private lazy var ownPool = SimulatedPool(self, limit: 255)
  private lazy var taskPool = SimulatedPool(self, limit: cores)
  private lazy var coreSemaphore = SimulatedSemaphore(self, permits: cores)

  init(cores: Int = 2) { self.cores = cores }

  /// Runs a closure on the main queue, and blocks until no thread can go on. Returns the number of
  /// threads that wait for good. A machine runs once.
  func run(_ body: @escaping @Sendable () -> Void) -> Int {
    main.async(body)
    while giveTurn() || passTime() {}
    return blocked
  }

  /// Gives the trace the time of this machine while a closure runs. The trace has one clock.
  func withClockOfTrace(_ body: () -> Void) {
    SimulatedClock.machine.withLock { $0 = self }
    weir_spi_trace_set_clock { SimulatedClock.machine.withLock { $0?.tick() ?? 0 } }
    body()
    weir_spi_trace_set_clock(nil)
    SimulatedClock.machine.withLock { $0 = nil }
  }

  private func giveTurn() -> Bool {
    guard !ready.isEmpty else { return false }
    let thread = ready.removeFirst()
    current = thread
    thread.takeTurn()
    current = nil
    return true
  }

  private func passTime() -> Bool {
    guard let next = timers.indices.min(by: { timers[$0] < timers[$1] }) else { return false }
    let timer = timers.remove(at: next)
    time = max(time, timer.time)
    timer.action()
    return true
  }

  /// The time of an event: each is later than the former one.
  fileprivate func tick() -> UInt64 {
    time += 1
    return time
  }

  // MARK: - Threads, for the engines

  func start(_ body: @escaping @Sendable () -> Void) -> SimulatedThread {
    let thread = SimulatedThread(body)
    ready.append(thread)
    return thread
  }

  func wake(_ thread: SimulatedThread) {
    ready.append(thread)
  }

  /// Waits until the thread is woken.
  func block() {
    guard let thread = current else { preconditionFailure("not a thread of the simulation") }
    blocked += 1
    thread.yield()
    blocked -= 1
  }

  var currentThread: SimulatedThread? { current }

  /// Calls a closure later; returns the number of the timer, to cancel it.
  @discardableResult
  func after(_ nanoseconds: UInt64, _ action: @escaping () -> Void) -> Int {
    timersMade += 1
    timers.append(
      SimulatedTimer(time: time + nanoseconds, number: timersMade, action: action))
    return timersMade
  }

  func cancel(timer number: Int) {
    timers.removeAll { $0.number == number }
  }

  // MARK: - Machine

  func makeQueue(
    label: String, kind: QueueKind, quality: QueueQuality
  ) -> any QueueEngine {
    switch kind {
    case .concurrent, .operations: SimulatedQueue(self, kind: kind, pool: sharedPool)
    case .serial, .lanes: SimulatedQueue(self, kind: kind, pool: ownPool)
    }
  }

  func makeSemaphore(permits: Int) -> any SemaphoreEngine {
    SimulatedSemaphore(self, permits: permits)
  }

  func makeGroup() -> any GroupEngine { SimulatedGroup(self) }

  func sleep(_ seconds: Double) {
    guard let thread = current else { return }
    after(nanoseconds(seconds)) { self.wake(thread) }
    block()
  }

  func compute(_ seconds: Double) {
    if !coreSemaphore.tryWait() { _ = coreSemaphore.wait(nanoseconds: nil) }
    sleep(seconds)
    _ = coreSemaphore.signal()
  }

  /// Runs blocks as dispatch_apply does: the caller and a thread for each other core take the next
  /// block until none is left. The caller does not wait for a thread that comes too late for any.
  func apply(_ blocks: Int, _ block: @escaping @Sendable (Int) -> Void) {
    guard blocks > 0 else { return }
    let next = Mutex(0)
    let ended = makeSemaphore(permits: 0)
    let left = Countdown(blocks) { _ = ended.signal() }
    let work: @Sendable () -> Void = {
      while true {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < blocks else { return }
        block(number)
        left.count()
      }
    }
    let helpers = makeQueue(label: "apply", kind: .lanes(cores))
    for _ in 1..<max(1, min(cores, blocks)) {
      helpers.async {
        self.sleep(Self.wakeSeconds)
        work()
      }
    }
    work()
    _ = ended.wait(nanoseconds: nil)
  }

  func pause(_ seconds: Double) async throws {
    let pause = SimulatedPause(self)
    try await TracedTasks.suspended {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          pause.begin(continuation, nanoseconds(seconds))
        }
      } onCancel: {
        pause.cancel()
      }
    }
  }

  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self) { await body() }
  }

  /// Runs the next step of a task, on one of the threads for tasks.
  func enqueue(_ job: consuming ExecutorJob) {
    let step = UnownedJob(job)
    taskPool.add { step.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The machine whose time the trace shows.
private enum SimulatedClock {
  static let machine = Mutex<SimulatedMachine?>(nil)
}

private struct SimulatedTimer {
  let time: UInt64
  let number: Int
  let action: () -> Void

  static func < (left: SimulatedTimer, right: SimulatedTimer) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }
}
