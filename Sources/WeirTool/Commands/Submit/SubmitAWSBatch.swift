// The script for AWS Batch: a job definition and an array job.

extension Submission {
  /// The bounds of an array of AWS Batch.
  private static let arraySizes = 2...10_000

  /// Returns the script for AWS Batch.
  func awsBatch() throws(UsageError) -> String {
    let mounts = try mounts()
    let words = command(shard: "auto")
    try requireText(words + mounts + [image])
    if let word = words.first(where: { $0.contains("Ref::") }) {
      throw UsageError("AWS Batch replaces words with Ref:: in them: ", RawArgument(argument: word))
    }
    return """
      #!/bin/sh
      # \(shownShards) of \(ShellText.shown(plan)), by AWS Batch.
      # The image needs weir in its PATH. To be changed: the queue, the file system, its
      # directory for each containerPath (rootDirectory), and the cores and MiB of a shard.
      set -eu
      queue=${WEIR_QUEUE:-weir}
      volume=${WEIR_VOLUME:-fs-00000000}

      # The definition of the job. Exit statuses 1 and 3 are results, 2 is a mistake: no
      # other attempt. After a lost machine, the next attempt continues.
      aws batch register-job-definition --job-definition-name \(name) --type container \\
          --retry-strategy '{"attempts":3,"evaluateOnExit":[
              {"onExitCode":"1","action":"EXIT"},
              {"onExitCode":"2","action":"EXIT"},
              {"onExitCode":"3","action":"EXIT"}]}' \\
          --container-properties \(properties(mounts, words))

      \(jobs)
      # When aws batch describe-jobs shows SUCCEEDED or FAILED, run with the same volumes:
      # \(ShellText.shown(merge))

      """
  }

  /// The call that submits all shards as an array, or those of a loop that submits some: an
  /// array has all indexes from 0.
  private var jobs: String {
    let job = """
      aws batch submit-job --job-name \(name) --job-queue "$queue" \\
          --job-definition \(name)
      """
    let id = "--query jobId --output text"
    if isWhole && Submission.arraySizes.contains(shards) {
      return """
        # One child for each shard: AWS_BATCH_JOB_ARRAY_INDEX is 0 to \(shards - 1).
        \(job) --array-properties size=\(shards) \\
            \(id)

        """
    }
    let reason =
      isWhole
      ? "an array has 2 to 10000 children" : "an array cannot have some of its indexes only"
    let list = ShardRanges.ranges(chosen).map { "seq \($0.lowerBound) \($0.upperBound)" }
    return """
      # One job for each shard: \(reason).
      for shard in $(\(list.joined(separator: "; "))); do
      \(job.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")) \\
              --container-overrides \\
              '{"environment":[{"name":"WEIR_SHARD","value":"'"$shard"'/\(shards)"}]}' \\
              \(id)
      done

      """
  }

  /// Returns the properties of the container as a word of the shell, with `$volume` in them.
  private func properties(_ mounts: [String], _ words: [String]) -> String {
    let mark = "\u{0}"
    let command = words.map { "    \(Submission.json($0))" }.joined(separator: ",\n")
    let volumes = mounts.indices.map { index in
      """
          {"name": "files-\(index + 1)", "efsVolumeConfiguration":
            {"fileSystemId": "\(mark)", "rootDirectory": "/"}}
      """
    }
    let places = mounts.enumerated().map { index, mount in
      """
          {"sourceVolume": "files-\(index + 1)", "containerPath": \(Submission.json(mount))}
      """
    }
    let json = """
      {
        "image": \(Submission.json(image)),
        "command": [
      \(command)
        ],
        "resourceRequirements": [
          {"type": "VCPU", "value": "2"}, {"type": "MEMORY", "value": "2048"}
        ],
        "volumes": [
      \(volumes.joined(separator: ",\n"))
        ],
        "mountPoints": [
      \(places.joined(separator: ",\n"))
        ]
      }
      """
    return json.split(separator: "\u{0}", omittingEmptySubsequences: false)
      .map { ShellText.word(String($0)) }.joined(separator: "\"$volume\"")
  }
}
