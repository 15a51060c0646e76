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
      .number("fail", 1...100, nil, "Number of the child that fails after half its time"),
      .choice("failure", ["throw", "nil"], "Let a failure cancel the rest, or become nil"),
    ],
    questions: [
      Question("peak", "How many children run at once, at most?", .count),
      Question("ended", "How many children complete?", .count),
      Question("seconds", "How many seconds does it take?", .seconds),
    ],
    introduction: { values in
      "\(text(values.int("tasks"), "child", "children")) of "
        + "\(text(seconds: TaskRun.seconds)) each, form \(values["form"])."
    },
    start: { values, machine, finish in TaskRun(values, machine).start(finish) },
    findings: { values, run in taskFindings(values, run) },
    code: { taskCode($0) })
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
    checks.append(("never more than \(TaskRun.limit) at once", peak <= TaskRun.limit))
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
  /// The time of a child, in seconds.
  static let seconds = 0.5
  /// The number of children at a time, for the window.
  static let limit = 3

  private let values: KnobValues
  private let machine: any Machine
  private let traced = TracedTasks(label: "child")

  init(_ values: KnobValues, _ machine: any Machine) {
    self.values = values
    self.machine = machine
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let main = TracedQueue(mainOf: machine)
    machine.task {
      do {
        let results = try await self.results()
        note("RESULT \(text(results.compactMap { $0 }.count, "value")) of \(results.count)")
      } catch {
        note("RESULT \(error is CancellationError ? "CancellationError" : "an error")")
      }
      main.async(finish)
    }
  }

  private func results() async throws -> [Int?] {
    let numbers = 1...values.int("tasks")
    let becomesNil = values["failure"] == "nil"
    if values["form"] == "window" {
      guard becomesNil else {
        return try await numbers.mapConcurrently(limit: Self.limit) { try await self.child($0) }
      }
      return try await numbers.mapConcurrently(limit: Self.limit, failures: .becomeNil) {
        try await self.child($0)
      }
    }
    return try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in numbers {
        group.addTask {
          becomesNil ? try? await self.child(number) : try await self.child(number)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
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
    let time = fails ? Self.seconds / 2 : Self.seconds
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

private func taskCode(_ values: KnobValues) -> [Listing] {
  let (form, tasks, fail) = (values["form"], values.int("tasks"), values["fail"])
  let becomesNil = values["failure"] == "nil"
  func pause(_ seconds: Double) -> String {
    form == "blocking"
      ? "usleep(\(Int(seconds * 1e6)))  // blocks the thread"
      : "try await Task.sleep(for: .seconds(\(seconds)))"
  }
  let child = """
    func child(_ number: Int) async throws -> Int {
      \(only(!fail.isEmpty, "if number == \(fail) {"))
      \(only(!fail.isEmpty, "  \(pause(TaskRun.seconds / 2))"))
      \(only(!fail.isEmpty, "  throw ChildError()"))
      \(only(!fail.isEmpty, "}"))
      \(pause(TaskRun.seconds)) @run
      return number @end
    }
    """
  let results =
    form == "window"
    ? """
    let results = try await (1...\(tasks)).mapConcurrently(limit: \(TaskRun.limit)\(becomesNil ? ", failures: .becomeNil" : "")) { number in
      try await child(number) @submit
    }
    """
    : """
    let results = try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 1...\(tasks) {
        group.addTask { \(becomesNil ? "try?" : "try") await child(number) } @submit
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    """
  return [
    Listing(
      language: "Swift", title: form == "window" ? "a window" : "a task group",
      "\(child)\n\n\(results)")
  ]
}
