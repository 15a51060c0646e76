// The shards of a plan to submit, and the commands that process and merge them.

internal import FileJobs
internal import WeirLibC

/// The engines for which weir submit prints a text.
enum SubmitEngine: String, CaseIterable {
  case slurm = "--slurm"
  case parallel = "--parallel"
  case kubernetes = "--kubernetes"
  case awsBatch = "--aws-batch"
  case pbs = "--pbs"
  case lsf = "--lsf"

  /// True if the shards run in containers, which need an image.
  var hasImage: Bool { self == .kubernetes || self == .awsBatch }
}

/// The shards of a plan to submit. All names are absolute: a task starts in another directory.
/// Strings stand for bytes as those of `RawArgument` do.
struct Submission {
  /// The verb that processes a shard.
  let verb: String
  /// The words after the verb.
  let words: [String]
  let plan: String
  /// The directory of the parts.
  let directory: String
  /// The file that the merge writes; `nil` if none is named.
  let output: String?
  /// The directory at which the names of the plan begin.
  let root: String
  /// The number of shards of the plan.
  let shards: Int
  /// The shards to submit, ascending.
  let chosen: [Int]
  var concurrent: Int?
  var hosts: [String] = []
  var image = ""
  /// The directory in which the user is.
  let here: String

  /// True if all shards are submitted.
  var isWhole: Bool { chosen.count == shards }

  /// The name of the jobs.
  var name: String { "weir-\(verb)" }

  /// Returns the command that processes a shard.
  ///
  /// - Parameters:
  ///   - shard: The value of `--shard`.
  ///   - base: The value of `--index-base`; `nil` for none.
  func command(shard: String, base: Int? = nil) -> [String] {
    let own = words.prefix { $0 != "--" }
    var command = ["weir", verb, "--plan", plan, "--shard", shard]
    if let base { command += ["--index-base", "\(base)"] }
    command += ["--out", directory]
    // An attempt continues the one that a dead node has left.
    if !own.contains("--resume") { command.append("--resume") }
    return command + words
  }

  /// The command that merges the parts.
  var merge: [String] {
    ["weir", "merge", "--plan", plan] + (output.map { ["-o", $0] } ?? []) + [directory]
  }

  /// The words on the shards for the first comment, such as `3 of 64 shards (1,4-5)`.
  var shownShards: String {
    if isWhole { return Quantities.count(shards, "shard", "shards") }
    return "\(Quantities.count(chosen.count)) of \(Quantities.count(shards, "shard", "shards")) "
      + "(\(ShardRanges.text(chosen)))"
  }

  /// The comment on the nodes, which is the same for all engines with nodes.
  static let nodes = """
    # Each node needs weir in its PATH, and the files, the plan and the directory of the
    # parts under the same names.
    """

  /// The comment on the merge, which is the same for all engines that can wait.
  static let mergeComment = """
    # The merge, after all shards, whatever their exit status: 1 and 3 are results too.
    """

  /// The script for a set of shards of which none is to be submitted.
  var nothing: String {
    """
    #!/bin/sh
    # No shard of \(ShellText.shown(plan)) is missing in
    # \(ShellText.shown(directory)).
    \(output == nil ? "# \(ShellText.shown(merge))" : ShellText.command(merge))

    """
  }

  /// Returns the text for an engine.
  func text(for engine: SubmitEngine) throws(UsageError) -> String {
    if chosen.isEmpty { return nothing }
    switch engine {
    case .slurm: return slurm
    case .parallel: return parallel
    case .kubernetes: return try kubernetes()
    case .awsBatch: return try awsBatch()
    case .pbs: return pbs
    case .lsf: return lsf
    }
  }
}
