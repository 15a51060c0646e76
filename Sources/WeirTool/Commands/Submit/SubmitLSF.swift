// The script for LSF: an array of one task for each shard, and a merge after it.

extension Submission {
  /// The number of bytes of a list of indexes: LSF takes 255 for the name with its list.
  private static let listMax = 200

  /// The script for LSF.
  var lsf: String {
    let task = ShellText.word("exec \(ShellText.command(command(shard: "auto", base: 1)))")
    let log = ShellText.word("\(directory)/lsf-%J-%I.log")
    let jobs = lists.map { list in
      """
      job=$(bsub -J '\(name)[\(list)]\(percentage)' -r \\
          -o \(log) "$task")
      job=${job#*<} # from "Job <20> is submitted"
      job=${job%%>*}
      tasks="${tasks:+$tasks && }ended($job)"
      """
    }
    let limit =
      shards > 1000
      ? """
      # The last index of an array is at most MAX_JOB_ARRAY_SIZE, which is 1000 unless the
      # site has raised it: bparams -a | grep MAX_JOB_ARRAY_SIZE

      """ : ""
    return """
      #!/bin/sh
      # \(shownShards) of \(ShellText.shown(plan)), as an array of LSF.
      \(Submission.nodes)
      \(limit)set -eu

      # The parts, and the logs of the tasks.
      mkdir -p \(ShellText.word(directory))

      # A task for each shard\(atOnce).
      # If a node dies, LSF runs its tasks again (-r), and the next attempt continues the one
      # before. LSB_JOBINDEX counts from 1: index 1 is shard 0.
      task=\(task)
      tasks=
      \(jobs.joined(separator: "\n"))
      echo "tasks $tasks"
      \(lsfMerge)
      """
  }

  /// The indexes, in lists that are short enough.
  private var lists: [String] {
    var lists: [String] = []
    for range in ShardRanges.ranges(chosen) {
      let text = ShardRanges.text(range, base: 1)
      if let last = lists.last, last.count + text.count < Submission.listMax {
        lists[lists.count - 1] = "\(last),\(text)"
      } else {
        lists.append(text)
      }
    }
    return lists
  }

  private var lsfMerge: String {
    guard output != nil else {
      return """

        # When all tasks have ended:
        # \(ShellText.shown(merge))

        """
    }
    return """

      \(Submission.mergeComment)
      bsub -J weir-merge -w "$tasks" -r \\
          -o \(ShellText.word("\(directory)/lsf-%J.log")) \\
          \(ShellText.word("exec \(ShellText.command(merge))"))

      """
  }
}
