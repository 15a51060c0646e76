// Launchers by chance: the shard is the index of the launcher, or is refused.

import TestSupport
import Testing

@testable import WeirTool

@Suite(.timeLimit(.minutes(2)))
struct LauncherChanceTests {
  /// A launch as the launcher sees it: its environment, and the index that it meant.
  private struct Launch {
    var environment: [String: String] = [:]
    /// The shard that the launcher meant; `nil` if it numbers nothing.
    var shard: Int?
    /// The number of processes that it starts.
    var tasks: Int
    var base: Int?
    /// True if the launcher may count from 0 or from 1, and the user does not say.
    var lacksBase = false

    mutating func set(_ values: [String: String]) {
      environment.merge(values) { $1 }
    }
  }

  /// The variables beside those of a launcher, which a shell may have from elsewhere.
  private static let noise: [(String, [String])] = [
    ("SLURM_PROCID", ["0"]), ("SLURM_NTASKS", ["1", "4", "6"]), ("SLURM_NPROCS", ["4"]),
    ("SLURM_ARRAY_TASK_COUNT", ["1", "2", "6"]), ("SLURM_ARRAY_TASK_MIN", ["0", "1"]),
    ("SLURM_ARRAY_TASK_MAX", ["3", "5"]), ("SLURM_ARRAY_TASK_STEP", ["2"]),
    ("SLURM_LOCALID", ["0", "1"]), ("SLURM_NODEID", ["0", "2"]), ("SLURM_JOB_ID", ["20"]),
    ("SLURM_RESTART_COUNT", ["0", "1", "x"]), ("PMIX_RANK", ["0", "2"]),
    ("LSB_JOBINDEX", ["0"]), ("SGE_TASK_ID", ["undefined"]), ("PARALLEL_SEQ", ["1", "3"]),
    ("OMPI_COMM_WORLD_LOCAL_RANK", ["0"]), ("JOB_ID", ["7"]), ("SGE_TASK_LAST", ["6"]),
    ("LSB_JOBINDEX_END", ["6"]), ("MPI_LOCALRANKID", ["0"]), ("HOSTNAME", ["n1"]),
  ]

  private func launch(_ random: inout SeededGenerator) -> Launch {
    let tasks = Int.random(in: 1...8, using: &random)
    let index = Int.random(in: 0..<tasks, using: &random)
    var launch = Launch(tasks: tasks)
    for (name, values) in Self.noise where Int.random(in: 0..<3, using: &random) == 0 {
      launch.environment[name] = values.randomElement(using: &random)
    }
    let base = Int.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0:
      launch.set(["OMPI_COMM_WORLD_RANK": "\(index)", "OMPI_COMM_WORLD_SIZE": "\(tasks)"])
      // Its daemons were started by srun on some nodes.
      if Bool.random(using: &random) {
        let nodes = Int.random(in: 1...4, using: &random)
        let node = Int.random(in: 0..<nodes, using: &random)
        launch.set(["SLURM_PROCID": "\(node)", "SLURM_STEP_NUM_TASKS": "\(nodes)"])
        launch.set(["PMI_RANK": "\(node)", "PMI_SIZE": "\(nodes)"])
      }
      launch.shard = index
    case 1:
      launch.set(["PMI_RANK": "\(index)", "PMI_SIZE": "\(tasks)"])
      launch.shard = index
    case 2:
      launch.set(["SLURM_PROCID": "\(index)", "SLURM_STEP_NUM_TASKS": "\(tasks)"])
      if tasks > 1 { launch.shard = index }
    case 3:
      // An array of any indexes; a step of one task in it.
      launch.set(["SLURM_ARRAY_TASK_ID": "\(index + base)", "SLURM_PROCID": "0"])
      if base == 1 { launch.base = 1 }
      if Bool.random(using: &random) { launch.set(["SLURM_STEP_NUM_TASKS": "1"]) }
      if Bool.random(using: &random) { launch.set(["PMI_RANK": "0", "PMI_SIZE": "1"]) }
      launch.shard = index
    case 4:
      launch.set(["JOB_COMPLETION_INDEX": "\(index)"])
      launch.shard = index
    case 5:
      launch.set([
        "AWS_BATCH_JOB_ARRAY_INDEX": "\(index)", "AWS_BATCH_JOB_ARRAY_SIZE": "\(tasks)",
        "AWS_BATCH_JOB_ATTEMPT": "1",
      ])
      launch.shard = index
    case 6:
      launch.set(["CLOUD_RUN_TASK_INDEX": "\(index)", "CLOUD_RUN_TASK_COUNT": "\(tasks)"])
      launch.shard = index
    case 7:
      launch.set(["PBS_ARRAY_INDEX": "\(index + base)"])
      launch.base = base
      launch.shard = index
    case 8:
      launch.set(["LSB_JOBINDEX": "\(index + 1)"])
      launch.base = 1
      launch.shard = index
    case 9:
      launch.set(["SGE_TASK_ID": "\(index + 1)"])
      launch.base = 1
      launch.shard = index
    case 10:
      launch.set(["WEIR_SHARD": "\(index)/\(tasks)"])
      launch.shard = index
    case 11:
      // A parallel job within a task of an array: nobody knows which of the two is meant.
      launch.set(["SLURM_ARRAY_TASK_ID": "\(index)"])
      launch.set(["OMPI_COMM_WORLD_RANK": "\(index)", "OMPI_COMM_WORLD_SIZE": "\(tasks)"])
      if tasks == 1 { launch.shard = index }
    default:
      // A batch script that starts no task: it runs once, as a whole.
      launch.set(["SLURM_PROCID": "0", "SLURM_JOB_ID": "20", "SLURM_NTASKS": "\(tasks)"])
    }
    // The user forgets the base.
    if Int.random(in: 0..<4, using: &random) == 0 {
      launch.lacksBase = launch.base != nil
      launch.base = nil
    }
    return launch
  }

  @Test("a shard by chance is the one that the launcher meant, or is refused")
  func chance() {
    var random = SeededGenerator(for: "launchers")
    var chosen = 0
    var refused = 0
    for round in 0..<50_000 {
      let launch = launch(&random)
      // The plan mostly has as many shards as there are tasks.
      let isOther = Int.random(in: 0..<5, using: &random) == 0
      let shards = isOther ? Int.random(in: 1...9, using: &random) : launch.tasks
      // A Slurm array from 1 without --index-base means other shards, by the contract.
      let isArrayFrom1 =
        launch.base == nil && launch.environment["SLURM_ARRAY_TASK_ID"] != nil
        && launch.environment["SLURM_ARRAY_TASK_ID"] != launch.shard.map { "\($0)" }
      guard
        let choice = try? Launcher.choose(
          argument: "auto", by: nil, indexBase: launch.base, shards: shards,
          environment: launch.environment)
      else {
        refused += 1
        // With the plan's number of tasks and the base, nothing that is meant is refused.
        if launch.shard != nil && !isOther && !isArrayFrom1 {
          #expect(launch.lacksBase, "round \(round): \(launch) is refused")
        }
        continue
      }
      chosen += 1
      #expect((0..<shards).contains(choice.index), "round \(round): \(launch)")
      if !isArrayFrom1 {
        #expect(choice.index == launch.shard, "round \(round): \(launch) of \(shards)")
      }
    }
    #expect(chosen > 10_000 && refused > 10_000, "\(chosen) chosen, \(refused) refused")
  }

  @Test("any values in any variables: a shard of the plan that one variable names, or a refusal")
  func garbage() {
    var random = SeededGenerator(for: "launcher variables")
    let names = Launcher.variables
    let values = ["0", "1", "2", "5", "6", "7", "", "x", "undefined", "-1", "3/6", "1/4", "6/6"]
    for round in 0..<50_000 {
      var environment: [String: String] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        environment[names.randomElement(using: &random) ?? ""] = values.randomElement(
          using: &random)
      }
      let base = [nil, 0, 1, 2].randomElement(using: &random) ?? nil
      let by = [nil, "rank", "array"].randomElement(using: &random) ?? nil
      guard
        let choice = try? Launcher.choose(
          argument: "auto", by: by, indexBase: base, shards: 6, environment: environment)
      else { continue }
      #expect((0..<6).contains(choice.index) && choice.attempt > 0)
      let raw = "\(choice.index + (base ?? 0))"
      let isNamed = LaunchEngine.all.contains { environment[$0.index] == raw }
      #expect(
        isNamed || environment["WEIR_SHARD"] == "\(raw)/6", "round \(round): \(environment)")
    }
  }
}
