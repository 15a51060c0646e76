// The detection of the shard, from a table of environments.

import TestSupport
import Testing

@testable import WeirTool

/// An environment and its answer: a shard, or the beginning of a message.
struct LaunchCase: CustomStringConvertible, Sendable {
  let description: String
  var argument = "auto"
  var by: String?
  var base: Int?
  var shards: Int? = 6
  let environment: [String: String]
  var index: Int?
  var words: String?
  var attempt = 1
  var message: String?

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

  // MARK: The launchers

  static let launchers: [LaunchCase] = [
    LaunchCase(
      description: "--shard K/N", argument: "3/6", environment: array(1), index: 3,
      words: "--shard, attempt 1, node n2"),
    LaunchCase(
      description: "--shard K", argument: "5", environment: [:], index: 5,
      words: "--shard, attempt 1, node host"),
    LaunchCase(
      description: "--shard K/N without a plan", argument: "2/9", shards: nil, environment: [:],
      index: 2, words: "--shard, attempt 1, node host"),
    LaunchCase(
      description: "--shard with --index-base", argument: "6/6", base: 1, environment: [:],
      index: 5, words: "--shard, attempt 1, node host"),
    LaunchCase(
      description: "WEIR_SHARD wins", environment: array(1, ["WEIR_SHARD": "4/6"]), index: 4,
      words: "WEIR_SHARD, attempt 1, node n2"),
    LaunchCase(
      description: "WEIR_SHARD without a plan", shards: nil, environment: ["WEIR_SHARD": "4/6"],
      index: 4, words: "WEIR_SHARD, attempt 1, node host"),
    LaunchCase(
      description: "WEIR_SHARD and WEIR_ATTEMPT",
      environment: ["WEIR_SHARD": "0/6", "WEIR_ATTEMPT": "3"], index: 0,
      words: "WEIR_SHARD, attempt 3, node host", attempt: 3),
    LaunchCase(
      description: "Open MPI", environment: mpirun(5, of: 6), index: 5,
      words: "open mpi rank 5, attempt 1, node host"),
    LaunchCase(
      description: "Hydra", environment: ["PMI_RANK": "2", "PMI_SIZE": "6"], index: 2,
      words: "pmi rank 2, attempt 1, node host"),
    LaunchCase(
      description: "srun with pmi2", environment: step(3, of: 6), index: 3,
      words: "pmi rank 3, attempt 1, node n2"),
    LaunchCase(
      description: "srun without PMI",
      environment: step(3, of: 6).filter { !$0.key.hasPrefix("PMI_") }, index: 3,
      words: "srun task 3, attempt 1, node n2"),
    LaunchCase(
      description: "mpirun over two nodes, whose daemons srun started",
      environment: step(1, of: 2).merging(mpirun(4, of: 6)) { $1 }, index: 4,
      words: "open mpi rank 4, attempt 1, node n2"),
    LaunchCase(
      description: "Slurm array", environment: array(3), index: 3,
      words: "slurm array 20_3, attempt 1, node n2"),
    LaunchCase(
      description: "Slurm array, requeued", environment: array(3, ["SLURM_RESTART_COUNT": "1"]),
      index: 3, words: "slurm array 20_3, attempt 2, node n2", attempt: 2),
    LaunchCase(
      description: "Slurm array from 1", base: 1, environment: array(6), index: 5,
      words: "slurm array 20_6, attempt 1, node n2"),
    LaunchCase(
      description: "Kubernetes", environment: ["JOB_COMPLETION_INDEX": "3"], index: 3,
      words: "kubernetes index 3, attempt 1, node host"),
    LaunchCase(
      description: "AWS Batch",
      environment: [
        "AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "6",
        "AWS_BATCH_JOB_ATTEMPT": "2",
      ], index: 3, words: "aws batch index 3, attempt 2, node host", attempt: 2),
    LaunchCase(
      description: "AWS Batch without a size", environment: ["AWS_BATCH_JOB_ARRAY_INDEX": "5"],
      index: 5, words: "aws batch index 5, attempt 1, node host"),
    LaunchCase(
      description: "Cloud Run",
      environment: [
        "CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "6", "CLOUD_RUN_TASK_ATTEMPT": "1",
      ], index: 3, words: "cloud run index 3, attempt 2, node host", attempt: 2),
    LaunchCase(
      description: "PBS Pro from 0", base: 0, environment: ["PBS_ARRAY_INDEX": "3"], index: 3,
      words: "pbs array index 3, attempt 1, node host"),
    LaunchCase(
      description: "PBS Pro from 1", base: 1, environment: ["PBS_ARRAY_INDEX": "3"], index: 2,
      words: "pbs array index 3, attempt 1, node host"),
    LaunchCase(
      description: "Torque", base: 1, environment: ["PBS_ARRAYID": "6"], index: 5,
      words: "torque array index 6, attempt 1, node host"),
    LaunchCase(
      description: "LSF", base: 1, environment: ["LSB_JOBINDEX": "1", "LSB_JOBID": "12"],
      index: 0, words: "lsf array 12[1], attempt 1, node host"),
    LaunchCase(
      description: "SGE", base: 1, environment: ["SGE_TASK_ID": "6", "JOB_ID": "12"], index: 5,
      words: "sge array 12.6, attempt 1, node host"),
  ]

  // MARK: The traps

  static let traps: [LaunchCase] = [
    LaunchCase(
      description: "a batch script has SLURM_PROCID=0", shards: 1, environment: batch,
      message: "no engine is detected: this Slurm job is no array, and no step of several tasks"),
    LaunchCase(
      description: "sbatch -n 4 without srun", shards: 4,
      environment: batch.merging(["SLURM_NTASKS": "4", "SLURM_NPROCS": "4"]) { $1 },
      message: "no engine is detected: this Slurm job is no array, and no step of several tasks"),
    LaunchCase(
      description: "srun -n1 in a task of an array", environment: array(4, step(0, of: 1)),
      index: 4, words: "slurm array 20_4, attempt 1, node n2"),
    LaunchCase(
      description: "mpirun -n 1 in a task of an array",
      environment: array(4, mpirun(0, of: 1)), index: 4,
      words: "slurm array 20_4, attempt 1, node n2"),
    LaunchCase(
      description: "mpirun in a task of an array", environment: array(3, mpirun(5, of: 6)),
      message: "two launchers number this process: OMPI_COMM_WORLD_RANK=5 (open mpi) and "
        + "SLURM_ARRAY_TASK_ID=3 (slurm array); use --shard-by rank or --shard-by array"),
    LaunchCase(
      description: "mpirun in a task of an array, equal by chance",
      environment: array(3, mpirun(3, of: 6)), message: "two launchers number this process"),
    LaunchCase(
      description: "mpirun in a task of an array, by rank", by: "rank",
      environment: array(3, mpirun(5, of: 6)), index: 5,
      words: "open mpi rank 5, attempt 1, node n2"),
    LaunchCase(
      description: "mpirun in a task of an array, by array", by: "array",
      environment: array(3, mpirun(1, of: 2)), index: 3,
      words: "slurm array 20_3, attempt 1, node n2"),
    LaunchCase(
      description: "srun -n 6 in a task of an array", environment: array(3, step(5, of: 6)),
      message: "two launchers number this process: PMI_RANK=5 (pmi) and"),
    LaunchCase(
      description: "4 ranks with a plan of 6 shards", environment: mpirun(3, of: 4),
      message: "the plan has 6 shards, mpirun started 4 ranks"),
    LaunchCase(
      description: "8 ranks with a plan of 6 shards", environment: mpirun(3, of: 8),
      message: "the plan has 6 shards, mpirun started 8 ranks"),
    LaunchCase(
      description: "1 rank with a plan of 6 shards", environment: mpirun(0, of: 1),
      message: "the plan has 6 shards, mpirun started 1 rank"),
    LaunchCase(
      description: "4 tasks of srun with a plan of 6 shards",
      environment: step(3, of: 4).filter { !$0.key.hasPrefix("PMI_") },
      message: "the plan has 6 shards, srun started 4 tasks"),
    LaunchCase(
      description: "4 ranks of Hydra", environment: ["PMI_RANK": "3", "PMI_SIZE": "4"],
      message: "the plan has 6 shards, the launcher started 4 ranks"),
    LaunchCase(
      description: "an array of 4 on AWS",
      environment: ["AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "4"],
      message: "the plan has 6 shards, the array of AWS Batch has 4 children"),
    LaunchCase(
      description: "4 tasks on Cloud Run",
      environment: ["CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "4"],
      message: "the plan has 6 shards, Cloud Run started 4 tasks"),
    LaunchCase(
      description: "a rank without a number of ranks",
      environment: ["OMPI_COMM_WORLD_RANK": "3"],
      message: "OMPI_COMM_WORLD_RANK is set, but OMPI_COMM_WORLD_SIZE is not"),
    LaunchCase(
      description: "0 ranks", environment: mpirun(0, of: 0),
      message: "the plan has 6 shards, mpirun started 0 ranks"),
    LaunchCase(
      description: "submitted again with --array=3,7", shards: 8,
      environment: array(
        7,
        [
          "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "7",
        ]), index: 7, words: "slurm array 20_7, attempt 1, node n2"),
    LaunchCase(
      description: "--array=1-6:2",
      environment: array(5, ["SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_STEP": "2"]),
      index: 5, words: "slurm array 20_5, attempt 1, node n2"),
    LaunchCase(
      description: "an array longer than the plan", environment: array(6),
      message: "SLURM_ARRAY_TASK_ID=6 is no shard: the shards are 0 to 5"),
    LaunchCase(
      description: "an array from 1 and its first task 0", base: 1, environment: array(0),
      message: "SLURM_ARRAY_TASK_ID=0 is below --index-base 1"),
    LaunchCase(
      description: "an array from 1, longer than the plan", base: 1, environment: array(7),
      message: "SLURM_ARRAY_TASK_ID=7 is no shard: the shards are 1 to 6"),
    LaunchCase(
      description: "LSF without an array", base: 1, environment: ["LSB_JOBINDEX": "0"],
      message: "no engine is detected: this LSF job is no array; use --shard K/N"),
    LaunchCase(
      description: "SGE without an array", base: 1, environment: ["SGE_TASK_ID": "undefined"],
      message: "no engine is detected: this SGE job is no array; use --shard K/N"),
    LaunchCase(
      description: "LSF without a base", environment: ["LSB_JOBINDEX": "3"],
      message: "LSB_JOBINDEX counts from 1, not from 0; use --index-base 1"),
    LaunchCase(
      description: "SGE without a base", environment: ["SGE_TASK_ID": "3"],
      message: "SGE_TASK_ID counts from 1, not from 0; use --index-base 1"),
    LaunchCase(
      description: "PBS without a base", environment: ["PBS_ARRAY_INDEX": "3"],
      message: "PBS_ARRAY_INDEX may count from 0 or from 1; use --index-base 0 or --index-base 1"),
    LaunchCase(
      description: "Torque without a base", environment: ["PBS_ARRAYID": "3"],
      message: "PBS_ARRAYID may count from 0 or from 1; use --index-base 0 or --index-base 1"),
    LaunchCase(
      description: "LSF from 0", base: 0, environment: ["LSB_JOBINDEX": "3"],
      message: "--index-base 0 does not fit LSB_JOBINDEX, which counts from 1"),
    LaunchCase(
      description: "ranks from 1", base: 1, environment: mpirun(3, of: 6),
      message: "--index-base 1 does not fit OMPI_COMM_WORLD_RANK, which counts from 0"),
    LaunchCase(
      description: "Kubernetes from 1", base: 1, environment: ["JOB_COMPLETION_INDEX": "3"],
      message: "--index-base 1 does not fit JOB_COMPLETION_INDEX, which counts from 0"),
    LaunchCase(
      description: "two arrays that differ", base: 1,
      environment: ["PBS_ARRAY_INDEX": "3", "SGE_TASK_ID": "4"],
      message: "two launchers number this process: PBS_ARRAY_INDEX=3 and SGE_TASK_ID=4"),
    LaunchCase(
      description: "two arrays that agree", base: 1,
      environment: ["PBS_ARRAY_INDEX": "3", "PBS_ARRAYID": "3"], index: 2,
      words: "pbs array index 3, attempt 1, node host"),
    LaunchCase(
      description: "no launcher", environment: ["PATH": "/bin", "JOB_ID": "3"],
      message: "no engine is detected: neither WEIR_SHARD nor the variables of a launcher "
        + "are set; use --shard K/N"),
    LaunchCase(
      description: "by rank, but there is none", by: "rank", environment: array(3),
      message: "no engine is detected: no rank is set for this process; use --shard K/N"),
    LaunchCase(
      description: "by array, but there is none", by: "array", environment: mpirun(3, of: 6),
      message: "no engine is detected: no array is set for this process; use --shard K/N"),
    LaunchCase(
      description: "auto without a plan", shards: nil, environment: array(3),
      message: "--shard auto needs the number of shards from --plan"),
  ]

  // MARK: Numbers

  static let numbers: [LaunchCase] = [
    LaunchCase(
      description: "K = N", argument: "6/6", environment: [:],
      message: "--shard 6/6 is no shard: the shards are 0 to 5"),
    LaunchCase(
      description: "another N", argument: "3/64", environment: [:],
      message: "the plan has 6 shards, --shard names 3/64"),
    LaunchCase(
      description: "another N in WEIR_SHARD", environment: ["WEIR_SHARD": "3/64"],
      message: "the plan has 6 shards, WEIR_SHARD names 3/64"),
    LaunchCase(
      description: "WEIR_SHARD without N", environment: ["WEIR_SHARD": "3"],
      message: "WEIR_SHARD takes K/N, such as 3/64, not 3: the number of shards is missing"),
    LaunchCase(
      description: "--shard K without a plan", argument: "3", shards: nil, environment: [:],
      message: "--shard takes K/N, such as 3/64, not 3: the number of shards is missing"),
    LaunchCase(
      description: "0 from 1", argument: "0/6", base: 1, environment: [:],
      message: "--shard 0/6 is below --index-base 1"),
    LaunchCase(
      description: "one shard", argument: "1/1", shards: 1, environment: [:],
      message: "--shard 1/1 is no shard: the only shard is 0"),
    LaunchCase(
      description: "a malformed size",
      environment: mpirun(3, of: 6).merging(
        ["OMPI_COMM_WORLD_SIZE": "six"]) { $1 },
      message: "OMPI_COMM_WORLD_SIZE is no number: six"),
    LaunchCase(
      description: "a malformed number of tasks",
      environment: step(3, of: 6)
        .filter { !$0.key.hasPrefix("PMI_") }.merging(["SLURM_STEP_NUM_TASKS": ""]) { $1 },
      message: "SLURM_STEP_NUM_TASKS is no number: ''"),
    LaunchCase(
      description: "a malformed attempt", environment: array(3, ["SLURM_RESTART_COUNT": "x"]),
      index: 3, words: "slurm array 20_3, attempt 1, node n2"),
    LaunchCase(
      description: "a job and a node with control characters",
      environment: array(3, ["SLURM_ARRAY_JOB_ID": "2\u{1B}[0m", "SLURMD_NODENAME": "n\n 2"]),
      index: 3, words: "slurm array 2[0m_3, attempt 1, node n2"),
  ]
}

@Suite(.timeLimit(.minutes(2)))
struct LauncherTests {
  @Test(
    "an environment has one answer, or is refused",
    arguments: LaunchCase.launchers + LaunchCase.traps + LaunchCase.numbers)
  func answer(launch: LaunchCase) {
    do throws(UsageError) {
      let choice = try Launcher.choose(
        argument: launch.argument, by: launch.by, indexBase: launch.base, shards: launch.shards,
        environment: launch.environment, host: "host")
      #expect(launch.message == nil, "\(choice)")
      #expect(choice.index == launch.index)
      #expect(choice.words == launch.words)
      #expect(choice.attempt == launch.attempt)
    } catch {
      let text = String(decoding: error.message, as: UTF8.self)
      #expect(launch.index == nil)
      #expect(launch.message.map { text.hasPrefix($0) } == true, "\(text)")
    }
  }

  @Test(
    "a number that is none is refused with its variable and its value",
    arguments: ["", "-1", "+1", "1.0", "0x1", " 1", "1 ", "1,2", "99999999999999999999", "é"])
  func malformed(value: String) {
    let quoted = String(decoding: QuotedName.bytes(of: value.utf8), as: UTF8.self)
    for engine in LaunchEngine.all {
      var environment = [engine.index: value]
      for name in engine.variables where name != engine.index { environment[name] = "6" }
      expectRefusal("auto", environment, "\(engine.index) is no number: \(quoted)")
    }
    for text in ["\(value)/6", "3/\(value)", value] {
      let whole = String(decoding: QuotedName.bytes(of: text.utf8), as: UTF8.self)
      expectRefusal(text, [:], "--shard takes K/N or auto, such as 3/64, not \(whole)")
      expectRefusal(
        "auto", ["WEIR_SHARD": text],
        "WEIR_SHARD takes K/N, such as 3/64, not \(whole) for --shard auto")
    }
  }

  private func expectRefusal(
    _ argument: String, _ environment: [String: String], _ message: String
  ) {
    do throws(UsageError) {
      let choice = try Launcher.choose(
        argument: argument, by: nil, indexBase: nil, shards: 6, environment: environment)
      Issue.record("\(argument) \(environment): \(choice)")
    } catch {
      #expect(String(decoding: error.message, as: UTF8.self) == message)
    }
  }

  @Test("the line at the start names shard and origin")
  func line() throws {
    let choice = try Launcher.choose(
      argument: "auto", by: nil, indexBase: nil, shards: 64, environment: LaunchCase.array(3))
    #expect(choice.line(of: 64) == "shard 3/64 (slurm array 20_3, attempt 1, node n2)")
    #expect(choice.engine == "slurm array" && choice.node == "n2")
  }

  @Test("the environment of the process has all variables of the table")
  func variables() {
    for engine in LaunchEngine.all {
      #expect(Set(engine.variables).isSubset(of: Launcher.variables), "\(engine.name)")
    }
  }

  @Test("sets of shards as ranges")
  func ranges() {
    for (shards, base, text) in [
      ([], 0, ""), ([0], 0, "0"), ([1, 4, 5], 0, "1,4-5"), ([0, 1, 2, 3], 0, "0-3"),
      ([0, 2, 4], 0, "0,2,4"), ([1, 4, 5], 1, "2,5-6"), ([3, 3, 4], 0, "3-4"),
    ] as [([Int], Int, String)] {
      #expect(ShardRanges.text(shards, base: base) == text)
    }
  }
}
