// The script for GNU parallel: one job for each shard, on this machine or over ssh.

extension Submission {
  /// The script for GNU parallel.
  var parallel: String {
    let template = command(shard: "{}/\(shards)").enumerated()
      .map { index, word in
        // The value of --shard is the only place for the number of a shard.
        index == Submission.shardPlace ? word : Submission.parallelWord(word)
      }
      .joined(separator: " ")
    let places = hosts.isEmpty ? "" : "--sshlogin \(ShellText.word(hosts.joined(separator: ","))) "
    let each = hosts.isEmpty ? "" : " on each host"
    let number =
      concurrent.map { "\($0) at once\(each)." }
      ?? "1 at once\(each), since a shard uses all cores."
    return """
      #!/bin/sh
      # \(shownShards) of \(ShellText.shown(plan)), by GNU parallel.
      \(hosts.isEmpty ? "" : "\(Submission.nodes)\n")\
      set -eu

      # The parts, and the log of the jobs.
      mkdir -p \(ShellText.word(directory))

      # \(number)
      # A shard of a host that dies is tried again, up to 3 times in all; a shard that is
      # done ends at once.
      \(sequence) |
          parallel --jobs \(concurrent ?? 1) \(places)--workdir \(ShellText.word(here)) \\
              --retries 3 --joblog \(ShellText.word("\(directory)/parallel.log")) \\
              \(ShellText.word(template)) ||
          [ $? -le 101 ] # failed shards are results too; the merge finds what is missing
      \(parallelMerge)
      """
  }

  private var parallelMerge: String {
    if output == nil { return "\n# \(ShellText.shown(merge))\n" }
    return """

      # The merge.
      \(ShellText.command(merge))

      """
  }

  /// The index of the value of `--shard` in a command.
  private static let shardPlace = 5

  /// The command that writes the shards, one per line.
  private var sequence: String {
    let ranges = ShardRanges.ranges(chosen)
    let calls = ranges.map { "seq \($0.lowerBound) \($0.upperBound)" }
    return ranges.count == 1 ? calls.joined() : "{ \(calls.joined(separator: "; ")); }"
  }

  /// Returns a word that a shell reads as `text`, and in which GNU parallel finds none of its
  /// placeholders: these begin with a brace, and here quotes follow each.
  static func parallelWord(_ text: String) -> String {
    let word = ShellText.word(text)
    return word.utf8.first == UInt8(ascii: "'")
      ? ShellText.replacing("{", in: word, with: "{''") : word
  }
}
