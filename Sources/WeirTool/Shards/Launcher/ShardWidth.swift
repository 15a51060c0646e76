// The number of cores that a launcher gives to the task of a shard.

/// The number of cores that a launcher gives to a task. A node of a cluster has more cores
/// than a task may use, and no system call reports the share of the task unless the launcher
/// sets an affinity or a quota.
struct ShardWidth: Equatable {
  /// The number; `nil` if only the affinity and the quota of the process are known.
  let cores: Int?
  /// The origin of the number, such as `SLURM_CPUS_PER_TASK`.
  let words: String

  /// The variables that a width depends on.
  static let variables = [
    "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE", "OMP_NUM_THREADS",
  ]

  /// Returns the width of a shard: `--jobs`, or the number of a launcher. Each value that is
  /// no number above 0 counts as not set.
  ///
  /// - Parameter limit: The largest width.
  static func choose(jobs: Int?, environment: [String: String], limit: Int = .max) -> ShardWidth {
    if let jobs { return ShardWidth(cores: jobs, words: CommonOptions.jobsName) }
    func width(_ name: String, _ text: Substring?) -> ShardWidth? {
      guard let cores = text.flatMap({ ShardNumber.number($0) }), cores > 0 else { return nil }
      return ShardWidth(cores: min(cores, limit), words: name)
    }
    func value(_ name: String) -> Substring? { environment[name].map { $0[...] } }
    // SLURM_CPUS_ON_NODE are the cores of all tasks on this node.
    let cores = hasNodeForItself(environment) ? value("SLURM_CPUS_ON_NODE") : nil
    // OMP_NUM_THREADS=4,2 is for nested loops; the first number is the outermost.
    let threads = value("OMP_NUM_THREADS")?.prefix { $0 != "," }
    return width("SLURM_CPUS_PER_TASK", value("SLURM_CPUS_PER_TASK"))
      ?? width("SLURM_CPUS_ON_NODE", cores) ?? width("OMP_NUM_THREADS", threads)
      ?? ShardWidth(cores: nil, words: "affinity and quota")
  }

  /// Returns true if Slurm reports one task on each node, as in `1` or `1(x3)`.
  private static func hasNodeForItself(_ environment: [String: String]) -> Bool {
    let list = environment["SLURM_STEP_TASKS_PER_NODE"] ?? environment["SLURM_TASKS_PER_NODE"]
    guard let list, !list.isEmpty else { return false }
    return list.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { item in
      item.prefix { $0 != "(" } == "1"
    }
  }
}
