// A group whose work is in the log.

internal import Synchronization
internal import Weir

/// A group of a machine that reports each enter and leave with the outstanding work.
final class TracedGroup: Sendable {
  private let engine: any GroupEngine
  private let machine: any Machine
  private let subject: TraceSubject
  private let outstanding = Mutex(0)

  init(_ machine: any Machine, label: String) {
    self.machine = machine
    engine = machine.makeGroup()
    subject = TraceSubject(label: label)
  }

  /// Adds a unit of outstanding work.
  func enter() {
    engine.enter()
    // Under the lock, so that the counts are in the log in their order.
    outstanding.withLock { count in
      count += 1
      subject.report(.enter, count: count)
    }
  }

  /// Takes a unit of outstanding work away.
  func leave() {
    outstanding.withLock { count in
      count -= 1
      subject.report(.leave, count: count)
    }
    engine.leave()
  }

  /// Waits until no work is outstanding; false after a time-out. Blocks the thread.
  func wait(seconds: Double? = nil) -> Bool {
    note("group wait")
    let isOver = engine.wait(nanoseconds: seconds.map { machine.nanoseconds($0) })
    note(isOver ? "group is empty" : "group wait timed out")
    return isOver
  }

  func notify(on queue: TracedQueue, _ block: @escaping @Sendable () -> Void) {
    engine.notify(on: queue.engine) { queue.runNotified(block) }
  }
}
