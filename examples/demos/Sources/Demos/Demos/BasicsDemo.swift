// The demo of the parts: blocks and captured values, global queues, a lock, a source, timers.

internal import Dispatch
internal import Synchronization
internal import Weir

extension Demo {
  static let basics = Demo(
    name: "basics",
    abstract: "The parts: captured values, global queues, a lock or a queue, a source, timers.",
    speed: 0.4,
    knobs: [
      .number("tasks", 1...100, 10, "Number of additions of each of two threads"),
      .seconds("seconds", 0.05...5, 1, "Time of a timer"),
    ],
    questions: [
      Question("captured", "A block captures x = 123, x becomes 124: what does it print?", .count),
      Question("sum", "Two threads add 1, --tasks times each, on a serial queue: the sum?", .count),
      Question("seconds", "Three timers of --seconds each: how long do all take?", .seconds),
    ],
    introduction: { values in
      "Values that blocks capture; the four global queues; "
        + "\(text(values.int("tasks"), "addition")) on each of two threads, with a lock and with a serial queue; a source; three timers."
    },
    start: { values, machine, finish in BasicsTour(values, machine).start(finish) },
    findings: { values, run in basicsFindings(values, run.log) },
    code: { _ in [blockC, sharedSwift, globalC, counterSwift, sourceSwift] })
}

private func basicsFindings(_ values: KnobValues, _ log: TraceLog) -> Findings {
  let expected = 2 * values.int("tasks")
  let captured = log.notes("captured copy").last?.value ?? 0
  let lock = log.notes("lock: sum").last?.value
  let queue = log.notes("serial queue: sum").last?.value
  let timers = log.seconds(from: "timers begin", to: "TIMER")
  return Findings(
    answers: [Double(captured), Double(queue ?? 0), timers],
    checks: [
      ("a captured value is a copy", captured == 123),
      ("a shared variable is not", log.notes("shared variable").last?.value == 124),
      ("a block ran on each of the four global queues", log.notes("END global").count == 4),
      ("the lock loses no addition", lock == expected),
      ("the serial queue loses no addition", queue == expected),
      ("the source fires three times", log.numbers("SOURCE") == [1, 2, 3]),
      ("each timer fires", log.numbers("TIMER").sorted() == [1, 2, 3]),
    ],
    verdict: "captured \(captured); lock \(lock ?? 0) and serial queue \(queue ?? 0) of "
      + "\(expected); three timers in \(text(seconds: timers)), and no thread waits for them.",
    next: "Predict it for --seconds 2: do three timers take 2 s or 6 s?")
}

/// The stations of the demo, one after the other on the main queue.
private final class BasicsTour: Sendable {
  private let additions: Int
  private let seconds: Double
  private let machine: any Machine
  private let main: TracedQueue

  init(_ values: KnobValues, _ machine: any Machine) {
    additions = values.int("tasks")
    seconds = values.seconds("seconds") ?? 1
    self.machine = machine
    main = TracedQueue(mainOf: machine)
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    blocks()
    globals { self.counters { self.source { self.timers(finish) } } }
  }

  /// The guide's block, and what becomes of a variable that it captures.
  private func blocks() {
    var (x, y) = (123, 456)
    let block = { [x, y] (z: Int) in note("block prints \(x) \(y) \(z)") }
    let copy = { [x] in note("captured copy \(x)", value: x) }
    let shared = { note("shared variable \(x)", value: x) }
    (x, y) = (124, y + 1)
    block(789)
    copy()
    shared()
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

  /// Additions on two threads: with a lock, then with a serial queue.
  private func counters(_ next: @escaping @Sendable () -> Void) {
    let lock = Mutex(0)
    let sum = Mutex(0)
    let (machine, additions) = (machine, additions)
    let threads = TracedQueue(machine, label: "threads", .lanes(2))
    let first = TracedGroup(machine, label: "lock")
    let second = TracedGroup(machine, label: "queue")
    for _ in 1...2 {
      threads.async(group: first) {
        for _ in 0..<additions { lock.withLock { $0 += 1 } }
      }
    }
    first.notify(on: main) {
      note("lock: sum \(lock.withLock { $0 })", value: lock.withLock { $0 })
      // Only its blocks touch the sum, one at a time; the mutex is for the compiler.
      let queue = machine.makeQueue(label: "sum", kind: .serial)
      for _ in 1...2 {
        threads.async(group: second) {
          for _ in 0..<additions { queue.sync { sum.withLock { $0 += 1 } } }
        }
      }
    }
    // The second group is empty until the first is done, so it is entered here.
    second.enter()
    first.notify(on: main) { second.leave() }
    second.notify(on: main) {
      note("serial queue: sum \(sum.withLock { $0 })", value: sum.withLock { $0 })
      next()
    }
  }

  /// A source that fires three times, and a handler on a queue.
  private func source(_ next: @escaping @Sendable () -> Void) {
    let fired = Mutex(0)
    let (machine, main) = (machine, main)
    if machine.isSimulated {
      for number in 1...3 {
        machine.after(0.1 * Double(number), on: main) {
          note("SOURCE fires", number)
          if number == 3 { next() }
        }
      }
      return
    }
    // Only the handler uses it after its activation. The handler keeps it until it is cancelled.
    nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "source"))
    timer.setEventHandler {
      let number = fired.withLock { fired in
        fired += 1
        return fired
      }
      guard number <= 3 else { return }
      note("SOURCE fires", number)
      if number == 3 {
        timer.cancel()
        main.async(next)
      }
    }
    let pace = DispatchTimeInterval.nanoseconds(Int(machine.nanoseconds(0.1)))
    timer.schedule(deadline: .now() + pace, repeating: pace)
    timer.activate()
  }

  /// Three timers that run at the same time. None of them has a thread before it fires.
  private func timers(_ finish: @escaping @Sendable () -> Void) {
    note("timers begin")
    let left = Countdown(3, finish)
    for number in 1...3 {
      machine.after(seconds, on: main) {
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
    if let simulated = self as? SimulatedMachine {
      simulated.after(nanoseconds(seconds)) { queue.async(block) }
    } else {
      let time = DispatchTime.now() + .nanoseconds(Int(nanoseconds(seconds)))
      DispatchQueue.global().asyncAfter(deadline: time) { queue.async(block) }
    }
  }
}

private let blockC = Listing(
  language: "C", title: "a block",
  """
  int x = 123;
  int y = 456;
  void (^aBlock)(int) = ^(int z) {
      printf("%d %d %d\\n", x, y, z);
  };
  aBlock(789); /* prints: 123 456 789 */

  __block int shared = 123; /* the block and its scope have one variable */
  """)

private let sharedSwift = Listing(
  language: "Swift", title: "a copy, or the variable",
  """
  var x = 123
  let copy = { [x] in print(x) }  // as a block of C: a copy
  let shared = { print(x) }  // as __block in C: the variable
  x = 124
  copy()  // 123
  shared()  // 124
  """)

private let globalC = Listing(
  language: "C", title: "common queues",
  """
  dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0);
  dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0);
  dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_BACKGROUND, 0);
  dispatch_get_main_queue(); /* dispatch_main() runs its blocks */
  dispatch_assert_queue(queue); /* instead of dispatch_get_current_queue() */
  dispatch_retain(queue); /* ignored for the global queues */
  dispatch_release(queue);
  """)

private let counterSwift = Listing(
  language: "Swift", title: "a lock, or a serial queue",
  """
  lock.withLock { sum += 1 }
  queue.sync { sum += 1 }  // one block at a time: no lock
  """)

private let sourceSwift = Listing(
  language: "Swift", title: "a source, and a timer",
  """
  let source = DispatchSource.makeTimerSource(queue: queue)
  source.setEventHandler { print("fires") }
  source.schedule(deadline: .now() + 0.1, repeating: 0.1)
  source.activate()
  queue.asyncAfter(deadline: .now() + 1) { print("later") }  // no thread waits
  // Not on Linux: autorelease pools, which belong to Objective-C.
  // Not here: OperationQueue of Foundation, with isSuspended and addDependency(_:).
  """)
