// The machine that a demo runs on: libdispatch and real threads, or a simulation of them.
//
// DESIGN. A demo is written once, as code that waits and signals. On the real machine each call
// is one of libdispatch. On the simulated one (SimulatedMachine.swift) each thread is a thread
// that runs only when it is its turn, and time passes only when all of them wait: the same code
// gives the same log each time. A list of steps that two interpreters execute was rejected: the
// code that a learner reads would not be the code that runs.

/// The machine of a run.
public enum DemoMachine: Sendable {
  /// Threads that take turns and a clock that jumps, with two cores: the same run each time.
  case simulated
  /// libdispatch, Weir and the tasks of Swift, at a number of seconds of the demo in a second. The
  /// process has to drain the main queue.
  case real(speed: Double)

  var machine: any Machine {
    switch self {
    case .simulated: SimulatedMachine()
    case .real(let speed): RealMachine(speed: speed)
    }
  }
}

/// The kinds of queue.
enum QueueKind: Sendable, Equatable {
  case serial
  /// As many blocks at once as the pool has threads.
  case concurrent
  /// Up to this number of blocks at once, each with a thread of its own.
  case lanes(Int)
  /// Foundation's operations: up to this number at once, on threads of the pool.
  case operations(Int)
}

/// The quality of service of a queue. On Linux it sets a nice value, and only with privilege.
enum QueueQuality: String, Sendable {
  case unspecified
  case userInitiated
  case utility
}

/// Runs the blocks of a queue. ``TracedQueue`` adds the events.
protocol QueueEngine: Sendable {
  /// True if the engine reports the events of its blocks itself.
  var reportsItself: Bool { get }
  func async(_ block: @escaping @Sendable () -> Void)
  /// Runs a block and returns after it. Blocks the thread.
  func sync(_ block: @Sendable () -> Void)
  /// Begins no more blocks, until as many calls of ``resume()``.
  func suspend()
  /// Takes back one call of ``suspend()``.
  func resume()
}

/// Counts permits. ``TracedSemaphore`` adds the events.
protocol SemaphoreEngine: Sendable {
  /// Takes a permit if one is free.
  func tryWait() -> Bool
  /// Takes a permit. Blocks the thread.
  ///
  /// - Parameter nanoseconds: The time-out, by the time of day, which moves when the clock is set;
  ///   `nil` for none.
  /// - Returns: False if the wait timed out.
  func wait(nanoseconds: UInt64?) -> Bool
  /// Returns a permit; true if a waiting thread was woken.
  func signal() -> Bool
}

/// Counts outstanding work. ``TracedGroup`` adds the events.
protocol GroupEngine: Sendable {
  func enter()
  func leave()
  /// Waits until no work is outstanding; false after a time-out. Blocks the thread.
  func wait(nanoseconds: UInt64?) -> Bool
  /// Submits a block to a queue as soon as no work is outstanding.
  func notify(on queue: any QueueEngine, _ block: @escaping @Sendable () -> Void)
}

/// Runs the code of a demo. Times are in seconds of the demo, which pass ``speed`` times as fast.
protocol Machine: Sendable {
  /// True if threads and time are simulated.
  var isSimulated: Bool { get }
  /// The number of seconds of the demo in a second.
  var speed: Double { get }
  var cores: Int { get }
  var mainQueue: any QueueEngine { get }
  var isOnMainQueue: Bool { get }
  var now: UInt64 { get }

  func makeQueue(label: String, kind: QueueKind, quality: QueueQuality) -> any QueueEngine
  func makeSemaphore(permits: Int) -> any SemaphoreEngine
  func makeGroup() -> any GroupEngine

  /// Blocks the thread, without using a core.
  func sleep(_ seconds: Double)
  /// Uses a core.
  func compute(_ seconds: Double)
  /// Runs blocks on all cores, each with its number from 0, and returns after the last one.
  func apply(_ blocks: Int, _ block: @escaping @Sendable (Int) -> Void)
  /// Suspends the task; throws `CancellationError` if it is cancelled.
  func pause(_ seconds: Double) async throws
  /// Starts a task.
  @discardableResult
  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never>
}

extension Machine {
  /// Makes a queue without a quality of service of its own.
  func makeQueue(label: String, kind: QueueKind) -> any QueueEngine {
    makeQueue(label: label, kind: kind, quality: .unspecified)
  }

  func nanoseconds(_ seconds: Double) -> UInt64 {
    UInt64((max(0, seconds) / speed * 1e9).rounded())
  }
}
