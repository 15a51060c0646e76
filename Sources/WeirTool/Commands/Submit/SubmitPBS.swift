// The script for PBS: an array of one task for each shard, and a merge after it.

extension Submission {
  /// The script for PBS.
  var pbs: String {
    let task = ShellText.command(command(shard: "auto", base: 0))
    let script = ShellText.word("cd \"$PBS_O_WORKDIR\" &&\nexec \(task)")
    let jobs = ShardRanges.ranges(chosen).map { range in
      """
      tasks=$tasks:$(printf '%s\\n' "$task" |
          qsub -N \(name) \(pbsShards(range)) -S /bin/sh -r y -j oe)
      """
    }
    let limit =
      concurrent == nil
      ? "" : "# %\(concurrent ?? 0) needs OpenPBS 20 or PBS Pro 2020; others refuse it.\n"
    let single =
      jobs.count == 1
      ? "" : "# An array of PBS has one range of indexes; a single shard is no array.\n"
    return """
      #!/bin/sh
      # \(shownShards) of \(ShellText.shown(plan)), as an array of PBS.
      \(Submission.nodes)
      # PBS starts the jobs in this directory, and leaves their logs in it.
      set -eu

      # The parts.
      mkdir -p \(ShellText.word(directory))

      # A task for each shard\(atOnce).
      # If a node dies, PBS runs its tasks again (-r y), and the next attempt continues the
      # one before. PBS_ARRAY_INDEX counts from 0.
      \(limit)\(single)task=\(script)
      tasks=
      \(jobs.joined(separator: "\n"))
      echo "tasks $tasks"
      \(pbsMerge)
      """
  }

  private func pbsShards(_ range: ClosedRange<Int>) -> String {
    range.count == 1
      ? "-v WEIR_SHARD=\(range.lowerBound)/\(shards)"
      : "-J \(range.lowerBound)-\(range.upperBound)\(percentage)"
  }

  private var pbsMerge: String {
    guard output != nil else {
      return """

        # When all tasks have ended:
        # \(ShellText.shown(merge))

        """
    }
    let script = ShellText.word("exec \(ShellText.command(merge))")
    return """

      \(Submission.mergeComment)
      printf '%s\\n' \(script) |
          qsub -N weir-merge -W depend="afterany$tasks" -S /bin/sh -r y -j oe

      """
  }
}
