// The demo of a limit that starves its own workers.

extension Demo {
  static let starvation = Demo(
    name: "starvation",
    abstract:
      "Blocks that sleep in the pool, which has fewer threads than the limit; lanes have their own.",
    speed: 1,
    knobs: [
      .number("jobs", 1...200, 64, "Number of jobs"),
      .number("max", 1...64, 16, "Number of jobs that run at once"),
      .seconds("seconds", 0.01...2, 0.1, "Time of a job"),
    ],
    questions: [
      Question("semaphore", "How many seconds with a semaphore in each block?", .seconds),
      Question("lanes", "How many seconds on lanes?", .seconds),
    ],
    usesPool: { _ in true },
    introduction: { values in
      let (jobs, limit) = (values.int("jobs"), values.int("max"))
      let seconds = values.seconds("seconds") ?? 0.1
      let rounds = (jobs + limit - 1) / limit
      return "\(jobs) jobs that sleep \(text(seconds: seconds)), at most \(limit) at once: at best "
        + "\(text(seconds: Double(rounds) * seconds)). First with a semaphore, then on lanes."
    },
    start: { values, machine, finish in
      let run = Starvation(values, machine)
      run.startSemaphore { run.startLanes(finish) }
    },
    findings: { values, run in
      let first = run.log.seconds(from: "semaphore: begin", to: "semaphore: end")
      let second = run.log.seconds(from: "lanes: begin", to: "lanes: end")
      let peaks = ["semaphore", "lanes"].map { run.log.peak(from: "START \($0)", to: "END \($0)") }
      let limit = values.int("max")
      return Findings(
        answers: [first, second],
        checks: [
          ("never more than \(limit) at once", peaks.allSatisfy { $0 <= limit }),
          (
            "each START before its END",
            ["semaphore", "lanes"].allSatisfy { phase in
              run.log.areInOrder("START \(phase)", "END \(phase)", allowsOpen: run.isStuck)
            }
          ),
          ("each enter has its leave", run.log.isBalanced),
        ],
        verdict: "semaphore \(text(seconds: first)), at most \(peaks[0]) at once; lanes "
          + "\(text(seconds: second)), at most \(peaks[1]) at once.",
        next: "Try --max 2: the pool has as many threads as that.")
    },
    code: { starvationCode($0) })
}

/// Both phases of the demo.
private final class Starvation: Sendable {
  private let jobs: Int
  private let limit: Int
  private let seconds: Double
  private let machine: any Machine
  private let main: TracedQueue

  init(_ values: KnobValues, _ machine: any Machine) {
    jobs = values.int("jobs")
    limit = values.int("max")
    seconds = values.seconds("seconds") ?? 0.1
    self.machine = machine
    main = TracedQueue(mainOf: machine)
  }

  func startSemaphore(_ next: @escaping @Sendable () -> Void) {
    note("semaphore: begin")
    let queue = TracedQueue(machine, label: "pool", .concurrent)
    let semaphore = TracedSemaphore(machine, label: "semaphore", permits: limit)
    let group = TracedGroup(machine, label: "first")
    for job in 1...jobs {
      queue.async(group: group) {
        semaphore.wait()
        self.work(job, "semaphore")
        semaphore.signal()
      }
    }
    group.notify(on: main) {
      note("semaphore: end")
      next()
    }
  }

  func startLanes(_ next: @escaping @Sendable () -> Void) {
    note("lanes: begin")
    let lanes = TracedQueue(machine, label: "lanes", .lanes(limit))
    let group = TracedGroup(machine, label: "second")
    for job in 1...jobs {
      lanes.async(group: group) { self.work(job, "lanes") }
    }
    group.notify(on: main) {
      note("lanes: end")
      next()
    }
  }

  private func work(_ job: Int, _ phase: String) {
    note("START \(phase)", job)
    machine.sleep(seconds)
    note("END \(phase)", job)
  }
}

private func starvationCode(_ values: KnobValues) -> [Listing] {
  let (jobs, limit) = (values.int("jobs"), values.int("max"))
  return [
    Listing(
      language: "Swift", title: "a semaphore in each block",
      """
      let pool = DispatchQueue(label: "pool", attributes: .concurrent)
      let semaphore = DispatchSemaphore(value: \(limit))
      let group = DispatchGroup()
      for job in 1...\(jobs) {
        pool.async(group: group) { @submit
          semaphore.wait() @wait
          work(job) @run
          semaphore.signal() @signal
        }
      }
      group.notify(queue: .main) { startLanes() } @notify
      """),
    Listing(
      language: "Swift", title: "lanes",
      """
      let lanes = Lanes(label: "lanes", width: \(limit))
      let group = DispatchGroup()
      for job in 1...\(jobs) {
        group.enter() @enter
        lanes.async { @submit
          work(job) @run
          group.leave() @leave
        }
      }
      group.notify(queue: .main) { finish() } @notify
      """),
  ]
}
