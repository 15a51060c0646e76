// The demo of groups: enter, leave, wait and notify.

extension Demo {
  static let groups = Demo(
    name: "groups",
    abstract: "Work on two queues in one group: enter, leave, notify, and a wait with a time-out.",
    speed: 1,
    knobs: [
      .seconds("timeout", 0.1...60, 1, "Time-out of the wait, which blocks a thread")
    ],
    questions: [
      Question("timed_out", "Does the wait time out? (1 yes, 0 no)", .count),
      Question("seconds", "How many seconds until the second stage begins?", .seconds),
    ],
    introduction: { values in
      "\(GroupRun.tasks) requests on two queues; when all have ended, a second stage "
        + "of requests that depend on them; a thread waits for the first stage, at most "
        + "\(text(seconds: values.seconds("timeout") ?? 1))."
    },
    start: { values, machine, finish in GroupRun(values, machine).start(finish) },
    findings: { values, run in
      let log = run.log
      let timedOut = log.notes("group wait timed out").count
      let second = log.notes("second stage").first
      let ended = log.numbers("END first").count
      let total = second.map { Double($0.time) / 1e9 }
      var checks = [
        (
          "each START before its END",
          log.areInOrder("START first", "END first", allowsOpen: run.isStuck)
        )
      ]
      if !run.isStuck {
        checks += [
          ("the second stage after every first one", isAfter(log)),
          ("each enter has its leave", log.isBalanced),
        ]
      }
      return Findings(
        answers: [Double(timedOut), total], checks: checks,
        verdict: total.map { total in
          "notified after \(text(seconds: total)); the wait "
            + (timedOut > 0 ? "timed out, and the group went on." : "ended with the group.")
        }
          ?? "\(ended) requests ended before the time limit.",
        next: "Try --timeout 5, then --timeout 1.")
    },
    code: { [groupCode($0)] })
}

/// True if the second stage begins after each request of the first has ended.
private func isAfter(_ log: TraceLog) -> Bool {
  guard let second = log.notes("second stage").first else { return false }
  return log.notes("END first").allSatisfy { $0.time <= second.time }
}

private final class GroupRun: Sendable {
  static let tasks = 6
  private let timeout: Double
  private let machine: any Machine
  private let main: TracedQueue
  private let group: TracedGroup

  init(_ values: KnobValues, _ machine: any Machine) {
    timeout = values.seconds("timeout") ?? 1
    self.machine = machine
    main = TracedQueue(mainOf: machine)
    group = TracedGroup(machine, label: "first stage")
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let queues = ["network", "disk"].map { TracedQueue(machine, label: $0, .lanes(2)) }
    for task in 1...Self.tasks {
      group.enter()
      queues[task % 2].async {
        note("START first", task)
        self.machine.sleep(0.5 + Double(task * 3 % 4) / 4)
        note("END first", task)
      } afterwards: {
        self.group.leave()
      }
    }
    let ended = Countdown(2) { self.main.async(finish) }
    let waiter = TracedQueue(machine, label: "waiter", .serial)
    waiter.async {
      _ = self.group.wait(seconds: self.timeout)
    } afterwards: {
      ended.count()
    }
    group.notify(on: main) { self.startSecondStage { ended.count() } }
  }

  private func startSecondStage(_ finish: @escaping @Sendable () -> Void) {
    note("second stage")
    let second = TracedGroup(machine, label: "second stage")
    let queue = TracedQueue(machine, label: "dependent", .lanes(2))
    for task in 1...2 {
      queue.async(group: second) {
        note("START second", task)
        self.machine.sleep(0.5)
        note("END second", task)
      }
    }
    second.notify(on: main, finish)
  }
}

private func groupCode(_ values: KnobValues) -> Listing {
  let tasks = GroupRun.tasks
  let limit = values["timeout"]
  return Listing(
    "two queues, one group",
    """
    let network = Lanes(label: "network", width: 2)
    let disk = Lanes(label: "disk", width: 2)
    let group = DispatchGroup()
    for task in 1...\(tasks) {
      group.enter() @enter
      (task % 2 == 0 ? network : disk).async { @submit:network,disk
        request(task) @run:network,disk
        group.leave() @leave
      }
    }
    DispatchQueue(label: "waiter").async {
      let result = group.wait(timeout: .now() + \(limit))  // blocks its thread @wait:waiter
      print(result)
    }
    group.notify(queue: .main) { startSecondStage() } @notify
    """)
}
