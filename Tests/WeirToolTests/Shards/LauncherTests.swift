// The detection of the shard, from a table of environments.

import TestSupport
import Testing

@testable import WeirTool

@Suite(.timeLimit(.minutes(10)))
struct LauncherTests {
  /// The variables that a word stands for: what Slurm sets in each script of `sbatch` (`batch`),
  /// and in an element K of six (`array=K`); those of one of N ranks of srun (`step=K/N`) and of
  /// mpirun (`mpi=K/N`).
  private static func variables(_ word: Substring) -> [String: String] {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    let rank = parts[parts.count - 1].split(separator: "/").map(String.init)
    let batch = [
      "SLURM_JOB_ID": "20", "SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_NPROCS": "1",
      "SLURM_LOCALID": "0", "SLURM_TASKS_PER_NODE": "1", "SLURMD_NODENAME": "n2",
    ]
    let own: [String: String]
    switch parts[0] {
    case "batch": return batch
    case "array":
      own = [
        "SLURM_ARRAY_JOB_ID": "20", "SLURM_ARRAY_TASK_ID": rank[0], "SLURM_ARRAY_TASK_COUNT": "6",
        "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "5",
      ]
    case "step":
      own = [
        "SLURM_PROCID": rank[0], "SLURM_STEP_NUM_TASKS": rank[1], "SLURM_STEP_ID": "0",
        "SLURM_NTASKS": rank[1], "PMI_RANK": rank[0], "PMI_SIZE": rank[1],
      ]
    case "mpi":
      return [
        "OMPI_COMM_WORLD_RANK": rank[0], "OMPI_COMM_WORLD_SIZE": rank[1],
        "OMPI_COMM_WORLD_LOCAL_RANK": "0", "PMIX_RANK": rank[0],
      ]
    default: return [parts[0]: parts[1]]
    }
    return batch.merging(own) { $1 }
  }

  /// An argument, the number of shards (0 without a plan), the environment, and the answer: the
  /// shard and its origin, or the beginning of a message. A later word replaces the variables of an
  /// earlier one, and `-NAME` removes a variable.
  private static let rows = """
    3/6 6 array=3 => 3: --shard, attempt 1, node n2
    5 6 => 5: --shard, attempt 1, node host
    2/9 0 => 2: --shard, attempt 1, node host
    auto 6 array=1 WEIR_SHARD=4/6 => 4: WEIR_SHARD, attempt 1, node n2
    auto 6 WEIR_SHARD=0/6 WEIR_ATTEMPT=3 => 0: WEIR_SHARD, attempt 3, node host
    auto 6 mpi=5/6 => 5: open mpi rank 5, attempt 1, node host
    auto 6 PMI_RANK=2 PMI_SIZE=6 => 2: pmi rank 2, attempt 1, node host
    auto 6 step=3/6 => 3: pmi rank 3, attempt 1, node n2
    auto 6 step=3/6 -PMI_RANK -PMI_SIZE => 3: srun rank 3, attempt 1, node n2
    auto 6 step=1/2 mpi=4/6 => 4: open mpi rank 4, attempt 1, node n2
    auto 6 array=3 => 3: slurm array index 3, attempt 1, node n2
    auto 6 array=3 SLURM_RESTART_COUNT=1 => 3: slurm array index 3, attempt 2, node n2
    auto 8 array=7 SLURM_ARRAY_TASK_COUNT=2 => 7: slurm array index 7, attempt 1, node n2
    auto 6 array=4 step=0/1 => 4: slurm array index 4, attempt 1, node n2
    auto 6 array=4 mpi=0/1 => 4: slurm array index 4, attempt 1, node n2
    auto 6 JOB_COMPLETION_INDEX=3 => 3: kubernetes index 3, attempt 1, node host
    auto 6 AWS_BATCH_JOB_ARRAY_INDEX=3 AWS_BATCH_JOB_ARRAY_SIZE=6 AWS_BATCH_JOB_ATTEMPT=2 \
    => 3: aws batch index 3, attempt 2, node host
    auto 6 CLOUD_RUN_TASK_INDEX=3 CLOUD_RUN_TASK_COUNT=6 CLOUD_RUN_TASK_ATTEMPT=1 \
    => 3: cloud run index 3, attempt 2, node host
    auto 6 array=3 JOB_COMPLETION_INDEX=3 => 3: slurm array index 3, attempt 1, node n2
    auto 6 array=3 SLURM_RESTART_COUNT=x => 3: slurm array index 3, attempt 1, node n2
    auto 6 array=3 SLURMD_NODENAME=n\u{1B}\r2 => 3: slurm array index 3, attempt 1, node n2
    auto 1 batch => no engine is detected: this Slurm job is no array, and no step of
    auto 4 batch SLURM_NTASKS=4 => no engine is detected: this Slurm job is no array, and no step of
    auto 6 array=3 mpi=5/6 => two launchers number this process: OMPI_COMM_WORLD_RANK=5 and \
    SLURM_ARRAY_TASK_ID=3; use --shard K/N
    auto 6 array=3 mpi=3/6 => two launchers number this process
    auto 6 array=3 step=5/6 => two launchers number this process: PMI_RANK=5 and
    auto 6 array=3 JOB_COMPLETION_INDEX=4 => two launchers number this process: \
    SLURM_ARRAY_TASK_ID=3 and JOB_COMPLETION_INDEX=4
    auto 6 mpi=3/4 => the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 4
    auto 6 mpi=3/8 => the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 8
    auto 6 mpi=0/1 => the plan has 6 shards, and OMPI_COMM_WORLD_SIZE is 1
    auto 1 step=3/4 => the plan has 1 shard, and PMI_SIZE is 4
    auto 6 AWS_BATCH_JOB_ARRAY_INDEX=3 AWS_BATCH_JOB_ARRAY_SIZE=4 => the plan has 6 shards, and \
    AWS_BATCH_JOB_ARRAY_SIZE is 4
    auto 6 OMPI_COMM_WORLD_RANK=3 => no engine is detected: neither WEIR_SHARD nor the variables \
    of a launcher are set
    auto 6 array=6 => SLURM_ARRAY_TASK_ID=6 is no shard: the shards are 0 to 5
    auto 6 LSB_JOBINDEX=3 SGE_TASK_ID=3 => no engine is detected
    6/6 6 => --shard 6/6 is no shard: the shards are 0 to 5
    1/1 1 => --shard 1/1 is no shard: the only shard is 0
    3/64 6 => the plan has 6 shards, --shard names 3/64
    auto 6 WEIR_SHARD=3/64 => the plan has 6 shards, WEIR_SHARD names 3/64
    auto 6 WEIR_SHARD=3 => WEIR_SHARD takes K/N, such as 3/64, not 3: the number of shards is \
    missing
    3 0 => --shard takes K/N, such as 3/64, not 3: the number of shards is missing
    auto 6 mpi=3/6 OMPI_COMM_WORLD_SIZE=six => OMPI_COMM_WORLD_SIZE is no number: six
    """

  @Test("an environment has one answer, or is refused")
  func answers() {
    for row in Self.rows.split(separator: "\n") {
      let parts = row.split(separator: " => ")
      let words = parts[0].split(separator: " ")
      var environment: [String: String] = [:]
      for word in words.dropFirst(2) {
        if word.hasPrefix("-") {
          environment[String(word.dropFirst())] = nil
        } else {
          environment.merge(Self.variables(word)) { $1 }
        }
      }
      let shards = Int(words[1]).flatMap { $0 > 0 ? $0 : nil }
      let launcher = Launcher(shards: shards, environment: environment, host: "host")
      var answer = ""
      do throws(UsageError) {
        let choice = try launcher.choose(String(words[0]))
        answer = "\(choice.index): \(choice.words)"
      } catch {
        answer = String(String(decoding: error.text.bytes, as: UTF8.self).prefix(parts[1].count))
      }
      #expect(answer == parts[1], "\(row)")
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
