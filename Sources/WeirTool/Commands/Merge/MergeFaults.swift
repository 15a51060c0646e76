// The report of weir merge on parts that are not the whole.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// The faults of parts, and the way out.
struct MergeFaults {
  private let faults: PartSet.Faults
  /// The header of a usable part; `nil` if there is none.
  private let header: PartHeader?
  private let plan: PlanHeader
  private let planName: RawArgument
  private let directory: RawArgument

  init(
    _ faults: PartSet.Faults, _ header: PartHeader?, _ plan: PlanHeader, _ planName: RawArgument,
    _ directory: RawArgument
  ) {
    self.faults = faults
    self.header = header
    self.plan = plan
    self.planName = planName
    self.directory = directory
  }

  /// Reports all faults. Returns the exit status: the lowest that applies.
  func report(to console: Console) -> ExitStatus {
    report(faults.damaged, to: console)
    report(faults.others, to: console)
    let again = (faults.missing + faults.useless).sorted()
    if !faults.missing.isEmpty {
      console.report(
        "\(faults.missing.count == 1 ? "shard" : "shards") \(ShardRanges.text(faults.missing)) "
          + "of \(plan.shards) \(faults.missing.count == 1 ? "is" : "are") missing")
    }
    let removal = faults.useless.isEmpty ? "" : "remove the parts named above, and "
    if !again.isEmpty {
      console.report(
        paragraph: Array("nothing is written; \(removal)run these shards again:".utf8),
        command: command(for: again))
    } else {
      console.report("nothing is written; remove the files named above")
    }
    return !faults.missing.isEmpty ? .incomplete : faults.others.isEmpty ? .damaged : .otherPlan
  }

  /// The number of faults of a kind that are reported one by one.
  private static let reportsMax = 20

  private func report(_ errors: [PartError], to console: Console) {
    for error in errors.prefix(MergeFaults.reportsMax) { console.report(FileError(error)) }
    let rest = errors.count - MergeFaults.reportsMax
    if rest > 0 { console.report("and \(Quantities.count(rest)) more parts like these") }
  }

  /// Returns the line that runs some shards again: with the engine that ran the others.
  private func command(for shards: [Int]) -> [UInt8] {
    let verb = header?.verb ?? "hash"
    let locale = Array(ShardRun.localeWord.utf8)
    let words = (header?.words ?? []).prefix { !$0.starts(with: locale) }
    let last = (header?.words ?? []).drop { !$0.starts(with: locale) }.dropFirst()
      .filter { !$0.starts(with: ShardRun.digestWord.utf8) }
    let isSlurm = header?.engine.hasPrefix("slurm array") ?? false
    let shard = isSlurm ? Array("auto".utf8) : Array("\u{0}".utf8)
    let command =
      ([Array("weir".utf8), Array(verb.utf8)] + words + [Array("--plan".utf8), planName.bytes]
      + [Array("--shard".utf8), shard, Array("--out".utf8), directory.bytes] + last)
      .map { $0 == [0] ? Array("$k/\(plan.shards)".utf8) : QuotedName.bytes(of: $0) }
      .joined(separator: [UInt8(ascii: " ")])
    if isSlurm {
      return Array("sbatch --array=\(ShardRanges.text(shards)) --wrap ".utf8)
        + QuotedName.bytes(of: command)
    }
    let list = shards.map(String.init).joined(separator: " ")
    return Array("for k in \(list); do ".utf8) + Array(command) + Array("; done".utf8)
  }
}
