// The shard of this process: the number of --shard, or the one that a launcher leaves in the
// environment.
//
// DESIGN. A wrong guess does one shard twice and another never. So there is no guess: the number
// of shards comes from the plan and never from a launcher, whose number of tasks is only compared
// with it; an environment with two answers is an error; and an index that may count from 1 is not
// taken, since the shell can compute K from it. All rules are a function of the environment, so
// that a table can test them.

internal import FileJobs
internal import WeirLibC

struct ShardChoice: Equatable {
  /// The shard, from 0.
  let index: Int
  /// The origin, such as `slurm array index 3, attempt 1, node n2`.
  let words: String
  /// The attempt of this shard, from 1, as far as the launcher counts attempts.
  let attempt: Int
}

/// A launcher that starts many tasks and tells each its number through the environment.
struct LaunchEngine {
  /// The name in messages, such as `slurm array`.
  let name: String
  /// True for the ranks of a parallel job, false for the tasks of an array.
  var isRank = false
  /// The variable with the number of the task, from 0.
  let index: String
  /// The variable with the number of all tasks; `nil` if none has it. SLURM_ARRAY_TASK_COUNT, for
  /// instance, is 2 after `--array=3,7`.
  var count: String?

  /// All launchers. Of several that number ranks, the first one counts: `mpirun` starts its
  /// daemons through `srun`, whose variables reach the ranks too. MPICH, Intel MPI and, with
  /// --mpi=pmi2, srun set PMI_RANK.
  static let all = [
    LaunchEngine(
      name: "open mpi", isRank: true, index: "OMPI_COMM_WORLD_RANK", count: "OMPI_COMM_WORLD_SIZE"),
    LaunchEngine(name: "pmi", isRank: true, index: "PMI_RANK", count: "PMI_SIZE"),
    LaunchEngine(
      name: "srun", isRank: true, index: "SLURM_PROCID", count: "SLURM_STEP_NUM_TASKS"),
    LaunchEngine(name: "slurm array", index: "SLURM_ARRAY_TASK_ID"),
    LaunchEngine(name: "kubernetes", index: "JOB_COMPLETION_INDEX"),
    LaunchEngine(
      name: "aws batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"),
    LaunchEngine(name: "cloud run", index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT"),
  ]
}

/// The detection of the shard in an environment.
struct Launcher {
  /// The number of shards; `nil` without a plan.
  let shards: Int?
  let environment: [String: String]
  var host = ""

  /// The variable that names the shard as `K/N` for any launcher that can set a variable.
  static let shardVariable = "WEIR_SHARD"
  /// The variables that count the attempts, each with the value of the first one.
  private static let attempts = [
    ("SLURM_RESTART_COUNT", 0), ("AWS_BATCH_JOB_ATTEMPT", 1), ("CLOUD_RUN_TASK_ATTEMPT", 0),
    ("WEIR_ATTEMPT", 1),
  ]
  /// The variables with the cores of a task.
  private static let cores = [
    "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE", "OMP_NUM_THREADS",
  ]

  static let variables =
    [shardVariable, "SLURMD_NODENAME", "SLURM_JOB_ID"] + attempts.map(\.0) + cores
    + LaunchEngine.all.flatMap { [$0.index] + ($0.count.map { [$0] } ?? []) }

  static func environment() -> [String: String] {
    var values: [String: String] = [:]
    for name in variables {
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
    return values
  }

  /// Returns the shard that an option names: `K/N`, `K` or `auto`.
  func choose(_ argument: String) throws(UsageError) -> ShardChoice {
    if argument != "auto" { return try explicit(argument, ShardOptions.shardName) }
    // A variable that is set for weir wins over those that a launcher sets for everybody.
    if let value = environment[Launcher.shardVariable] {
      return try explicit(value, Launcher.shardVariable)
    }
    guard let found = try find() else { throw UsageError(nothingFound) }
    if let name = found.engine.count, let count = found.count, let shards, count != shards {
      throw UsageError("the plan has \(Launcher.text(of: shards)), and \(name) is \(count)")
    }
    let index = try checked(found.index, of: shards ?? 0, "\(found.engine.index)=\(found.index)")
    let noun = found.engine.isRank ? "rank" : "index"
    return choice(index, "\(found.engine.name) \(noun) \(index)")
  }

  /// - Parameter name: The option or the variable with the number.
  private func explicit(_ value: String, _ name: String) throws(UsageError) -> ShardChoice {
    guard let number = ShardNumber(value) else {
      throw UsageError("\(name) takes K/N, such as 3/64, not \(RawArgument(value))")
    }
    if number.count == nil && (shards == nil || name == Launcher.shardVariable) {
      throw UsageError(
        "\(name) takes K/N, such as \(number.index)/64, not \(number.index): the number of shards "
          + "is missing")
    }
    if let count = number.count, let shards, count != shards {
      throw UsageError(
        "the plan has \(Launcher.text(of: shards)), \(name) names \(number.index)/\(count)")
    }
    return choice(
      try checked(number.index, of: number.count ?? shards ?? 0, "\(name) \(value)"), name)
  }

  // MARK: Launchers

  /// The index that a launcher has left, and its number of tasks.
  private typealias Found = (engine: LaunchEngine, index: Int, count: Int?)

  /// Returns the index of the only launcher; `nil` if there is none.
  private func find() throws(UsageError) -> Found? {
    var found: [Found] = []
    for engine in LaunchEngine.all {
      guard let index = try number(engine.index) else { continue }
      found.append(
        (engine, index, try engine.count.flatMap { name throws(UsageError) in try number(name) }))
    }
    // A rank whose launcher does not say how many there are is none: each batch script has
    // SLURM_PROCID=0.
    let rank = found.first { $0.engine.isRank && $0.count != nil }
    let arrays = found.filter { !$0.engine.isRank }
    // A single rank within a task of an array is that task.
    let answers = (rank.map { $0.count == 1 && !arrays.isEmpty ? [] : [$0] } ?? []) + arrays
    if let first = answers.first,
      let other = answers.dropFirst().first(where: { other in
        other.engine.isRank != first.engine.isRank || other.index != first.index
      })
    {
      throw UsageError(
        "two launchers number this process: \(first.engine.index)=\(first.index) and "
          + "\(other.engine.index)=\(other.index); use --shard K/N")
    }
    return answers.first
  }

  private func number(_ name: String) throws(UsageError) -> Int? {
    guard let value = environment[name] else { return nil }
    guard let number = ShardNumber.number(value) else {
      throw UsageError("\(name) is no number: \(RawArgument(value))")
    }
    return number
  }

  private var nothingFound: Message {
    let isInSlurm = environment["SLURM_JOB_ID"] != nil || environment["SLURM_PROCID"] != nil
    let reason =
      isInSlurm
      ? "this Slurm job is no array, and no step of several tasks that srun started"
      : "neither \(Launcher.shardVariable) nor the variables of a launcher are set"
    return "no engine is detected: \(reason); use --shard K/N"
  }

  private static func text(of shards: Int) -> String {
    shards == 1 ? "1 shard" : "\(shards) shards"
  }

  private func checked(_ index: Int, of shards: Int, _ origin: String) throws(UsageError) -> Int {
    if index < shards { return index }
    let range = shards == 1 ? "the only shard is 0" : "the shards are 0 to \(shards - 1)"
    throw UsageError("\(origin) is no shard: \(range)")
  }

  private func choice(_ index: Int, _ origin: String) -> ShardChoice {
    // No shard depends on the attempt, so a value that is no number counts as not set.
    let attempt =
      Launcher.attempts.lazy.compactMap { name, first -> Int? in
        let value = environment[name].flatMap { ShardNumber.number($0) }
        return value.flatMap { $0 >= first && $0 < Int.max ? $0 - first + 1 : nil }
      }.first ?? 1
    // Without the characters that a terminal would obey.
    let node = (environment["SLURMD_NODENAME"] ?? host).unicodeScalars
      .filter { $0.value > 0x20 && $0.value < 0x7F }
    let words = "\(origin), attempt \(attempt)"
    return ShardChoice(
      index: index,
      words: node.isEmpty ? words : "\(words), node \(String.UnicodeScalarView(node))",
      attempt: attempt)
  }

  // MARK: Cores

  /// The cores that the launcher gives to this task; `nil` if only the affinity and the quota of
  /// the process are known. A node has more cores than a task may use, and no system call reports
  /// the share without one of the two. A value that is no number above 0 counts as not set.
  var cores: Int? {
    func number(_ text: Substring?) -> Int? {
      text.flatMap { ShardNumber.number($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
    func value(_ name: String) -> Substring? { environment[name].map { $0[...] } }
    // One task on each node, as in `1` or `1(x3)`: SLURM_CPUS_ON_NODE are the cores of all tasks
    // on this node.
    let tasks = value("SLURM_STEP_TASKS_PER_NODE") ?? value("SLURM_TASKS_PER_NODE") ?? ""
    let isAlone = tasks.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
      $0.prefix { $0 != "(" } == "1"
    }
    // OMP_NUM_THREADS=4,2 is for nested loops; the first number is the outermost.
    return number(value("SLURM_CPUS_PER_TASK"))
      ?? (isAlone ? number(value("SLURM_CPUS_ON_NODE")) : nil)
      ?? number(value("OMP_NUM_THREADS")?.prefix { $0 != "," })
  }
}

/// A shard as words name it: `K/N`, or `K` alone.
struct ShardNumber: Equatable {
  let index: Int
  let count: Int?

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let index = ShardNumber.number(parts[0]) else { return nil }
    self.index = index
    count = parts.count == 2 ? ShardNumber.number(parts[1]) : nil
    if parts.count == 2 && count ?? 0 == 0 { return nil }
  }

  static func number(_ text: some StringProtocol) -> Int? {
    let isDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isDigits ? Int(text) : nil
  }

  /// Returns ascending shards as ranges, such as `1,4-5`: the form of `sbatch --array`.
  static func ranges(_ shards: some Sequence<Int>) -> String {
    var ranges: [ClosedRange<Int>] = []
    for shard in shards {
      if let last = ranges.last, shard - 1 <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, shard)
      } else {
        ranges.append(shard...shard)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }
}
