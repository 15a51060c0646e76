// The detection of the shard from the environment that a launcher leaves.
//
// DESIGN. A wrong guess does one shard twice and another never. So there is no guess: the
// number of shards comes from the plan and never from a launcher, whose number of tasks is
// only compared with it; and an environment with two answers, or with an answer that could
// count from 0 or from 1, is an error that names the option to decide it. All rules are a
// function of the environment, so that a table can test them.

internal import WeirLibC

/// The detection of the shard.
enum Launcher {
  /// The variable that names the shard as `K/N` for any launcher that can set a variable.
  static let shardVariable = "WEIR_SHARD"
  /// The variable that counts the attempts, from 1, beside `shardVariable`.
  static let attemptVariable = "WEIR_ATTEMPT"

  /// Returns the shard of this process.
  ///
  /// - Parameters:
  ///   - argument: The value of `--shard`: `K/N`, `K` or `auto`.
  ///   - level: The value of `--shard-by`: `rank` or `array`.
  ///   - indexBase: The value of `--index-base`: the number of the first shard.
  ///   - shards: The number of shards of the plan; `nil` without a plan.
  ///   - host: The name of the machine.
  static func choose(
    argument: String, by level: String?, indexBase: Int?, shards: Int?,
    environment: [String: String], host: String = ""
  ) throws(UsageError) -> ShardChoice {
    let search = LauncherSearch(
      level: level.flatMap(LaunchEngine.Level.init), indexBase: indexBase, shards: shards,
      environment: environment, host: host)
    if argument != "auto" { return try search.explicit(argument, nil, suffix: "") }
    // A variable that is set for weir wins over those that a launcher sets for everybody.
    if let value = environment[shardVariable] {
      return try search.explicit(value, shardVariable, suffix: " for --shard auto")
    }
    return try search.engine()
  }

  /// The variables that a choice depends on.
  static let variables =
    [shardVariable, attemptVariable, "SLURMD_NODENAME", "SLURM_JOB_ID"]
    + LaunchEngine.all.flatMap(\.variables) + ShardWidth.variables

  /// Returns these variables as this process has them.
  static func environment() -> [String: String] {
    var values: [String: String] = [:]
    for name in variables {
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
    return values
  }
}
