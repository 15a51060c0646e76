// The report of `weir plan`: the balance of the shards, and the summary of the walk.

internal import FileJobs
internal import Weir

final class PlanSummary: SessionOutput {
  private let console: Console
  var balance: PlanBalance?

  init(console: Console) { self.console = console }

  func finish(_ ending: Session.Ending) throws {
    if let balance { try console.write(PlanSummary.text(balance)) }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    let statistics = ending.statistics
    let counts = PlanSummary.counts(statistics)
    let rate = Double(statistics.files) / max(ending.seconds, 0.000_001)
    let isIncomplete =
      statistics.failed > 0 || statistics.changed > 0 || statistics.specialNamed > 0
    return Session.Summary(
      line: {
        "\(counts); \(Quantities.seconds(ending.seconds)), \(Quantities.count(Int(rate))) files/s"
      },
      remark: isIncomplete ? counts : nil, status: isIncomplete ? .unreadable : nil)
  }

  /// The words for the progress of a walk that opens no file.
  static let wording = ProgressWording(
    work: "listing", counts: { counts($0) }, noun: ("file", "files"))

  private static func counts(_ statistics: FileStatistics) -> String {
    SummaryLine.counts(
      "\(Quantities.count(statistics.files, "file", "files")) listed",
      SummaryLine.unread(statistics, listsLinks: true), excluded: statistics.excluded)
  }

  // MARK: The balance

  private static func text(_ balance: PlanBalance) -> [UInt8] {
    let header = balance.header
    let count = Double(header.shards)
    let mean = Quantities.fixed(Double(header.files) / count, digits: 1)
    let lines = [
      line("shards", Quantities.count(header.shards)),
      line("files", Quantities.count(header.files)),
      line("bytes", "\(Quantities.count(header.bytes))\(unit(header.bytes))"),
      line(
        "largest shard",
        "\(Quantities.count(header.shardFiles.max() ?? 0, "file", "files")), "
          + Quantities.bytes(Double(header.shardBytes.max() ?? 0))),
      line("mean shard", "\(mean) files, \(Quantities.bytes(Double(header.bytes) / count))"),
      line("max/mean", ratios(balance)),
    ]
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func line(_ label: String, _ value: String) -> String {
    label + String(repeating: " ", count: 15 - label.count) + value
  }

  private static func unit(_ bytes: UInt64) -> String {
    bytes < 1000 ? "" : " (\(Quantities.bytes(Double(bytes))))"
  }

  private static func ratios(_ balance: PlanBalance) -> String {
    var text =
      "\(ratio(balance.header.shardFiles)) files, \(ratio(balance.header.shardBytes)) bytes"
    if balance.header.strategy == .size {
      text += ", \(Quantities.fixed(balance.costRatio, digits: 3)) cost"
    }
    if let read = balance.bytesToRead {
      text += ", \(ratio(read)) bytes to read"
    }
    return text
  }

  private static func ratio(_ shards: [UInt64]) -> String {
    Quantities.fixed(PlanBalance.ratio(shards), digits: 3)
  }
}
