// The demo of task groups: a window, blocking children, cancelling, and failures.

internal import Weir

extension Demo {
  static let tasks = Demo(
    name: "tasks",
    abstract: "Swift tasks: a group, a window, children that block, cancelling, nil or an error.",
    speed: 0.16,
    knobs: [
      .choice(
        "form", ["group", "window", "blocking"],
        "Start all children at once, some at a time, or let each block its thread"),
      .number("tasks", 1...100, 8, "Number of children"),
      .number("max", 1...100, 3, "Number of children at a time, for the window"),
      .seconds("seconds", 0.05...5, 0.5, "Time of a child"),
      .number("fail", 1...100, nil, "Number of the child that fails after half its time"),
      .choice("failure", ["throw", "nil"], "Let a failure cancel the rest, or become nil"),
      .seconds("cancel-after", 0.05...60, nil, "Cancel the whole after this time"),
    ],
    questions: [
      Question("peak", "How many children run at once, at most?", .count),
      Question("ended", "How many children complete?", .count),
      Question("seconds", "How many seconds does it take?", .seconds),
    ],
    introduction: { values in
      "\(text(values.int("tasks"), "child", "children")) of "
        + "\(text(seconds: values.seconds("seconds") ?? 0.5)) each, form \(values["form"])."
    },
    start: { values, machine, finish in TaskRun(values, machine).start(finish) },
    findings: { values, run in taskFindings(values, run) },
    code: { values in
      [(values["form"] == "window" ? windowCode : taskCode).with(values, "tasks", "max")]
    })
}

private func taskFindings(_ values: KnobValues, _ run: DemoRun) -> Findings {
  let log = run.log
  let peak = log.peak()
  let completed = log.notes("END completed").count
  let stopped = log.notes("END cancelled").count
  let failed = log.notes("END failed").count
  let result = log.notes("RESULT").last
  let total = Double(result?.time ?? 0) / 1e9
  var checks = [
    ("each START before its END", log.areInOrder()),
    (
      "all children end before the group",
      log.notes("END").allSatisfy { $0.time <= result?.time ?? 0 }
    ),
  ]
  if values["form"] == "window" {
    checks.append(("never more than \(values.int("max")) at once", peak <= values.int("max")))
  }
  return Findings(
    answers: [Double(peak), Double(completed), total], checks: checks,
    verdict: "at most \(peak) at once, \(completed) completed, \(failed) failed, \(stopped) "
      + "cancelled, \(text(seconds: total)): \(result?.label.dropFirst(7) ?? "no result").",
    next: values["form"] == "blocking"
      ? "Blocking children hold the threads of all tasks: move the blocking call to lanes."
      : "Try --form blocking: as many run as there are cores (\(run.cores)).")
}

private final class TaskRun: Sendable {
  private let values: KnobValues
  private let machine: any Machine
  private let seconds: Double
  private let traced = TracedTasks(label: "child")

  init(_ values: KnobValues, _ machine: any Machine) {
    self.values = values
    self.machine = machine
    seconds = values.seconds("seconds") ?? 0.5
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let main = TracedQueue(mainOf: machine)
    let work = machine.task {
      do {
        let results = try await self.results()
        note("RESULT \(text(results.compactMap { $0 }.count, "value")) of \(results.count)")
      } catch {
        note("RESULT \(error is CancellationError ? "CancellationError" : "an error")")
      }
      main.async(finish)
    }
    if let after = values.seconds("cancel-after") {
      machine.task {
        try? await self.machine.pause(after)
        note("CANCEL")
        work.cancel()
      }
    }
  }

  private func results() async throws -> [Int?] {
    let count = values.int("tasks")
    let limit = values["form"] == "window" ? values.int("max") : count
    if values["failure"] == "nil" {
      return try await (1...count).mapConcurrently(limit: limit, failures: .becomeNil) {
        try await self.child($0)
      }
    }
    return try await (1...count).mapConcurrently(limit: limit) { try await self.child($0) }
  }

  private func child(_ number: Int) async throws -> Int {
    traced.submit(number)
    note("START", number)
    do {
      try await traced.run(number) { try await self.work(number) }
      note("END completed", number)
      return number
    } catch {
      note(error is CancellationError ? "END cancelled" : "END failed", number)
      throw error
    }
  }

  private func work(_ number: Int) async throws {
    let fails = values["fail"] == "\(number)"
    let time = fails ? seconds / 2 : seconds
    if values["form"] == "blocking" {
      block(time)
    } else {
      try await machine.pause(time)
    }
    if fails { throw ChildError() }
  }

  /// Sleeps on the thread of the task.
  private func block(_ seconds: Double) { machine.sleep(seconds) }
}

private struct ChildError: Error {}

private let taskCode = Listing(
  language: "Swift", title: "a task group",
  """
  let results = try await withThrowingTaskGroup(of: Int.self) { group in
    for number in 1...$tasks {
      group.addTask { try await child(number) } @run
    }
    return try await group.reduce(into: []) { $0.append($1) } @end
  }
  """)

private let windowCode = Listing(
  language: "Swift", title: "a window",
  """
  let results = try await (1...$tasks).mapConcurrently(limit: $max) { number in
    try await child(number) @run
  }
  """)
