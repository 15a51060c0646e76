// The demo of a gate: permits as tokens, several at once, fair, and resized while in use.

internal import Synchronization
internal import Weir

extension Demo {
  static let gate = Demo(
    name: "gate",
    abstract: "Permits as tokens: several at once, first come, first served; resize and close.",
    speed: 0.5,
    knobs: [
      .number("max", 1...20, 4, "Number of permits"),
      .number("tasks", 1...40, 9, "Number of tasks"),
      .number("need", 1...20, 3, "Number of permits that each third task needs; others need 1"),
      .number("resize", 1...20, nil, "Change the number of permits to this after 1 s"),
      .number("cancel", 1...40, nil, "Cancel the task of this number after 0.3 s"),
      .seconds("close", 0.1...60, nil, "Close the gate after this time"),
    ],
    questions: [
      Question("peak", "How many permits are in use at once, at most?", .count),
      Question("first_wait", "Which task waits first?", .count),
      Question("seconds", "How many seconds until the last task ends?", .seconds),
    ],
    introduction: { values in
      "\(text(values.int("tasks"), "task")) of 0.5 s at a gate of "
        + "\(text(values.int("max"), "permit")); each third task needs \(values.int("need"))."
    },
    start: { values, machine, finish in GateRun(values, machine).start(finish) },
    findings: { values, run in gateFindings(values, run) },
    code: { [gateCode($0)] })
}

private func gateFindings(_ values: KnobValues, _ run: DemoRun) -> Findings {
  let log = run.log
  let resized = log.notes("resize").map { ", later \($0.value)" }.joined()
  let permits = "\(values.int("max"))\(resized)"
  let limit = log.notes("resize").map(\.value).reduce(values.int("max"), max)
  let peak = log.peak(from: "GOT", to: "RETURNED") { $0.value }
  let ended = log.numbers("RETURNED").count
  let refused = log.numbers("REFUSED").count
  let waits = log.numbers("WAITS")
  let total = log.lastSeconds("RETURNED")
  let isInOrder = isServedInOrder(run)
  return Findings(
    answers: [Double(peak), Double(waits.first ?? 0), total],
    checks: [
      ("never more than \(limit) permits in use", peak <= limit),
      ("first come, first served", isInOrder),
      ("all permits are returned", log.numbers("GOT").sorted() == log.numbers("RETURNED").sorted()),
      ("each task got its permits or was refused", ended + refused == values.int("tasks")),
    ],
    verdict:
      "at most \(peak) of \(permits) permits in use, \(ended) served\(isInOrder ? " in order" : ""), "
      + "\(refused) refused, \(text(seconds: total)).",
    next: values["resize"].isEmpty
      ? "Try --resize 8, --cancel 6, or --close 0.7." : "Try --need 1: who waits now?")
}

/// True if the waits were ended in their order. Two threads that grant within two milliseconds of
/// the real machine may report in either order.
private func isServedInOrder(_ run: DemoRun) -> Bool {
  let wakes = run.log.events(.wake, of: "gate")
  let window = run.isSimulated ? 0 : UInt64(2_000_000 * run.speed)
  return wakes.indices.allSatisfy { later in
    wakes[..<later].allSatisfy { earlier in
      (earlier.task ?? 0) < (wakes[later].task ?? 0)
        || wakes[later].time - earlier.time < window
    }
  }
}

private final class GateRun: Sendable {
  private let values: KnobValues
  private let machine: any Machine
  private let gate: Gate
  private let traced = TracedTasks(label: "task")
  /// The number of tasks that got their permits or were refused.
  private let answered = Mutex(0)
  /// The tasks by number.
  private let tasks = Mutex<[Int: Task<Void, Never>]>([:])

  init(_ values: KnobValues, _ machine: any Machine) {
    self.values = values
    self.machine = machine
    gate = Gate(label: "gate", permits: values.int("max"))
    note(permits: values.int("max"), of: "gate")
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let count = values.int("tasks")
    let main = TracedQueue(mainOf: machine)
    let ended = Countdown(count) { main.async(finish) }
    machine.task {
      // One task asks after the other, so that the order of the requests is known.
      for number in 1...count {
        self.begin(number, ended)
        repeat {
          try? await self.machine.pause(0.02)
        } while self.gate.statistics.waiting + self.answered.withLock { $0 } < number
      }
    }
    change("resize", after: 1) { self.resize(to: self.values.int("resize")) }
    if let seconds = values.seconds("close") {
      change("close", after: seconds) { self.close() }
    }
    values.on("resize", machine) { self.resize(to: $0) }
    values.on("close", machine) { _ in self.close() }
    values.on("cancel", machine) { self.cancel($0) }
  }

  private func begin(_ number: Int, _ ended: Countdown) {
    traced.submit(number)
    let task = machine.task {
      await self.traced.run(number) { await self.use(number) }
      ended.count()
    }
    tasks.withLock { $0[number] = task }
    if number == Int(values["cancel"]) {
      change("cancel", after: 0.3) { self.cancel(number) }
    }
  }

  private func use(_ number: Int) async {
    let need = min(number % 3 == 0 ? values.int("need") : 1, values.int("max"))
    let state = gate.statistics
    let mustWait = state.permits - state.inUse < need || state.waiting > 0
    if mustWait && !gate.isClosed && state.permits >= need {
      note("WAITS", number, value: need)
    }
    do {
      try await gate.withPermits(need) {
        TracedTasks.resume()
        self.answered.withLock { $0 += 1 }
        note("GOT", number, value: need)
        try? await self.machine.pause(0.5)
        note("RETURNED", number, value: need)
      }
    } catch {
      TracedTasks.resume()
      answered.withLock { $0 += 1 }
      note("REFUSED: \(Self.reason(of: error))", number)
    }
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case GateError.tooMany: "needs too many permits"
    default: "closed"
    }
  }

  // MARK: - Changes while it is in use

  private func resize(to permits: Int) {
    note("resize", value: permits)
    note(permits: permits, of: "gate")
    gate.permits = permits
  }

  private func close() {
    note("close")
    gate.close()
  }

  /// Cancels a task that has asked for permits; there may be none of that number.
  private func cancel(_ number: Int) {
    guard let task = tasks.withLock({ $0[number] }) else { return }
    note("cancel", number)
    task.cancel()
  }

  private func change(
    _ name: String, after seconds: Double, _ action: @escaping @Sendable () -> Void
  ) {
    guard !values[name].isEmpty else { return }
    machine.task {
      try? await self.machine.pause(seconds)
      action()
    }
  }
}

private func gateCode(_ values: KnobValues) -> Listing {
  let (permits, cancelled) = (values.int("max"), values["cancel"])
  return Listing(
    "permits",
    """
    let gate = Gate(label: "gate", permits: \(permits))
    for number in 1...\(values.int("tasks")) {
      let need = number % 3 == 0 ? \(min(values.int("need"), permits)) : 1
      \(cancelled.isEmpty ? "" : "let task = ")Task { @submit
        try await gate.withPermits(need) { @wait
          try await Task.sleep(for: .seconds(0.5)) @run
        } @signal
      }
      \(only(!cancelled.isEmpty, "if number == \(cancelled) { after(0.3) { task.cancel() } }"))
    }
    \(only(!values["resize"].isEmpty, "after(1) { gate.permits = \(values["resize"]) }"))
    \(only(!values["close"].isEmpty, "after(\(values["close"])) { gate.close() }  // waiting tasks get GateError.closed"))
    """)
}
