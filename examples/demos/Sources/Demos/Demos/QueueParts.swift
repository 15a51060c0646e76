// The parts of the demo of queues: captured values, global queues, a lock or a queue, sources,
// timers.

internal import Dispatch
internal import Synchronization
internal import Weir
internal import Glibc

func partsFindings(_ values: KnobValues, _ log: TraceLog) -> Findings {
  let expected = 2 * values.int("tasks")
  let captured = log.notes("captured copy").last?.value ?? 0
  let lock = log.notes("lock: sum").last?.value
  let queue = log.notes("serial queue: sum").last?.value
  let timers = log.seconds(from: "timers begin", to: "TIMER")
  let serial = log.peak(from: "START serial", to: "END serial")
  return Findings(
    answers: [
      Double(serial), Double(log.peak(from: "START concurrent", to: "END concurrent")),
      log.lastSeconds("END serial"),
    ],
    checks: [
      ("a captured value is a copy", captured == 123),
      ("a shared variable is not", log.notes("shared variable").last?.value == 124),
      ("a block ran on each of the four global queues", log.notes("END global").count == 4),
      ("the lock loses no addition", lock == expected),
      ("the serial queue loses no addition", queue == expected && serial == 1),
      ("the timer source fires three times", log.notes("SOURCE timer").map(\.task) == [1, 2, 3]),
      ("the descriptor is readable once", log.notes("SOURCE descriptor").count == 1),
      ("the signal arrives once", log.notes("SOURCE signal").count == 1),
      ("each timer fires", log.numbers("TIMER").sorted() == [1, 2, 3]),
    ],
    verdict: "captured \(captured); lock \(lock ?? 0) and serial queue \(queue ?? 0) of "
      + "\(expected); three timers in \(text(seconds: timers)), and no thread waits for them.",
    next: "Predict --tasks 8: how many seconds until the last block on a serial queue?")
}

/// A sum that only blocks of one serial queue touch.
///
/// @unchecked: the queue runs them one at a time.
private final class SerialSum: @unchecked Sendable {
  var value = 0
}

/// The stations of the parts, one after the other on the main queue.
final class QueueParts: Sendable {
  /// The time of an addition on the serial queue, in seconds.
  private let seconds = 0.05
  private let additions: Int
  private let machine: any Machine
  private let main: TracedQueue

  init(_ values: KnobValues, _ machine: any Machine) {
    additions = values.int("tasks")
    self.machine = machine
    main = TracedQueue(mainOf: machine)
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    counters { self.blocks { self.globals { self.sources { self.timers(finish) } } } }
  }

  /// Additions on two threads: with a lock, and as blocks of a serial queue.
  private func counters(_ next: @escaping @Sendable () -> Void) {
    let (machine, additions, seconds) = (machine, additions, seconds)
    let lock = Mutex(0)
    let sum = SerialSum()
    let concurrent = TracedQueue(machine, label: "concurrent", .concurrent)
    let serial = TracedQueue(machine, label: "serial", .serial)
    let group = TracedGroup(machine, label: "group")
    for thread in 1...2 {
      concurrent.async(group: group) {
        note("START concurrent", thread)
        for _ in 1...additions {
          lock.withLock { $0 += 1 }
          serial.sync {
            sum.value += 1
            let number = sum.value
            note("START serial", number)
            machine.sleep(seconds)
            note("END serial", number)
          }
        }
        note("END concurrent", thread)
      }
    }
    group.notify(on: main) {
      note("lock: sum \(lock.withLock { $0 })", value: lock.withLock { $0 })
      note("serial queue: sum \(sum.value)", value: sum.value)
      next()
    }
  }

  /// The guide's block, and a variable that it captures.
  private func blocks(_ next: @escaping @Sendable () -> Void) {
    var (x, y) = (123, 456)
    let block = { [x, y] (z: Int) in note("block prints \(x) \(y) \(z)") }
    let copy = { [x] in note("captured copy \(x)", value: x) }
    let shared = { note("shared variable \(x)", value: x) }
    (x, y) = (124, y + 1)
    block(789)
    copy()
    shared()
    next()
  }

  /// A block on each global queue. There is one of each in a process, so that no one has to keep or
  /// release them.
  private func globals(_ next: @escaping @Sendable () -> Void) {
    let queues = [
      ("high", DispatchQueue.global(qos: .userInitiated)), ("default", .global(qos: .default)),
      ("low", .global(qos: .utility)), ("background", .global(qos: .background)),
    ]
    note("main queue: \(DispatchQueue.main.label)")
    let left = Countdown(queues.count) { self.main.async(next) }
    for (number, (priority, queue)) in queues.enumerated() {
      let block: @Sendable () -> Void = {
        note("START global \(priority): \(queue.label)", number + 1)
        note("END global \(priority)", number + 1)
        left.count()
      }
      if machine.isSimulated {
        TracedQueue(machine, label: queue.label, .concurrent).async(block)
      } else {
        queue.async(execute: block)
      }
    }
  }

  /// A timer source that fires three times, a descriptor that becomes readable, and a signal.
  private func sources(_ next: @escaping @Sendable () -> Void) {
    let left = Countdown(5) { self.main.async(next) }
    let report: @Sendable (String, Int) -> Void = { event, number in
      note("SOURCE \(event)", number)
      left.count()
    }
    guard machine.isSimulated else {
      return realSources(interval: .nanoseconds(Int(machine.nanoseconds(0.1))), report)
    }
    report("descriptor is readable", 1)
    report("signal arrives", 1)
    for number in 1...3 {
      machine.after(0.1 * Double(number), on: main) { report("timer fires", number) }
    }
  }

  private func realSources(
    interval: DispatchTimeInterval, _ report: @escaping @Sendable (String, Int) -> Void
  ) {
    let queue = DispatchQueue(label: "sources")
    // Each handler keeps its source until it cancels it, and only the queue uses them.
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
    let fired = SharedCount()
    timer.setEventHandler {
      let number = fired.add()
      guard number <= 3 else { return }
      if number == 3 { timer.cancel() }
      report("timer fires", number)
    }
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.activate()

    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    let (reader, writer) = (ends[0], ends[1])
    nonisolated(unsafe) let readable = DispatchSource.makeReadSource(
      fileDescriptor: reader, queue: queue)
    readable.setEventHandler {
      readable.cancel()
      report("descriptor is readable", 1)
    }
    readable.setCancelHandler {
      close(reader)
      close(writer)
    }
    readable.activate()
    write(writer, "x", 1)

    signal(SIGUSR1, SIG_IGN)
    nonisolated(unsafe) let arrival = DispatchSource.makeSignalSource(
      signal: SIGUSR1, queue: queue)
    arrival.setRegistrationHandler { kill(getpid(), SIGUSR1) }
    arrival.setEventHandler {
      arrival.cancel()
      report("signal arrives", 1)
    }
    arrival.activate()
  }

  /// Three timers that run at the same time. None of them has a thread before it fires.
  private func timers(_ finish: @escaping @Sendable () -> Void) {
    note("timers begin")
    let left = Countdown(3, finish)
    for number in 1...3 {
      machine.after(1, on: main) {
        note("TIMER fires", number)
        left.count()
      }
    }
  }
}

extension Machine {
  /// Submits a block to a queue later; no thread waits until then.
  fileprivate func after(
    _ seconds: Double, on queue: TracedQueue, _ block: @escaping @Sendable () -> Void
  ) {
    if isSimulated {
      task {
        try? await self.pause(seconds)
        queue.async(block)
      }
    } else {
      let time = DispatchTime.now() + .nanoseconds(Int(nanoseconds(seconds)))
      DispatchQueue.global().asyncAfter(deadline: time) { queue.async(block) }
    }
  }
}

// MARK: - The code

func partsCode(_ values: KnobValues) -> [Listing] {
  let additions = values.int("tasks")
  return [
    Listing(
      language: "Swift", title: "a lock, or a serial queue",
      """
      let lock = Mutex(0)
      nonisolated(unsafe) var sum = 0
      let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
      let serial = DispatchQueue(label: "serial")
      let group = DispatchGroup()
      for _ in 1...2 {
        concurrent.async(group: group) { @submit
          for _ in 1...\(additions) {
            lock.withLock { $0 += 1 }
            serial.sync { @run
              sum += 1  // one block at a time: no lock
              usleep(50_000)
            }
          }
        }
      }
      group.notify(queue: .main) { print(lock.withLock { $0 }, sum) } @notify
      """),
    Listing(
      language: "Swift", title: "a copy, or the variable",
      """
      var x = 123
      let copy = { [x] in print(x) }  // as a block of C: a copy
      let shared = { print(x) }  // as __block in C: the variable
      x = 124
      copy()  // 123
      shared()  // 124
      """),
    Listing(
      language: "Swift", title: "sources and timers",
      """
      let queue = DispatchQueue(label: "sources")
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { print("timer fires") }
      timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
      timer.activate()

      let readable = DispatchSource.makeReadSource(fileDescriptor: reader, queue: queue)
      readable.setEventHandler { print("descriptor is readable") }
      readable.activate()

      signal(SIGUSR1, SIG_IGN)  // or else the signal ends the process
      let arrival = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: queue)
      arrival.setEventHandler { print("signal arrives") }
      arrival.activate()

      for _ in 1...3 {
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { print("TIMER fires") }  // no thread waits
      }
      """),
    Listing(
      language: "C", title: "a block, and common queues",
      """
      void blocks(void) {
          int x = 123;
          int y = 456;
          void (^aBlock)(int) = ^(int z) {
              printf("%d %d %d\\n", x, y, z);
          };
          aBlock(789); /* prints: 123 456 789 */

          __block int shared = 123; /* the block and its scope have one variable */
          ^{ shared = 124; }();
      }

      void queues(dispatch_queue_t queue) {
          dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0);
          dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
          dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0);
          dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_BACKGROUND, 0);
          dispatch_get_main_queue(); /* dispatch_main() runs its blocks */
          dispatch_assert_queue(queue); /* instead of dispatch_get_current_queue() */
          dispatch_retain(queue); /* ignored for the global queues */
          dispatch_release(queue);
          /* Not on Linux: autorelease pools, which belong to Objective-C. */
      }
      """),
  ]
}
