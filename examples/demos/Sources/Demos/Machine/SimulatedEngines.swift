// The queue, the semaphore, the group and the pause of the simulated machine.
//
// DESIGN. The queue follows libdispatch on Linux, as its C interface was seen to work:
// - `sync` runs its block on the caller's thread. If the queue is free, no other thread takes
//   part, and a full pool does not matter. If a serial queue is busy, the caller waits in the
//   queue's order, and the queue passes from thread to thread.
// - A thread runs all blocks of a serial queue, or of a lane, that follow each other. After a
//   caller in `sync`, another thread may go on with the rest.
// - A concurrent queue passes its blocks on to the pool at once: those that wait for a thread of
//   the pool run even if the queue has been suspended since.
// - A queue that is suspended begins nothing, but for a block that a thread was asked for: of 200
//   blocks that were submitted just before, 199 ran.
// A block that calls `sync` on the serial queue that runs it waits forever here. libdispatch
// traps.

/// A queue: its blocks begin in order, as many at once as its kind allows.
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedQueue: QueueEngine, @unchecked Sendable {
  private enum Item {
    case block(@Sendable () -> Void)
    /// A thread that waits in `sync`.
    case caller(SimulatedThread)
  }

  private unowned let machine: SimulatedMachine
  private let kind: QueueKind
  private let pool: SimulatedPool
  private let width: Int
  private var items: [Item] = []
  private var running = 0
  private var suspensions = 0

  /// True if the calling code is a block of this queue.
  var isCurrent: Bool { machine.currentThread?.queue === self }

  init(_ machine: SimulatedMachine, kind: QueueKind, pool: SimulatedPool) {
    self.machine = machine
    self.kind = kind
    self.pool = pool
    width =
      switch kind {
      case .serial: 1
      case .concurrent: .max
      case .lanes(let width), .operations(let width): width
      }
  }

  var reportsItself: Bool { false }

  func async(_ block: @escaping @Sendable () -> Void) {
    items.append(.block(block))
    begin()
  }

  func sync(_ block: @Sendable () -> Void) {
    if suspensions == 0 && running < width {
      running += 1
    } else if let thread = machine.currentThread {
      items.append(.caller(thread))
      machine.block()
    }
    run(block)
    end()
  }

  func suspend() { suspensions += 1 }

  func resume() {
    suspensions -= 1
    begin()
  }

  private func begin() {
    while suspensions == 0 && running < width && !items.isEmpty {
      running += 1
      switch items.removeFirst() {
      case .caller(let thread): machine.wake(thread)
      case .block(let block): pool.add { self.drain(from: block) }
      }
    }
  }

  /// Runs a block, and on the same thread those that follow it.
  private func drain(from first: @Sendable () -> Void) {
    run(first)
    while kind != .concurrent, suspensions == 0, case .block(let block)? = items.first {
      items.removeFirst()
      run(block)
    }
    end()
  }

  private func run(_ block: () -> Void) {
    let thread = machine.currentThread
    let outer = thread?.queue
    thread?.queue = self
    block()
    thread?.queue = outer
  }

  private func end() {
    running -= 1
    begin()
  }
}

/// A semaphore that wakes its waiting threads in order.
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedSemaphore: SemaphoreEngine, @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private var free: Int
  private var waiting: [(number: Int, thread: SimulatedThread)] = []
  private var granted: Set<Int> = []
  private var waits = 0

  init(_ machine: SimulatedMachine, permits: Int) {
    self.machine = machine
    free = permits
  }

  func tryWait() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }

  func wait(nanoseconds: UInt64?) -> Bool {
    if tryWait() { return true }
    guard let thread = machine.currentThread else { return false }
    waits += 1
    let number = waits
    waiting.append((number, thread))
    let timer = nanoseconds.map { nanoseconds in
      machine.after(nanoseconds) {
        guard let place = self.waiting.firstIndex(where: { $0.number == number }) else { return }
        self.waiting.remove(at: place)
        self.machine.wake(thread)
      }
    }
    machine.block()
    guard granted.remove(number) != nil else { return false }
    if let timer { machine.cancel(timer: timer) }
    return true
  }

  func signal() -> Bool {
    guard !waiting.isEmpty else {
      free += 1
      return false
    }
    let (number, thread) = waiting.removeFirst()
    granted.insert(number)
    machine.wake(thread)
    return true
  }
}

/// A group. @unchecked: only the owner of the turn touches the state.
final class SimulatedGroup: GroupEngine, @unchecked Sendable {
  private let empty: SimulatedSemaphore
  private var outstanding = 0
  private var waiters = 0
  private var notifications: [() -> Void] = []

  init(_ machine: SimulatedMachine) {
    empty = SimulatedSemaphore(machine, permits: 0)
  }

  func enter() { outstanding += 1 }

  func leave() {
    outstanding -= 1
    guard outstanding == 0 else { return }
    for _ in 0..<waiters { _ = empty.signal() }
    waiters = 0
    let notifications = notifications
    self.notifications = []
    notifications.forEach { $0() }
  }

  func wait(nanoseconds: UInt64?) -> Bool {
    if outstanding == 0 { return true }
    waiters += 1
    if empty.wait(nanoseconds: nanoseconds) { return true }
    waiters -= 1
    return false
  }

  func notify(on queue: any QueueEngine, _ block: @escaping @Sendable () -> Void) {
    guard outstanding > 0 else { return queue.async(block) }
    notifications.append { queue.async(block) }
  }
}

/// A task that sleeps. @unchecked: only the owner of the turn touches the state.
final class SimulatedPause: @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  private var continuation: CheckedContinuation<Void, any Error>?
  private var timer: Int?
  private var isCancelled = false

  init(_ machine: SimulatedMachine) {
    self.machine = machine
  }

  func begin(_ continuation: CheckedContinuation<Void, any Error>, _ nanoseconds: UInt64) {
    guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
    self.continuation = continuation
    timer = machine.after(nanoseconds) {
      self.continuation?.resume()
      self.continuation = nil
    }
  }

  func cancel() {
    isCancelled = true
    if let timer { machine.cancel(timer: timer) }
    continuation?.resume(throwing: CancellationError())
    continuation = nil
  }
}
