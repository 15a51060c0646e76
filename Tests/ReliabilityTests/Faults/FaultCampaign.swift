// Faults in number: which ones, and on which threads.

import Glibc
import TestSupport

/// The faults that were injected, and the problems after them.
struct FaultTally: Sendable {
  var injected: Set<String> = []
  var runs = 0
  /// Faults that the run of that fault did not meet: its threads came in another order.
  var missed = 0
  var problems: [String] = []

  mutating func add(_ other: FaultTally) {
    injected.formUnion(other.injected)
    runs += other.runs
    missed += other.missed
    problems += other.problems
  }
}

struct FaultCampaign: Sendable {
  let library: String
  /// The number of faults to choose in each scenario; `nil` for all.
  var sample: Int?
  /// The numbers of kills in each scenario, at calls that change files and at others; `nil` for
  /// faults.
  var kills: (changing: Int, others: Int)?

  private func kills(
    of scenario: FaultScenario, _ baseline: FaultEnd, _ most: (changing: Int, others: Int)
  ) -> [Fault] {
    var random = SeededGenerator(for: "kills of \(scenario.name)")
    let calls = baseline.report.counts.filter { FaultCalls.errors[$0.key] != [ENOMEM] }
    let kills = calls.sorted { $0.key < $1.key }.flatMap { call, count in
      (0..<count).map { Fault(call: call, number: $0 + 1, form: .kill) }
    }.shuffled(using: &random)
    return Array(kills.filter { FaultCalls.modifying.contains($0.call) }.prefix(most.changing))
      + kills.filter { !FaultCalls.modifying.contains($0.call) }.prefix(most.others)
  }

  private func faults(of scenario: FaultScenario, _ baseline: FaultEnd) -> [Fault] {
    if let kills { return self.kills(of: scenario, baseline, kills) }
    var random = SeededGenerator(for: "faults of \(scenario.name)")
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

  func run(_ scenarios: [FaultScenario], threads: Int) async throws -> FaultTally {
    // Long scenarios are divided, so that all threads end at about the same time.
    let parts = sample == nil ? 6 : 1
    let work = scenarios.flatMap { one in (0..<parts).map { (one, $0) } }
    let tally = Shared(FaultTally())
    try await onThreads(threads, work) { scenario, part in
      let found = try inject(scenario, part: part, of: parts)
      tally.change { $0.add(found) }
    }
    return tally.value
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
        tally.injected.insert("\(scenario.name): \(fault)")
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
        if try !OutputLines.isSame(workspace.merged(), merged, scenario.name) {
          problems.append("merges to another output")
        }
      } else if !scenario.outputs.isEmpty {
        problems += try continueRun(workspace, baseline, merged, after: end)
      }
      if !problems.isEmpty {
        tally.problems.append("\(scenario.name): \(fault): " + problems.joined(separator: "; "))
      }
      workspace.reset()
    }
    return tally
  }

  private func mergedBaseline(_ workspace: FaultWorkspace) throws -> [UInt8] {
    guard workspace.scenario.isShard else { return [] }
    defer { workspace.reset() }
    _ = try workspace.runAgain()
    return try workspace.merged()
  }

  /// Runs the command that goes on after a fault; the result is then the same as without one.
  private func continueRun(
    _ workspace: FaultWorkspace, _ baseline: FaultEnd, _ merged: [UInt8], after failed: FaultEnd
  ) throws -> [String] {
    let scenario = workspace.scenario
    let isKilled = failed.outcome.signal == SIGKILL
    if isKilled, let manifest = failed.files["manifest.out"],
      manifest != workspace.before["manifest.out"], failed.files["manifest.out.partial"] == nil
    {
      // It was complete, and another run would be an update, which replaces the former manifest.
      let isKept =
        scenario.outputs[FaultScenario.former] == nil
        || failed.files[FaultScenario.former] == workspace.before["manifest.out"]
      return isKept ? [] : ["the former manifest is lost"]
    }
    let end = try workspace.runAgain()
    var problems: [String] = []
    if isKilled {
      for (name, shape) in scenario.outputs where shape != .log {
        let left = failed.files[name]
        if left != workspace.before[name] && left != end.files[name] {
          problems.append("\(name) is neither the former one nor whole")
        }
      }
    }
    // A part with files that could not be read is complete, and stays; so do the commands
    // that failed.
    let isDone = scenario.isShard && [1, 3].contains(failed.outcome.status)
    // An attempt that is continued keeps its results, failures too, which the failed run reported.
    let isKept =
      scenario.name == "shard of run" && end.outcome.status == 1
      || scenario.isShard && end.outcome.status == 3 && failed.outcome.errorText.contains("tree/")
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
    // If the failed run was complete, `--resume` is an update, which keeps the former output.
    let left = Set(end.files.keys).subtracting(baseline.files.keys).filter { path in
      !path.hasPrefix("manifest.out.old")
        && !scenario.kept.contains { $0.hasSuffix("/") && path.hasPrefix($0) }
        && (failed.files[path] == nil || isKilled && !isScratch(path, of: scenario))
    }
    if !left.isEmpty { problems.append("goes on and leaves \(left.sorted())") }
    return problems
  }

  /// True if a kill may leave the file: the output to be of a command that does not resume, and a
  /// scratch file if none can be made without a name.
  private func isScratch(_ path: String, of scenario: FaultScenario) -> Bool {
    scenario.again == nil && scenario.outputs.keys.contains { path.hasPrefix("\($0).tmp.") }
      || getenv("WEIR_POSIX") != nil && path.contains(".tmp.")
  }
}
