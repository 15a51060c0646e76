// The search for the shard of a process: the number of --shard, or the index of a launcher.

/// The search for the shard of a process in an environment.
struct LauncherSearch {
  let level: LaunchEngine.Level?
  let indexBase: Int?
  /// The number of shards; `nil` without a plan.
  let shards: Int?
  let environment: [String: String]
  let host: String

  /// The index of a launcher.
  private struct Found {
    let engine: LaunchEngine
    /// The index as the launcher counts.
    let index: Int
    let count: Int?
  }

  // MARK: K/N

  /// Returns the shard that a value names.
  ///
  /// - Parameters:
  ///   - variable: The variable with the value; `nil` for the option.
  ///   - suffix: The use of the value.
  func explicit(
    _ value: String, _ variable: String?, suffix: String
  ) throws(UsageError) -> ShardChoice {
    let name = variable ?? ShardOptions.shardName
    guard let number = ShardNumber(value) else {
      let forms = variable == nil ? "K/N or auto" : "K/N"
      throw UsageError(
        "\(name) takes \(forms), such as 3/64, not ", RawArgument(value), suffix)
    }
    if number.count == nil && (shards == nil || variable != nil) {
      throw UsageError(
        "\(name) takes K/N, such as \(number.index)/64, not \(number.index): "
          + "the number of shards is missing")
    }
    if let count = number.count, let shards, count != shards {
      throw UsageError(
        "the plan has \(text(of: shards)), \(name) names \(number.index)/\(count)")
    }
    let base = indexBase ?? 0
    let index = try shard(
      number.index, base: base, of: number.count ?? shards ?? 0, "\(name) \(value)")
    let attempts = LaunchEngine.all.compactMap(\.attempt)
    return choice(
      index, number.count, name, details: "", attempt: attempts.lazy.compactMap(attempt).first)
  }

  // MARK: Launchers

  /// Returns the shard of the launcher that started this process.
  func engine() throws(UsageError) -> ShardChoice {
    guard let shards else {
      throw UsageError(
        "--shard auto needs the number of shards from --plan; use --shard K/N, or set "
          + Launcher.shardVariable)
    }
    guard let found = try find() else { throw UsageError(nothingFound) }
    let engine = found.engine
    try checkCount(of: found, shards)
    let base = try base(of: engine)
    let index = try shard(found.index, base: base, of: shards, "\(engine.index)=\(found.index)")
    return choice(
      index, found.count, engine.name, details: " \(details(of: found))",
      attempt: engine.attempt.flatMap(attempt))
  }

  /// Returns the index of the only launcher; `nil` if there is none.
  private func find() throws(UsageError) -> Found? {
    let rank = level == .array ? nil : try findRank()
    let array = level == .rank ? nil : try findArray()
    guard let rank, let array else { return rank ?? array }
    // A single rank within a task of an array is that task.
    if rank.count == 1 { return array }
    throw UsageError(
      "two launchers number this process: \(rank.engine.index)=\(rank.index) "
        + "(\(rank.engine.name)) and \(array.engine.index)=\(array.index) "
        + "(\(array.engine.name)); use --shard-by rank or --shard-by array")
  }

  private func findRank() throws(UsageError) -> Found? {
    for engine in LaunchEngine.all where engine.level == .rank {
      if let found = try index(of: engine) { return found }
    }
    return nil
  }

  /// Returns the index of an array. Several launchers must agree on it.
  private func findArray() throws(UsageError) -> Found? {
    var first: Found?
    for engine in LaunchEngine.all where engine.level == .array {
      guard let found = try index(of: engine) else { continue }
      guard let other = first else {
        first = found
        continue
      }
      if other.index != found.index {
        throw UsageError(
          "two launchers number this process: \(other.engine.index)=\(other.index) "
            + "and \(engine.index)=\(found.index); use --shard K/N")
      }
    }
    return first
  }

  /// Returns the index that a launcher has left; `nil` if it has not started this process as
  /// one of several tasks.
  private func index(of engine: LaunchEngine) throws(UsageError) -> Found? {
    guard let value = environment[engine.index], value != engine.absent else { return nil }
    if let name = engine.severalTasks {
      guard let tasks = try number(name), tasks > 1 else { return nil }
    }
    guard let index = try number(engine.index) else { return nil }
    switch engine.count {
    case .unknown:
      return Found(engine: engine, index: index, count: nil)
    case .optional(let name):
      return Found(engine: engine, index: index, count: try number(name))
    case .required(let name):
      guard let count = try number(name) else {
        throw UsageError("\(engine.index) is set, but \(name) is not; use --shard K/N")
      }
      return Found(engine: engine, index: index, count: count)
    }
  }

  /// Returns the number in a variable; `nil` if the variable is not set.
  private func number(_ name: String) throws(UsageError) -> Int? {
    guard let value = environment[name] else { return nil }
    guard let number = ShardNumber.number(value) else {
      throw UsageError("\(name) is no number: ", RawArgument(value))
    }
    return number
  }

  // MARK: Checks

  private func checkCount(of found: Found, _ shards: Int) throws(UsageError) {
    guard let count = found.count, count != shards else { return }
    let (started, one, several) = found.engine.started
    throw UsageError(
      "the plan has \(text(of: shards)), \(started) \(count) \(count == 1 ? one : several)")
  }

  /// Returns the number of the first task of a launcher.
  private func base(of engine: LaunchEngine) throws(UsageError) -> Int {
    guard let base = indexBase ?? engine.base else {
      throw UsageError(
        engine.bases.lowerBound == 1
          ? "\(engine.index) counts from 1, not from 0; use --index-base 1"
          : "\(engine.index) may count from 0 or from 1; use --index-base 0 or "
            + "--index-base 1, the index of the first task")
    }
    guard engine.bases.contains(base) else {
      throw UsageError(
        "--index-base \(base) does not fit \(engine.index), which counts from "
          + "\(engine.bases.lowerBound)")
    }
    return base
  }

  /// Returns the shard of an index.
  private func shard(
    _ index: Int, base: Int, of shards: Int, _ origin: String
  ) throws(UsageError) -> Int {
    if index < base { throw UsageError("\(origin) is below --index-base \(base)") }
    guard index - base < shards else {
      let range =
        shards == 1
        ? "the only shard is \(base)" : "the shards are \(base) to \(base + (shards - 1))"
      throw UsageError("\(origin) is no shard: \(range)")
    }
    return index - base
  }

  // MARK: Words

  private func text(of shards: Int) -> String { shards == 1 ? "1 shard" : "\(shards) shards" }

  private var nothingFound: String {
    let reason =
      if let level { "no \(level.rawValue) is set for this process" } else if isInSlurm {
        "this Slurm job is no array, and no step of several tasks that srun started"
      } else if environment["LSB_JOBINDEX"] == "0" {
        "this LSF job is no array"
      } else if environment["SGE_TASK_ID"] == "undefined" {
        "this SGE job is no array"
      } else {
        "neither \(Launcher.shardVariable) nor the variables of a launcher are set"
      }
    return "no engine is detected: \(reason); use --shard K/N"
  }

  private var isInSlurm: Bool {
    environment["SLURM_JOB_ID"] != nil || environment["SLURM_PROCID"] != nil
  }

  private func details(of found: Found) -> String {
    guard let form = found.engine.job, let job = environment[form.variable] else {
      let noun = found.engine.level == .rank ? found.engine.started.1 : "index"
      return "\(noun) \(found.index)"
    }
    return "\(plain(job))\(form.open)\(found.index)\(form.close)"
  }

  /// Returns the attempt by the variable of a launcher; `nil` if it is not set. No shard
  /// depends on the attempt, so a value that is no number counts as not set.
  private func attempt(_ attempt: LaunchEngine.Attempt) -> Int? {
    guard let value = environment[attempt.variable].flatMap({ ShardNumber.number($0) }),
      value >= attempt.first, value < Int.max
    else { return nil }
    return value - attempt.first + 1
  }

  private func choice(
    _ index: Int, _ count: Int?, _ engine: String, details: String, attempt: Int?
  ) -> ShardChoice {
    let own = LaunchEngine.Attempt(variable: Launcher.attemptVariable, first: 1)
    let attempt = attempt ?? self.attempt(own) ?? 1
    let node = plain(environment["SLURMD_NODENAME"] ?? host)
    let words =
      ["\(engine)\(details)", "attempt \(attempt)"] + (node.isEmpty ? [] : ["node \(node)"])
    return ShardChoice(
      index: index, count: count, words: words.joined(separator: ", "), engine: engine,
      attempt: attempt, node: node)
  }

  /// Returns a name from the environment without the characters that a terminal would obey.
  private func plain(_ name: String) -> String {
    String(
      String.UnicodeScalarView(name.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }))
  }
}
