// The report of weir merge on parts that are not the whole.

internal import FileJobs

struct MergeFaults {
  let faults: PartSet.Faults
  /// The header of a usable part; `nil` if there is none.
  let header: PartHeader?
  let plan: PlanHeader
  let planName: RawArgument
  let directory: RawArgument

  /// Returns the lowest exit status that applies.
  func report(to console: Console) -> ExitStatus {
    report(faults.unread, to: console)
    report(faults.damaged, to: console)
    report(faults.others, to: console)
    let again = (faults.missing + faults.useless).sorted()
    if !faults.missing.isEmpty {
      console.report(
        "\(faults.missing.count == 1 ? "shard" : "shards") \(ShardNumber.ranges(faults.missing)) "
          + "of \(plan.shards) \(faults.missing.count == 1 ? "is" : "are") missing")
    }
    let removal =
      faults.useless.isEmpty
      ? "" : "remove the \(faults.unread.isEmpty ? "" : "other ")parts named above, and "
    if faults.others.count == plan.shards && faults.useless.count == plan.shards {
      console.report(
        "nothing is written; name the plan of these parts, or the directory of those of this plan")
    } else if !again.isEmpty {
      console.report(
        paragraph: "nothing is written; \(removal)run these shards again:",
        command: command(for: again))
    } else if !faults.others.isEmpty {
      console.report("nothing is written; remove the files named above")
    } else {
      console.report("nothing is written")
    }
    if !faults.unread.isEmpty { return .usage }
    return !faults.missing.isEmpty ? .incomplete : faults.others.isEmpty ? .damaged : .otherPlan
  }

  private static let reportsMax = 20

  private func report(_ errors: [Fault], to console: Console) {
    for error in errors.prefix(MergeFaults.reportsMax) { console.report(error) }
    let rest = errors.count - MergeFaults.reportsMax
    if rest > 0 { console.report("and \(Quantities.count(rest)) more parts like these") }
  }

  /// Returns the line that runs some shards again: with the engine that ran the others.
  private func command(for shards: [Int]) -> [UInt8] {
    let isSlurm = header?.engine.hasPrefix("slurm array") ?? false
    let command = shardCommand(isSlurm ? "auto" : "$k/\(plan.shards)")
    if isSlurm {
      return CommandText.printable(
        Array("sbatch --array=\(ShardNumber.ranges(shards)) --wrap ".utf8)
          + ShellWords.posix(command))
    }
    let list = shards.map(String.init).joined(separator: " ")
    return CommandText.printable(
      Array("for k in \(list); do ".utf8) + command + Array("; done".utf8))
  }

  /// The command of a shard, for a shell. The shard is a plain word, or a variable.
  private func shardCommand(_ shard: String) -> [UInt8] {
    let codeset = header?.codeset ?? "any"
    let locale = codeset == "any" ? "" : "LC_ALL=\(codeset == "UTF-8" ? "C.UTF-8" : "C") "
    let words: [[UInt8]] =
      [Array("\(locale)weir \(header?.verb ?? "VERB")".utf8)]
      + (header?.options ?? []).map(ShellWords.word)
      + [
        Array("--plan ".utf8) + ShellWords.word(planName.shown),
        Array("--shard \(shard) --out ".utf8) + ShellWords.word(directory.shown),
        Array(ShardOptions.resumeName.utf8),
      ] + (header?.operands ?? []).map(ShellWords.word)
    return Array(words.joined(separator: [UInt8(ascii: " ")]))
  }
}
