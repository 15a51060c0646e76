// The queue, the semaphore, the group and the pause of the simulated machine.

/// A queue: its blocks begin in order, as many at once as its kind allows.
///
/// @unchecked: only the owner of the turn touches the state.
final class SimulatedQueue: QueueEngine, @unchecked Sendable {
  private unowned let machine: SimulatedMachine
  let pool: SimulatedPool
  private let width: Int
  private var pending: [@Sendable () -> Void] = []
  private var running = 0
  private var suspensions = 0
  private var owner: SimulatedThread?

  /// True if the calling code is a block of this serial queue.
  var isCurrent: Bool { owner != nil && owner === machine.currentThread }

  init(_ machine: SimulatedMachine, kind: QueueKind, pool: SimulatedPool) {
    self.machine = machine
    self.pool = pool
    width =
      switch kind {
      case .serial: 1
      case .concurrent: .max
      case .lanes(let width): width
      }
  }

  var reportsItself: Bool { false }

  func async(_ block: @escaping @Sendable () -> Void) {
    pending.append(block)
    begin()
  }

  func sync(_ block: @Sendable () -> Void) {
    let done = SimulatedSemaphore(machine, permits: 0)
    withoutActuallyEscaping(block) { block in
      async {
        block()
        _ = done.signal()
      }
      _ = done.wait(nanoseconds: nil)
    }
  }

  func suspend() { suspensions += 1 }

  func resume() {
    suspensions -= 1
    begin()
  }

  private func begin() {
    while suspensions == 0 && running < width && !pending.isEmpty {
      let block = pending.removeFirst()
      running += 1
      pool.add {
        self.owner = self.machine.currentThread
        block()
        self.owner = nil
        self.running -= 1
        self.begin()
      }
    }
  }
}

/// A semaphore that wakes its waiting threads in order.
///
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

  func wait(nanoseconds: UInt64?, isWallTime: Bool) -> Bool {
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

/// A group.
///
/// @unchecked: only the owner of the turn touches the state.
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
    let notifications = notifications
    self.notifications = []
    notifications.forEach { $0() }
  }

  func wait(nanoseconds: UInt64?) -> Bool {
    if outstanding == 0 { return true }
    waiters += 1
    defer { waiters -= 1 }
    return empty.wait(nanoseconds: nanoseconds)
  }

  func notify(on queue: any QueueEngine, _ block: @escaping @Sendable () -> Void) {
    guard outstanding > 0 else { return queue.async(block) }
    notifications.append { queue.async(block) }
  }
}

/// A task that sleeps.
///
/// @unchecked: only the owner of the turn touches the state.
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
