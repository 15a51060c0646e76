// The real machine: libdispatch and Swift's concurrency.

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import Weir
internal import Glibc

/// On Linux the main queue's blocks run on a thread of the pool once the program has come to
/// `dispatchMain()`: so the queue is asked, never the thread.
private let mainMark: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Runs demos on real threads. The process has to drain the main queue.
struct RealMachine: Machine {
  var isSimulated: Bool { false }
  let speed: Double
  private let made = MadeLanes()

  /// - Parameter speed: Above 0.
  init(speed: Double) {
    self.speed = speed
    _ = mainMark  // set before the first block asks
  }

  var cores: Int { Lanes.defaultWidth }

  var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainMark) == true }

  var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  var mainQueue: any QueueEngine { RealQueue(queue: .main) }

  func makeQueue(
    label: String, kind: QueueKind, quality: QueueQuality
  ) -> any QueueEngine {
    let qos: DispatchQoS =
      switch quality {
      case .unspecified: .unspecified
      case .userInitiated: .userInitiated
      case .utility: .utility
      }
    return switch kind {
    case .serial: RealQueue(queue: DispatchQueue(label: label, qos: qos))
    case .concurrent:
      RealQueue(queue: DispatchQueue(label: label, qos: qos, attributes: .concurrent))
    case .lanes(let width): RealLanes(lanes: made.add(Lanes(label: label, width: width)))
    case .operations(let limit): RealOperations(limit: limit)
    }
  }

  /// Waits until the lanes have reported the ends of their jobs, for a second for each at most.
  @available(*, noasync, message: "it blocks")
  func settle() {
    for lanes in made.all { _ = lanes.wait(timeout: .seconds(1)) }
  }

  func makeSemaphore(permits: Int) -> any SemaphoreEngine {
    RealSemaphore(permits: permits)
  }

  func makeGroup() -> any GroupEngine { RealGroup() }

  func sleep(_ seconds: Double) {
    let whole = Int(nanoseconds(seconds))
    var left = timespec(tv_sec: whole / 1_000_000_000, tv_nsec: whole % 1_000_000_000)
    var rest = left
    while nanosleep(&left, &rest) != 0 && errno == EINTR { left = rest }
  }

  func compute(_ seconds: Double) {
    let end = now + nanoseconds(seconds)
    while now < end {}
  }

  /// Runs blocks on all cores, as dispatch_apply does.
  func apply(_ blocks: Int, _ block: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: blocks, execute: block)
  }

  func pause(_ seconds: Double) async throws {
    try await TracedTasks.suspended { try await Task.sleep(nanoseconds: nanoseconds(seconds)) }
  }

  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task { await body() }
  }
}

private final class MadeLanes: Sendable {
  private let lanes = Mutex<[Lanes]>([])
  var all: [Lanes] { lanes.withLock { $0 } }

  func add(_ made: Lanes) -> Lanes {
    lanes.withLock { $0.append(made) }
    return made
  }
}

private struct RealQueue: QueueEngine {
  let queue: DispatchQueue
  var reportsItself: Bool { false }
  func async(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
  func sync(_ block: @Sendable () -> Void) { queue.sync(execute: block) }
  func suspend() { queue.suspend() }
  func resume() { queue.resume() }
}

/// Weir's lanes. Their own events have their label.
private struct RealLanes: QueueEngine {
  let lanes: Lanes
  var reportsItself: Bool { true }
  func async(_ block: @escaping @Sendable () -> Void) { lanes.async(block) }

  func sync(_ block: @Sendable () -> Void) {
    preconditionFailure("lanes have no sync: their callers do not wait")
  }

  func suspend() { lanes.suspend() }
  func resume() { lanes.resume() }
}

private struct RealOperations: QueueEngine {
  let queue = OperationQueue()
  init(limit: Int) { queue.maxConcurrentOperationCount = limit }
  var reportsItself: Bool { false }
  func async(_ block: @escaping @Sendable () -> Void) { queue.addOperation(block) }

  func sync(_ block: @Sendable () -> Void) {
    preconditionFailure("operations have no sync: their callers do not wait")
  }

  func suspend() { queue.isSuspended = true }
  func resume() { queue.isSuspended = false }
}

private struct RealSemaphore: SemaphoreEngine {
  // The semaphore begins at 0 and is raised: libdispatch traps if one is released below its
  // first value, as a demo that ends with a permit in use would.
  let semaphore = DispatchSemaphore(value: 0)

  init(permits: Int) {
    for _ in 0..<permits { semaphore.signal() }
  }

  /// DISPATCH_TIME_NOW. `.now()` is a point in time: the wait for it may take the wakeup that a
  /// signal has sent to another thread.
  private static let immediately = DispatchTime(uptimeNanoseconds: 0)

  func tryWait() -> Bool { semaphore.wait(timeout: Self.immediately) == .success }

  func wait(nanoseconds: UInt64?) -> Bool {
    guard let nanoseconds else {
      semaphore.wait()
      return true
    }
    return semaphore.wait(wallTimeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
  }

  func signal() -> Bool { semaphore.signal() != 0 }
}

private struct RealGroup: GroupEngine {
  let group = DispatchGroup()
  func enter() { group.enter() }
  func leave() { group.leave() }

  func wait(nanoseconds: UInt64?) -> Bool {
    guard let nanoseconds else {
      group.wait()
      return true
    }
    return group.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
  }

  func notify(on queue: any QueueEngine, _ block: @escaping @Sendable () -> Void) {
    if let queue = queue as? RealQueue {
      group.notify(queue: queue.queue, execute: block)
    } else {
      group.notify(queue: .global()) { queue.async(block) }
    }
  }
}
