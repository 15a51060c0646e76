// Faults in number: which ones, on which threads, and the table of what was injected.

import Glibc
import TestSupport

/// The faults that were injected, and what came of them.
struct FaultTally: Sendable {
  /// Injected faults by verb and call; each counts once.
  var injected: [String: [String: Set<String>]] = [:]
  var runs = 0
  /// Faults that the run of that fault did not meet: its threads came in another order.
  var missed = 0
  /// Faults after which the run reported nothing and had the whole result.
  var survived = 0
  /// Runs that went on after a fault.
  var continued = 0
  var problems: [String] = []

  var total: Int { injected.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }

  mutating func add(_ other: FaultTally) {
    injected.merge(other.injected) { $0.merging($1) { $0.union($1) } }
    runs += other.runs
    missed += other.missed
    survived += other.survived
    continued += other.continued
    problems += other.problems
  }

  /// The table of numbers: a line for each call, a column for each verb.
  func table() -> String {
    let verbs = injected.keys.sorted()
    let calls = Set(injected.values.flatMap(\.keys)).sorted()
    func cell(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    var lines = [cell("", 18) + verbs.map { "  " + cell($0, 6) }.joined() + "   total"]
    for call in calls + ["total"] {
      let numbers = verbs.map { verb in
        call == "total"
          ? (injected[verb] ?? [:]).values.reduce(0) { $0 + $1.count }
          : injected[verb]?[call]?.count ?? 0
      }
      let cells = zip(verbs, numbers).map { verb, number in
        "  " + cell(number == 0 ? "." : "\(number)", max(6, verb.count))
      }
      lines.append(
        call + cell("", 18 - call.count) + cells.joined() + cell("\(numbers.reduce(0, +))", 8))
    }
    return lines.joined(separator: "\n")
  }
}

/// Faults in some scenarios, on several threads.
struct FaultCampaign: Sendable {
  let library: String
  /// The number of faults to choose in each scenario; `nil` for all.
  let sample: Int?

  /// All faults of a scenario, or a random choice.
  func faults(of scenario: FaultScenario, _ baseline: FaultEnd) -> [Fault] {
    var random = SeededGenerator(forSampleOf: "faults of \(scenario.name)")
    var faults: [Fault] = []
    for (call, count) in baseline.report.counts.sorted(by: { $0.key < $1.key }) {
      var numbers = Array(1...max(1, count)).prefix(count)
      if let most = FaultCalls.chosen[call], numbers.count > most {
        numbers = numbers.shuffled(using: &random).prefix(most)
      }
      for number in numbers {
        for form in FaultCalls.forms(of: call) {
          faults.append(Fault(call: call, number: number, form: form))
          // The last call is the same once and from then on.
          if number < count, FaultCalls.canBePermanent(call, form) {
            faults.append(Fault(call: call, number: number, form: form, isPermanent: true))
          }
        }
      }
    }
    guard let sample else { return faults }
    // From then on, a fault hits other files in each run: the number of calls is not the same.
    return Array(faults.filter { !$0.isPermanent }.shuffled(using: &random).prefix(sample))
  }

  /// Injects the faults of these scenarios from some threads.
  func run(_ scenarios: [FaultScenario], threads: Int) async throws -> FaultTally {
    // Long scenarios are divided, so that all threads end at about the same time.
    let parts = sample == nil ? 6 : 1
    let work = Shared(scenarios.flatMap { one in (0..<parts).map { (one, $0) } })
    return try await withThrowingTaskGroup(of: FaultTally.self) { group in
      for _ in 0..<threads {
        group.addTask {
          try await onThread {
            var tally = FaultTally()
            while let (scenario, part) = work.change({ $0.isEmpty ? nil : $0.removeFirst() }) {
              tally.add(try inject(scenario, part: part, of: parts))
            }
            return tally
          }
        }
      }
      return try await group.reduce(into: FaultTally()) { $0.add($1) }
    }
  }

  /// The system calls that strace fails, each with an error that says nothing about a file.
  private static let traced: [(call: String, error: FaultError)] = [
    ("openat", .systemFiles), ("openat", .interrupted), ("read", .io), ("read", .interrupted),
    ("newfstatat", .io), ("getdents64", .io), ("close", .io), ("statfs", .interrupted),
    ("readlink", .noMemory), ("ioctl", .io), ("prlimit64", .invalid), ("clone3", .again),
    ("sched_getaffinity", .noMemory), ("rt_sigprocmask", .invalid),
  ]

  /// Injects faults into system calls that the library does not see.
  func runTraced(_ names: [String]) async throws -> FaultTally {
    let scenarios = FaultScenario.all.filter { names.contains($0.name) }
    let work = Shared(
      scenarios.flatMap { one in Self.traced.map { (scenario: one, call: $0.call, error: $0.error) }
      })
    return try await withThrowingTaskGroup(of: FaultTally.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await onThread {
            var tally = FaultTally()
            while let next = work.change({ $0.isEmpty ? nil : $0.removeFirst() }) {
              tally.add(try trace(next.scenario, next.call, next.error))
            }
            return tally
          }
        }
      }
      return try await group.reduce(into: FaultTally()) { $0.add($1) }
    }
  }

  private func trace(
    _ scenario: FaultScenario, _ call: String, _ error: FaultError
  ) throws -> FaultTally {
    let workspace = try FaultWorkspace(scenario, library: library)
    let baseline = try workspace.baseline()
    var random = SeededGenerator(forSampleOf: "\(scenario.name) \(call) \(error)")
    var tally = FaultTally()
    let numbers = sample == nil ? Array(1...40) : [Int.random(in: 1...60, using: &random)]
    for number in numbers {
      let fault = Fault(call: call, number: number, form: .error(error))
      let end = try workspace.runTraced(fault)
      tally.runs += 1
      defer { workspace.reset() }
      if end.report.hits == 0 { break }
      tally.injected["strace", default: [:]][call, default: []].insert("\(scenario.name): \(fault)")
      // The loader itself says so, with a status of its own.
      if end.outcome.status == 127 && end.outcome.errorText.contains("shared librar") { continue }
      // The fault was in a command.
      if end.outcome.errorText.contains("cat ended with status") { continue }
      let problems = FaultOracle(
        scenario: scenario, fault: fault, end: end, baseline: baseline, before: workspace.before
      ).problems()
      if !problems.isEmpty {
        tally.problems.append(
          "\(scenario.name) under strace: \(fault): " + problems.joined(separator: "; "))
      }
    }
    return tally
  }

  private func inject(_ scenario: FaultScenario, part: Int, of parts: Int) throws -> FaultTally {
    let workspace = try FaultWorkspace(scenario, library: library)
    let baseline = try workspace.baseline()
    let merged = try mergedBaseline(workspace)
    var tally = FaultTally()
    for fault in faults(of: scenario, baseline) where fault.part(of: parts) == part {
      var end = try workspace.run(fault)
      tally.runs += 1
      if end.report.hits == 0 {
        tally.missed += 1
      } else {
        tally.injected[scenario.verb, default: [:]][fault.call, default: []]
          .insert("\(scenario.name): \(fault)")
      }
      func judged() -> [String] {
        FaultOracle(
          scenario: scenario, fault: fault, end: end, baseline: baseline, before: workspace.before
        ).problems()
      }
      var problems = judged()
      // A thread that is about to close a file at the end leaves it open; so does a leak,
      // but each time.
      for _ in 0..<3 where problems.contains(where: { $0.hasSuffix("open at the end") }) {
        workspace.reset()
        end = try workspace.run(fault)
        problems = judged()
      }
      if !workspace.keepsInput(end.files) { problems.append("an input file has changed") }
      if end.outcome.status == baseline.outcome.status {
        tally.survived += 1
        if try workspace.merged() != merged { problems.append("merges to another output") }
      } else if !scenario.outputs.isEmpty {
        tally.continued += 1
        problems += try continueRun(workspace, baseline, merged, after: end)
      }
      if !problems.isEmpty {
        tally.problems.append("\(scenario.name): \(fault): " + problems.joined(separator: "; "))
      }
      workspace.reset()
    }
    return tally
  }

  /// The output of all shards after a run without a fault.
  private func mergedBaseline(_ workspace: FaultWorkspace) throws -> [UInt8] {
    guard workspace.scenario.verb == "shard" else { return [] }
    defer { workspace.reset() }
    _ = try workspace.runAgain()
    return try workspace.merged()
  }

  /// Runs the command that goes on after a fault; the result is then the same as without one.
  private func continueRun(
    _ workspace: FaultWorkspace, _ baseline: FaultEnd, _ merged: [UInt8], after failed: FaultEnd
  ) throws -> [String] {
    let scenario = workspace.scenario
    let end = try workspace.runAgain()
    var problems: [String] = []
    // A part with files that could not be read is complete, and stays; so do the commands
    // that failed.
    let isDone = scenario.verb == "shard" && [1, 3].contains(failed.outcome.status)
    let isKept = scenario.name == "shard of run" && end.outcome.status == 1
    if end.outcome.status != baseline.outcome.status && !isKept
      && !(isDone && end.outcome.status == failed.outcome.status)
    {
      problems.append("goes on with \(end.outcome.status ?? -1): \(end.outcome.errorText)")
    }
    if end.outcome.status == baseline.outcome.status && !isDone, try workspace.merged() != merged {
      problems.append("goes on, and merges to another output")
    }
    for (name, shape) in scenario.outputs {
      let (made, expected) = (end.files[name] ?? [], baseline.files[name] ?? [])
      let isRight =
        switch shape {
        case .any: !made.isEmpty
        case .log:
          Set(OutputLines.commands(expected)).isSubset(of: OutputLines.commands(made))
        default: OutputLines.steady(made) == OutputLines.steady(expected)
        }
      if !isRight { problems.append("goes on to another \(name)") }
    }
    let left = Set(end.files.keys).subtracting(baseline.files.keys).filter { path in
      !scenario.kept.contains { $0.hasSuffix("/") && path.hasPrefix($0) }
        && failed.files[path] == nil
    }
    if !left.isEmpty { problems.append("goes on and leaves \(left.sorted())") }
    return problems
  }
}
