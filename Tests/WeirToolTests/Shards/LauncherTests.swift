// The detection of the shard, from a table of environments.

import TestSupport
import Testing

@testable import WeirTool

/// An environment and its answer: a shard, or the beginning of a message.
struct LaunchCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let argument: String
  let shards: Int?
  let environment: [String: String]
  /// The shard and the words on its origin; `nil` for a message.
  let answer: (index: Int, words: String)?
  let message: String

  init(
    _ description: String, argument: String = "auto", shards: Int? = 6,
    _ environment: [String: String], is index: Int, _ words: String
  ) {
    testDescription = description
    (self.argument, self.shards, self.environment) = (argument, shards, environment)
    (answer, message) = ((index, words), "")
  }

  init(
    _ description: String, argument: String = "auto", shards: Int? = 6,
    _ environment: [String: String], says message: String
  ) {
    testDescription = description
    (self.argument, self.shards, self.environment) = (argument, shards, environment)
    (answer, self.message) = (nil, message)
  }

  /// What Slurm sets in each script of `sbatch`.
  static let batch = [
    "SLURM_JOB_ID": "20", "SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_NPROCS": "1",
    "SLURM_LOCALID": "0", "SLURM_TASKS_PER_NODE": "1", "SLURMD_NODENAME": "n2",
  ]

  /// What Slurm sets in a task of `--array=0-5`.
  static func array(_ index: Int, _ more: [String: String] = [:]) -> [String: String] {
    let own = [
      "SLURM_ARRAY_JOB_ID": "20", "SLURM_ARRAY_TASK_ID": "\(index)",
      "SLURM_ARRAY_TASK_COUNT": "6", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "5",
    ]
    return batch.merging(own) { $1 }.merging(more) { $1 }
  }

  /// What srun sets in a task of a step.
  static func step(_ rank: Int, of tasks: Int) -> [String: String] {
    batch.merging([
      "SLURM_PROCID": "\(rank)", "SLURM_STEP_NUM_TASKS": "\(tasks)", "SLURM_STEP_ID": "0",
      "SLURM_NTASKS": "\(tasks)", "PMI_RANK": "\(rank)", "PMI_SIZE": "\(tasks)",
    ]) { $1 }
  }

  static func mpirun(_ rank: Int, of size: Int) -> [String: String] {
    [
      "OMPI_COMM_WORLD_RANK": "\(rank)", "OMPI_COMM_WORLD_SIZE": "\(size)",
      "OMPI_COMM_WORLD_LOCAL_RANK": "0", "PMIX_RANK": "\(rank)",
    ]
  }

  // MARK: Answers

  static let answers: [LaunchCase] = [
    LaunchCase("--shard K/N", argument: "3/6", array(1), is: 3, "--shard, attempt 1, node n2"),
    LaunchCase("--shard K", argument: "5", [:], is: 5, "--shard, attempt 1, node host"),
    LaunchCase(
      "--shard K/N without a plan", argument: "2/9", shards: nil, [:], is: 2,
      "--shard, attempt 1, node host"),
    LaunchCase(
      "WEIR_SHARD wins", array(1, ["WEIR_SHARD": "4/6"]), is: 4, "WEIR_SHARD, attempt 1, node n2"),
    LaunchCase(
      "WEIR_ATTEMPT", ["WEIR_SHARD": "0/6", "WEIR_ATTEMPT": "3"], is: 0,
      "WEIR_SHARD, attempt 3, node host"),
    LaunchCase("Open MPI", mpirun(5, of: 6), is: 5, "open mpi rank 5, attempt 1, node host"),
    LaunchCase(
      "Hydra", ["PMI_RANK": "2", "PMI_SIZE": "6"], is: 2, "pmi rank 2, attempt 1, node host"),
    LaunchCase("srun with pmi2", step(3, of: 6), is: 3, "pmi rank 3, attempt 1, node n2"),
    LaunchCase(
      "srun without PMI", step(3, of: 6).filter { !$0.key.hasPrefix("PMI_") }, is: 3,
      "srun rank 3, attempt 1, node n2"),
    LaunchCase(
      "mpirun over two nodes, whose daemons srun started",
      step(1, of: 2).merging(mpirun(4, of: 6)) { $1 }, is: 4, "open mpi rank 4, attempt 1, node n2"),
    LaunchCase("Slurm array", array(3), is: 3, "slurm array index 3, attempt 1, node n2"),
    LaunchCase(
      "Slurm array, requeued", array(3, ["SLURM_RESTART_COUNT": "1"]), is: 3,
      "slurm array index 3, attempt 2, node n2"),
    LaunchCase(
      "submitted again with --array=3,7", shards: 8, array(7, ["SLURM_ARRAY_TASK_COUNT": "2"]),
      is: 7, "slurm array index 7, attempt 1, node n2"),
    LaunchCase(
      "srun -n1 in a task of an array", array(4, step(0, of: 1)), is: 4,
      "slurm array index 4, attempt 1, node n2"),
    LaunchCase(
      "mpirun -n 1 in a task of an array", array(4, mpirun(0, of: 1)), is: 4,
      "slurm array index 4, attempt 1, node n2"),
    LaunchCase(
      "Kubernetes", ["JOB_COMPLETION_INDEX": "3"], is: 3, "kubernetes index 3, attempt 1, node host"
    ),
    LaunchCase(
      "AWS Batch",
      [
        "AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "6",
        "AWS_BATCH_JOB_ATTEMPT": "2",
      ], is: 3, "aws batch index 3, attempt 2, node host"),
    LaunchCase(
      "Cloud Run",
      ["CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "6", "CLOUD_RUN_TASK_ATTEMPT": "1"],
      is: 3, "cloud run index 3, attempt 2, node host"),
    LaunchCase(
      "two arrays that agree", array(3, ["JOB_COMPLETION_INDEX": "3"]), is: 3,
      "slurm array index 3, attempt 1, node n2"),
    LaunchCase(
      "a malformed attempt", array(3, ["SLURM_RESTART_COUNT": "x"]), is: 3,
      "slurm array index 3, attempt 1, node n2"),
    LaunchCase(
      "a node with control characters", array(3, ["SLURMD_NODENAME": "n\n\u{1B} 2"]), is: 3,
      "slurm array index 3, attempt 1, node n2"),
  ]

  // MARK: Refusals

  private static let inSlurm = "no engine is detected: this Slurm job is no array, and no step of"

  static let refusals: [LaunchCase] = [
    LaunchCase("a batch script has SLURM_PROCID=0", shards: 1, batch, says: inSlurm),
    LaunchCase(
      "sbatch -n 4 without srun", shards: 4, batch.merging(["SLURM_NTASKS": "4"]) { $1 },
      says: inSlurm),
    LaunchCase(
      "mpirun in a task of an array", array(3, mpirun(5, of: 6)),
      says: "two launchers number this process: OMPI_COMM_WORLD_RANK=5 and "
        + "SLURM_ARRAY_TASK_ID=3; use --shard K/N"),
    LaunchCase(
      "mpirun in a task of an array, equal by chance", array(3, mpirun(3, of: 6)),
      says: "two launchers number this process"),
    LaunchCase(
      "srun -n 6 in a task of an array", array(3, step(5, of: 6)),
      says: "two launchers number this process: PMI_RANK=5 and"),
    LaunchCase(
      "two arrays that differ", array(3, ["JOB_COMPLETION_INDEX": "4"]),
      says: "two launchers number this process: SLURM_ARRAY_TASK_ID=3 and JOB_COMPLETION_INDEX=4"),
    LaunchCase(
      "4 ranks with a plan of 6 shards", mpirun(3, of: 4),
      says: "the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 4"),
    LaunchCase(
      "8 ranks with a plan of 6 shards", mpirun(3, of: 8),
      says: "the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 8"),
    LaunchCase(
      "1 rank with a plan of 6 shards", mpirun(0, of: 1),
      says: "the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 1"),
    LaunchCase(
      "4 tasks of srun with a plan of 1 shard", shards: 1, step(3, of: 4),
      says: "the plan has 1 shard, and PMI_SIZE is 4"),
    LaunchCase(
      "an array of 4 on AWS",
      ["AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "4"],
      says: "the plan has 6 shards, and AWS_BATCH_JOB_ARRAY_SIZE is 4"),
    LaunchCase(
      "a rank without a number of ranks", ["OMPI_COMM_WORLD_RANK": "3"],
      says: "no engine is detected: neither WEIR_SHARD nor the variables of a launcher are set"),
    LaunchCase(
      "an array longer than the plan", array(6),
      says: "SLURM_ARRAY_TASK_ID=6 is no shard: the shards are 0 to 5"),
    LaunchCase(
      "an index that may count from 1", ["LSB_JOBINDEX": "3", "SGE_TASK_ID": "3"],
      says: "no engine is detected"),
    LaunchCase(
      "K = N", argument: "6/6", [:], says: "--shard 6/6 is no shard: the shards are 0 to 5"),
    LaunchCase(
      "one shard", argument: "1/1", shards: 1, [:],
      says: "--shard 1/1 is no shard: the only shard is 0"),
    LaunchCase(
      "another N", argument: "3/64", [:], says: "the plan has 6 shards, --shard names 3/64"),
    LaunchCase(
      "another N in WEIR_SHARD", ["WEIR_SHARD": "3/64"],
      says: "the plan has 6 shards, WEIR_SHARD names 3/64"),
    LaunchCase(
      "WEIR_SHARD without N", ["WEIR_SHARD": "3"],
      says: "WEIR_SHARD takes K/N, such as 3/64, not 3: the number of shards is missing"),
    LaunchCase(
      "--shard K without a plan", argument: "3", shards: nil, [:],
      says: "--shard takes K/N, such as 3/64, not 3: the number of shards is missing"),
    LaunchCase(
      "a malformed size", mpirun(3, of: 6).merging(["OMPI_COMM_WORLD_SIZE": "six"]) { $1 },
      says: "OMPI_COMM_WORLD_SIZE is no number: six"),
  ]
}

@Suite(.timeLimit(.minutes(10)))
struct LauncherTests {
  @Test(
    "an environment has one answer, or is refused",
    arguments: LaunchCase.answers + LaunchCase.refusals)
  func answer(launch: LaunchCase) {
    let launcher = Launcher(shards: launch.shards, environment: launch.environment, host: "host")
    do throws(UsageError) {
      let choice = try launcher.choose(launch.argument)
      #expect(choice.index == launch.answer?.index)
      #expect(choice.words == launch.answer?.words)
    } catch {
      let text = String(decoding: error.text.bytes, as: UTF8.self)
      #expect(launch.answer == nil && text.hasPrefix(launch.message), "\(text)")
    }
  }

  @Test(
    "a number that is none is refused with its variable and its value",
    arguments: ["", "-1", "+1", "1.0", "0x1", " 1", "1,2", "99999999999999999999", "é"])
  func malformed(value: String) {
    let variables = LaunchEngine.all.map(\.index) + ["WEIR_SHARD", "--shard"]
    for name in variables {
      let text = name == "WEIR_SHARD" ? "\(value)/6" : name == "--shard" ? "3/\(value)" : value
      let launcher = Launcher(shards: 6, environment: name == "--shard" ? [:] : [name: text])
      let error = #expect(throws: UsageError.self) {
        try launcher.choose(name == "--shard" ? text : "auto")
      }
      let message = String(decoding: error?.text.bytes ?? [], as: UTF8.self)
      let quoted = String(decoding: QuotedName.bytes(of: text.utf8), as: UTF8.self)
      #expect(message.hasPrefix("\(name) ") && message.hasSuffix(quoted), "\(message)")
    }
  }

  @Test("any values in any variables: a shard of the plan that one variable names, or a refusal")
  func garbage() {
    var random = SeededGenerator(for: "launcher variables")
    let values = ["0", "1", "2", "5", "6", "7", "", "x", "undefined", "-1", "3/6", "1/4", "6/6"]
    for round in 0..<50_000 {
      var environment: [String: String] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        environment[Launcher.variables.randomElement(using: &random) ?? ""] = values.randomElement(
          using: &random)
      }
      let launcher = Launcher(shards: 6, environment: environment)
      guard let choice = try? launcher.choose("auto") else { continue }
      #expect((0..<6).contains(choice.index) && choice.attempt > 0)
      let isNamed = LaunchEngine.all.contains { environment[$0.index] == "\(choice.index)" }
      #expect(
        isNamed || environment["WEIR_SHARD"] == "\(choice.index)/6",
        "round \(round): \(environment)")
    }
  }

  @Test(
    "the task's cores, then those of the node if it has one task, then OpenMP's",
    arguments: [
      ([:], nil),
      (["SLURM_CPUS_PER_TASK": "4", "SLURM_CPUS_ON_NODE": "8"], 4),
      (["SLURM_CPUS_ON_NODE": "8"], nil),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1"], 8),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1(x2),1"], 8),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "2(x3)"], nil),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1,2"], nil),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "12"], nil),
      // A step of four tasks in a job that was submitted for one a node.
      (
        [
          "SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1",
          "SLURM_STEP_TASKS_PER_NODE": "4", "OMP_NUM_THREADS": "2",
        ], 2
      ),
      (["OMP_NUM_THREADS": "4,2"], 4),
      (["SLURM_CPUS_PER_TASK": "0", "OMP_NUM_THREADS": "many"], nil),
    ] as [([String: String], Int?)])
  func cores(environment: [String: String], cores: Int?) {
    #expect(Launcher(shards: nil, environment: environment).cores == cores)
  }

  @Test("sets of shards as ranges")
  func ranges() {
    for (shards, text) in [
      ([], ""), ([0], "0"), ([1, 4, 5], "1,4-5"), ([0, 1, 2, 3], "0-3"), ([3, 3, 4], "3-4"),
    ] as [([Int], String)] {
      #expect(ShardNumber.ranges(shards) == text)
    }
  }
}
