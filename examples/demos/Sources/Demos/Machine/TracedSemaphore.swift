// A semaphore whose waits are in the log.

internal import Synchronization
internal import Weir

/// A semaphore of a machine that reports waits, time-outs and signals.
///
/// DESIGN. libdispatch tells that `signal()` woke a thread, not which one. The log needs a number
/// for the wait that ended, so a woken wait is taken to be the oldest one; if a younger one turns
/// out to go on, the two exchange their numbers.
final class TracedSemaphore: Sendable {
  fileprivate struct Waits {
    var last: UInt64 = 0
    /// The waits that no signal has woken, the oldest first.
    var waiting: [UInt64] = []
    /// The woken waits whose thread has not gone on.
    var woken: [UInt64] = []
  }

  private let engine: any SemaphoreEngine
  private let machine: any Machine
  private let subject: TraceSubject
  private let waits = Mutex(Waits())

  init(_ machine: any Machine, label: String, permits: Int) {
    self.machine = machine
    engine = machine.makeSemaphore(permits: permits)
    subject = TraceSubject(label: label)
    note(permits: permits, of: label)
  }

  /// Takes a permit; false after a time-out in seconds of the demo. Blocks the thread.
  @discardableResult
  func wait(seconds: Double? = nil) -> Bool {
    // Under the lock: a try is a wait for a moment, and a signal would report it as woken.
    let number: UInt64? = waits.withLock { waits in
      if engine.tryWait() { return nil }
      waits.last += 1
      waits.waiting.append(waits.last)
      return waits.last
    }
    guard let number else {
      subject.report(.acquired)
      return true
    }
    subject.report(.wait, job: number)
    let isAcquired = engine.wait(nanoseconds: seconds.map { machine.nanoseconds($0) })
    let (ended, wasWoken) = waits.withLock { $0.end(number, isAcquired: isAcquired) }
    // The permit came between the two tries, and no signal had to wake the thread.
    if isAcquired && !wasWoken { subject.report(.wake, job: ended) }
    subject.report(isAcquired ? .acquired : .timedOut, job: ended)
    return isAcquired
  }

  /// Returns a permit; true if a waiting thread was woken.
  @discardableResult
  func signal() -> Bool {
    // Under the lock, so that the woken thread ends its wait after the report that woke it.
    waits.withLock { waits in
      subject.report(.signal)
      let isWoken = engine.signal()
      if isWoken, let number = waits.wakeOldest() {
        subject.report(.wake, job: number, lane: 1)
      }
      return isWoken
    }
  }
}

extension TracedSemaphore.Waits {
  /// Moves the oldest wait to the woken ones.
  fileprivate mutating func wakeOldest() -> UInt64? {
    guard !waiting.isEmpty else { return nil }
    let number = waiting.removeFirst()
    woken.append(number)
    return number
  }

  /// Ends a wait; returns the number to report, and whether a signal has woken it.
  fileprivate mutating func end(_ number: UInt64, isAcquired: Bool) -> (UInt64, Bool) {
    let others = isAcquired ? woken : waiting
    let ended = others.contains(number) ? number : others.first ?? number
    let wasWoken = woken.contains(ended)
    waiting.removeAll { $0 == ended }
    woken.removeAll { $0 == ended }
    return (ended, wasWoken)
  }
}
