// The demo of queues: kinds, sync and async, completion, suspend, context and finalizer.

internal import Synchronization
internal import Weir

extension Demo {
  static let queues = Demo(
    name: "queues",
    abstract: "Serial, concurrent and main queue: async and sync, completion, suspend, finalizer.",
    speed: 0.5,
    knobs: [
      .number("tasks", 1...12, 4, "Number of blocks for each queue"),
      .seconds("seconds", 0.05...2, 0.2, "Time of a block"),
      .number("suspend", 0...5, 1, "Number of calls of suspend"),
      .number("resume", 0...5, 1, "Number of calls of resume"),
    ],
    questions: [
      Question("serial", "How many blocks of the serial queue run at once?", .count),
      Question("concurrent", "How many of the concurrent queue, at most?", .count),
      Question("seconds", "How many seconds until the last block of the serial queue?", .seconds),
    ],
    usesPool: { _ in true },
    introduction: { values in
      let tasks = values.int("tasks")
      let seconds = values.seconds("seconds") ?? 0.2
      return "\(text(tasks, "block")) of \(text(seconds: seconds)) on a serial and on a concurrent"
        + " queue; then sync, an average with a completion, suspend and resume, and a finalizer."
    },
    start: { values, machine, finish in QueueTour(values, machine).start(finish) },
    findings: { values, run in
      let log = run.log
      let serial = log.peak(from: "START serial", to: "END serial")
      let concurrent = log.peak(from: "START concurrent", to: "END concurrent")
      let isSilent = !isBefore(log, "suspended block", "checked")
      let mayRun = values.int("resume") >= values.int("suspend")
      let order = log.numbers("START serial")
      let finalized = log.notes("finalizer").count
      let concurrentOrder = log.numbers("START concurrent")
      var checks = [
        ("the serial queue runs one block at a time", serial == 1),
        ("the serial queue keeps the order", order == order.sorted()),
        ("sync returns after its block", isBefore(log, "sync block ended", "sync returned")),
        ("the average is delivered on the caller's queue", log.notes("average").last?.value == 15),
        ("a suspended queue is silent until balanced", isSilent != mayRun),
        ("the finalizer runs once", finalized == 1),
      ]
      if run.isSimulated {
        // On real threads two blocks that begin at once report in either order.
        checks.append(
          (
            "the concurrent queue starts its blocks in order",
            concurrentOrder == concurrentOrder.sorted()
          ))
      }
      return Findings(
        answers: [Double(serial), Double(concurrent), log.lastSeconds("END serial")],
        checks: checks,
        verdict: "serial: \(serial) at a time; concurrent: at most \(concurrent); "
          + (isSilent ? "the queue stays suspended" : "suspend and resume balanced")
          + "; the finalizer ran \(finalized == 1 ? "once" : "\(finalized) times").",
        next: mayRun
          ? "Try --suspend 2 --resume 1: is the queue silent?" : "Resume as often as suspended.")
    },
    code: { _ in [queuesSwift, queuesC] })
}

private func isBefore(_ log: TraceLog, _ first: String, _ second: String) -> Bool {
  guard let a = log.notes(first).first, let b = log.notes(second).first else { return false }
  return a.time <= b.time
}

/// The stations of the demo, one after the other on the main queue.
private final class QueueTour: Sendable {
  private let tasks: Int
  private let seconds: Double
  private let suspends: Int
  private let resumes: Int
  private let machine: any Machine
  private let main: TracedQueue

  init(_ values: KnobValues, _ machine: any Machine) {
    tasks = values.int("tasks")
    seconds = values.seconds("seconds") ?? 0.2
    suspends = values.int("suspend")
    resumes = min(values.int("resume"), values.int("suspend"))
    self.machine = machine
    main = TracedQueue(mainOf: machine)
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let group = TracedGroup(machine, label: "group")
    submit("serial", .serial, group)
    submit("concurrent", .concurrent, group)
    note("async returned: the first block may or may not have run")
    group.notify(on: main) {
      self.sync { self.average { self.suspension { self.finalizer(finish) } } }
    }
  }

  private func submit(_ name: String, _ kind: QueueKind, _ group: TracedGroup) {
    let queue = TracedQueue(machine, label: name, kind)
    for task in 1...tasks {
      queue.async(group: group) {
        note("START \(name)", task)
        self.machine.sleep(self.seconds)
        note("END \(name)", task)
      }
    }
  }

  /// The caller waits for the block.
  private func sync(_ next: @escaping @Sendable () -> Void) {
    note("sync called: the main queue waits")
    TracedQueue(machine, label: "serial", .serial).sync {
      machine.sleep(seconds)
      note("sync block ended")
    }
    note("sync returned")
    next()
  }

  /// A function that averages numbers on one queue and delivers the result on another.
  private func average(_ next: @escaping @Sendable () -> Void) {
    let numbers = [10, 20, 30, 0, 15]
    TracedQueue(machine, label: "average", .concurrent).async {
      let average = numbers.reduce(0, +) / numbers.count
      self.main.async {
        note("average, on the main queue", value: self.machine.isOnMainQueue ? average : 0)
        next()
      }
    }
  }

  /// A suspended queue begins no block until it is resumed as often as suspended.
  private func suspension(_ next: @escaping @Sendable () -> Void) {
    let queue = TracedQueue(machine, label: "suspended", .serial)
    for count in 0..<suspends {
      queue.suspend()
      note("suspend", value: count + 1)
    }
    queue.async { note("suspended block ran") }
    machine.sleep(seconds)
    for count in 0..<resumes {
      queue.resume()
      note("resume", value: suspends - count - 1)
    }
    let left = suspends - resumes
    let check = TracedQueue(machine, label: "clock", .serial)
    check.async {
      self.machine.sleep(self.seconds)
      // A queue that is released while it is suspended traps: it is balanced after the evidence.
      self.main.async {
        note("checked")
        next()
        if left > 0 { note("clean-up: the demo resumes the queue") }
        for _ in 0..<left { queue.resume() }
      }
    }
  }

  /// The queue's context is freed by a finalizer, after the last block and the last reference.
  private func finalizer(_ finish: @escaping @Sendable () -> Void) {
    let main = main
    if machine.isSimulated {
      // The simulated queue owns no context: its last block stands for the finalizer.
      let queue = TracedQueue(machine, label: "owner", .serial)
      let context = Mutex(0)
      for _ in 0..<3 { queue.async { context.withLock { $0 += 1 } } }
      queue.async {
        let count = context.withLock { $0 }
        note("context \(count)", value: count)
      }
      return queue.async {
        note("finalizer: context freed", value: context.withLock { $0 })
        main.async(finish)
      }
    }
    let queue = OwnedQueue(label: "owner", context: 0) { context in
      note("finalizer: context freed", value: context)
      main.async(finish)
    }
    for _ in 0..<3 { queue.async { context in context += 1 } }
    queue.async { context in note("context \(context)", value: context) }
  }
}

private let queuesSwift = Listing(
  language: "Swift", title: "queues",
  """
  let serial = DispatchQueue(label: "serial")
  let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  serial.async { work() } @run
  serial.sync { work() }  // the caller waits
  concurrent.async {
    let average = numbers.reduce(0, +) / numbers.count
    DispatchQueue.main.async { completion(average) }
  }
  serial.suspend()
  serial.resume()
  let owner = OwnedQueue(label: "owner", context: 0) { context in free(context) }
  """)

private let queuesC = Listing(
  language: "C", title: "queues",
  """
  dispatch_queue_t serial = dispatch_queue_create("serial", NULL);
  dispatch_queue_t concurrent =
      dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  dispatch_async_f(serial, context, work); @run
  dispatch_sync_f(serial, context, work); /* the caller waits */
  dispatch_suspend(serial);
  dispatch_resume(serial);
  dispatch_set_context(serial, context);
  dispatch_set_finalizer_f(serial, free_context);
  """)
