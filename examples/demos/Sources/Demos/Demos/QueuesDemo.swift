// The demo of queues: kinds, sync and async, completion and suspend.

extension Demo {
  static let queues = Demo(
    name: "queues",
    abstract: "Serial, concurrent and main queue: async and sync, completion, suspend and resume.",
    speed: 0.5,
    knobs: [
      .number("tasks", 1...12, 4, "Number of blocks for each queue"),
      .number("queues", 1...12, 1, "Number of serial queues that share their blocks"),
      .number("suspend", 0...5, 1, "Number of calls of suspend"),
      .number("resume", 0...5, 1, "Number of calls of resume"),
    ],
    questions: [
      Question("serial", "How many blocks run at once on serial queues?", .count),
      Question("concurrent", "How many on the concurrent queue, at most?", .count),
      Question("seconds", "How many seconds until the last block on a serial queue?", .seconds),
    ],
    usesPool: { _ in true },
    introduction: { values in
      let tasks = values.int("tasks")
      let queues = values.int("queues")
      return
        "\(text(tasks, "block")) of 0.20 s on \(queues == 1 ? "a serial" : "\(queues) serial queues")"
        + " and on a concurrent"
        + " queue; then sync, an average with a completion, suspend and resume."
    },
    start: { values, machine, finish in QueueTour(values, machine).start(finish) },
    findings: { values, run in
      let serial = run.log.peak(from: "START serial", to: "END serial")
      let concurrent = run.log.peak(from: "START concurrent", to: "END concurrent")
      let (checks, verdict, next) = tourFindings(values, run, serial, concurrent)
      return Findings(
        answers: [Double(serial), Double(concurrent), run.log.lastSeconds("END serial")],
        checks: checks, verdict: verdict, next: next)
    },
    code: { [tourCode($0)] })
}

private func tourFindings(
  _ values: KnobValues, _ run: DemoRun, _ serial: Int, _ concurrent: Int
) -> (checks: [(String, Bool)], verdict: String, next: String) {
  let log = run.log
  let queues = values.int("queues")
  let isSilent = !isBefore(log, "suspended block", "checked")
  let mayRun = values.int("resume") >= values.int("suspend")
  func isInOrder(_ numbers: [Int]) -> Bool { numbers == numbers.sorted() }
  var checks = [
    (
      queues == 1
        ? "the serial queue runs one block at a time"
        : "each serial queue runs one block at a time",
      serial <= queues
    ),
    ("sync returns after its block", isBefore(log, "sync block ended", "sync returned")),
    ("the average is delivered on the caller's queue", log.notes("average").last?.value == 15),
    // On real threads a block that may run may also come late.
    (
      "a suspended queue is silent until balanced",
      mayRun ? !(run.isSimulated && isSilent) : isSilent
    ),
  ]
  if queues == 1 {
    checks.append(("the serial queue keeps the order", isInOrder(log.numbers("START serial"))))
  }
  if run.isSimulated {
    // On real threads two blocks that begin at once report in either order.
    checks.append(
      (
        "the concurrent queue starts its blocks in order",
        isInOrder(log.numbers("START concurrent"))
      ))
  }
  return (
    checks,
    "serial: \(serial) at a time; concurrent: at most \(concurrent); "
      + (isSilent ? "the queue stayed suspended until the clean-up" : "suspend and resume balanced")
      + ".",
    !mayRun
      ? "Resume as often as suspended."
      : queues == 1
        ? "Try --queues 4: four serial queues, four blocks."
        : "Try --suspend 2 --resume 1: is the queue silent?"
  )
}

private func isBefore(_ log: TraceLog, _ first: String, _ second: String) -> Bool {
  guard let a = log.notes(first).first, let b = log.notes(second).first else { return false }
  return a.time <= b.time
}

/// The stations of the demo, one after the other on the main queue.
private final class QueueTour: Sendable {
  private let seconds = 0.2
  private let values: KnobValues
  private let machine: any Machine
  private let main: TracedQueue

  init(_ values: KnobValues, _ machine: any Machine) {
    (self.values, self.machine, main) = (values, machine, TracedQueue(mainOf: machine))
  }

  private var tasks: Int { values.int("tasks") }
  private var queues: Int { values.int("queues") }
  private var suspends: Int { values.int("suspend") }
  private var resumes: Int { min(values.int("resume"), suspends) }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let group = TracedGroup(machine, label: "group")
    let serial = (1...queues).map { number in
      TracedQueue(machine, label: queues == 1 ? "serial" : "serial \(number)", .serial)
    }
    submit("serial", group) { serial[$0 % serial.count] }
    let concurrent = TracedQueue(machine, label: "concurrent", .concurrent)
    submit("concurrent", group) { _ in concurrent }
    note("async returned: the first block may or may not have run")
    group.notify(on: main) {
      self.sync { self.average { self.suspension(finish) } }
    }
  }

  private func submit(_ name: String, _ group: TracedGroup, _ queue: (Int) -> TracedQueue) {
    for task in 1...tasks {
      queue(task).async(group: group) {
        note("START \(name)", task)
        self.machine.sleep(self.seconds)
        note("END \(name)", task)
      }
    }
  }

  /// The caller waits for the block.
  private func sync(_ next: @escaping @Sendable () -> Void) {
    note("sync called: the main thread waits")
    TracedQueue(machine, label: "other", .serial).sync {
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
  private func suspension(_ finish: @Sendable () -> Void) {
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
    machine.sleep(seconds)
    note("checked")
    // A queue that is released while it is suspended traps: it is balanced after the evidence.
    for count in resumes..<suspends {
      if count == resumes { note("clean-up: the demo resumes the queue") }
      queue.resume()
    }
    finish()
  }
}

// MARK: - The code

private func tourCode(_ values: KnobValues) -> Listing {
  let (tasks, queues, suspends) = (values.int("tasks"), values.int("queues"), values.int("suspend"))
  let resumes = min(values.int("resume"), suspends)
  let isOne = queues == 1
  return Listing(
    "queues",
    """
    let serial = \(isOne ? "DispatchQueue(label: \"serial\")" : "(1...\(queues)).map { DispatchQueue(label: \"serial \\($0)\") }")
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let group = DispatchGroup()
    for task in 1...\(tasks) {
      serial\(isOne ? "" : "[task % \(queues)]").async(group: group) { work(task) } @submit,run:serial
    }
    for task in 1...\(tasks) {
      concurrent.async(group: group) { work(task) } @submit,run:concurrent
    }
    print("async returned")
    group.notify(queue: .main) { tour() } @notify

    func tour() {
      print("sync called: the main thread waits")
      DispatchQueue(label: "other").sync { @wait:other
        usleep(200_000) @run:other
        print("sync block ended")
      }
      print("sync returned")
      average(of: [10, 20, 30, 0, 15]) { average in
        print("average", average)

        let suspended = DispatchQueue(label: "suspended")
        for _ in 0..<\(suspends) { suspended.suspend() }
        suspended.async { print("suspended block ran") } @submit,run:suspended
        usleep(200_000)
        for _ in 0..<\(resumes) { suspended.resume() }
        usleep(200_000)
        print("checked")
        \(only(resumes < suspends, "for _ in \(resumes)..<\(suspends) { suspended.resume() }  // clean-up: its release would trap"))
      }
    }

    func average(of numbers: [Int], completion: @escaping @Sendable (Int) -> Void) {
      DispatchQueue(label: "average", attributes: .concurrent).async {
        let average = numbers.reduce(0, +) / numbers.count @run:average
        DispatchQueue.main.async { completion(average) }
      }
    }
    """)
}
