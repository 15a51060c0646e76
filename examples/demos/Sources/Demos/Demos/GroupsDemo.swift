// The demo of groups: enter, leave, wait and notify.

extension Demo {
  static let groups = Demo(
    name: "groups",
    abstract: "Work on two queues in one group: enter, leave, notify, and a wait with a time-out.",
    speed: 1,
    knobs: [
      .seconds("timeout", 0.1...60, 1, "Time-out of the wait, which blocks a thread"),
      .choice(
        "forget", ["none", "leave"], "Call that the last task leaves out"),
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
      let lastLeave = log.numbers("END first").count
      let total = second.map { Double($0.time) / 1e9 }
      let forgets = values["forget"] == "leave"
      var checks = [
        (
          "each START before its END",
          log.areInOrder("START first", "END first", allowsOpen: run.isStuck)
        )
      ]
      if !forgets && !run.isStuck {
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
          ?? (forgets
            ? "\(lastLeave) requests ended, and the group still counts one: no notification."
            : "\(lastLeave) requests ended before the time limit."),
        next: forgets
          ? "Use defer { group.leave() }, or async(group:), which cannot forget."
          : "Try --timeout 5, then --forget leave.")
    },
    code: { groupCode($0) })
}

/// True if the second stage begins after each request of the first has ended.
private func isAfter(_ log: TraceLog) -> Bool {
  guard let second = log.notes("second stage").first else { return false }
  return log.notes("END first").allSatisfy { $0.time <= second.time }
}

private final class GroupRun: Sendable {
  /// The number of requests.
  static let tasks = 6
  private let timeout: Double
  private let forgets: Bool
  private let machine: any Machine
  private let main: TracedQueue
  private let group: TracedGroup

  init(_ values: KnobValues, _ machine: any Machine) {
    timeout = values.seconds("timeout") ?? 1
    forgets = values["forget"] == "leave"
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
        if !(self.forgets && task == Self.tasks) { self.group.leave() }
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

private func groupCode(_ values: KnobValues) -> [Listing] {
  let tasks = GroupRun.tasks
  let forgets = values["forget"] == "leave"
  let limit = values["timeout"]
  return [
    Listing(
      language: "Swift", title: "two queues, one group",
      """
      let network = Lanes(label: "network", width: 2)
      let disk = Lanes(label: "disk", width: 2)
      let group = DispatchGroup()
      for task in 1...\(tasks) {
        group.enter() @enter
        (task % 2 == 0 ? network : disk).async { @submit:network,disk
          request(task) @run:network,disk
          \(forgets ? "if task < \(tasks) { group.leave() }  // forgets the last one" : "group.leave()") @leave
        }
      }
      DispatchQueue(label: "waiter").async {
        let result = group.wait(timeout: .now() + \(limit))  // blocks its thread @wait:waiter
        print(result)
      }
      group.notify(queue: .main) { startSecondStage() } @notify
      """),
    Listing(
      language: "C", title: "two queues, one group",
      """
      static void first(void *task, void *lane) {
          request(task); @run:network,disk
          \(forgets ? "if (task != last) dispatch_group_leave(group); /* forgets the last one */" : "dispatch_group_leave(group);") @leave
      }

      static void wait_for_all(void *context) {
          dispatch_time_t limit = dispatch_time(DISPATCH_TIME_NOW, (int64_t)(\(limit) * NSEC_PER_SEC));
          bool timed_out = dispatch_group_wait(group, limit) != 0; /* blocks its thread */ @wait:waiter
          printf("%d\\n", timed_out);
      }

      void start(void) {
          for (int task = 0; task < \(tasks); task++) {
              dispatch_group_enter(group); @enter
              weir_lanes_t queue = task % 2 ? network : disk;
              if (weir_lanes_async_f(queue, &tasks[task], first) != 0) abort(); @submit:network,disk
          }
          dispatch_async_f(waiter, NULL, wait_for_all);
          dispatch_group_notify_f(group, dispatch_get_main_queue(), NULL, start_second_stage); @notify
      }
      """),
  ]
}
