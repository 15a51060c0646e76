// The script for Slurm: an array of one task for each shard, and a merge after it.

extension Submission {
  /// The script for Slurm.
  var slurm: String {
    let task = ShellText.word("exec \(ShellText.command(command(shard: "auto")))")
    // Slurm replaces %A and %a in the names of logs, and %% by %.
    let logs = ShellText.replacing("%", in: directory, with: "%%")
    return """
      #!/bin/sh
      # \(shownShards) of \(ShellText.shown(plan)), as an array of Slurm.
      \(Submission.nodes)
      # SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT apply to all jobs;
      # --cpus-per-task=N before --wrap gives N cores to a shard.
      \(slurmLimit)set -eu

      # The parts, and the logs of the tasks.
      mkdir -p \(ShellText.word(directory))

      # A task for each shard\(atOnce).
      # If a node dies, Slurm queues its tasks again; the next attempt continues the one
      # before, and its messages follow in the same log.
      tasks=$(sbatch --parsable --job-name=\(name) \\
          --array=\(ShardRanges.text(chosen))\(percentage) --requeue --open-mode=append \\
          --output=\(ShellText.word("\(logs)/slurm-%A_%a.log")) \\
          --wrap=\(task))
      tasks=${tasks%%;*}
      echo "array $tasks"
      \(slurmMerge(logs))
      """
  }

  private func slurmMerge(_ logs: String) -> String {
    guard output != nil else {
      return """

        # When all tasks have ended:
        # \(ShellText.shown(merge))

        """
    }
    let task = ShellText.word("exec \(ShellText.command(merge))")
    return """

      \(Submission.mergeComment)
      merge=$(sbatch --parsable --job-name=weir-merge --dependency="afterany:$tasks" \\
          --requeue --open-mode=append \\
          --output=\(ShellText.word("\(logs)/slurm-%j.log")) \\
          --wrap=\(task))
      echo "merge ${merge%%;*}"

      """
  }

  private var slurmLimit: String {
    guard shards > 1000 else { return "" }
    return """
      # The last index of an array is below MaxArraySize, which is 1001 unless the site has
      # raised it: scontrol show config | grep MaxArraySize

      """
  }

  /// The number of shards at once, as a part of a comment.
  var atOnce: String { concurrent.map { ", at most \($0) at once" } ?? "" }

  /// The number of shards at once, after the indexes of an array.
  var percentage: String { concurrent.map { "%\($0)" } ?? "" }
}
