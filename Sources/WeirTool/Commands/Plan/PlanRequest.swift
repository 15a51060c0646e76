// The options of `weir plan`, and its three forms.

internal import FileJobs
internal import Weir

/// The values of the options of `plan`.
struct PlanRequest: VerbRequest {
  static let memoryDefault: UInt64 = 64 << 20
  static let splitDepthDefault = 2

  var output: RawArgument?
  var shards: Int?
  var strategy: ShardStrategy?
  var memory = PlanRequest.memoryDefault
  /// The value of `--shard`.
  var worker: RawArgument?
  var out: RawArgument?
  var splitDepth: Int?
  var from: RawArgument?
  var commonOptions = CommonOptions.defaults
  var walkOptions = WalkOptions.defaults

  func run(_ operands: Operands) throws {
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("plan records names, which another process can open, and not ", name)
    }
    if operands.inputs.isEmpty {
      throw UsageError("no input is given; name a PATH, or use --files0-from - for a list")
    }
    guard let output else { throw UsageError("plan needs --output FILE") }
    guard let shards else { throw UsageError("plan needs --shards N, the number of shards") }
    try PlanOfTree(self, operands, output: output, shards: shards).run()
  }

  /// The words for the progress of a walk that opens no file.
  static let wording = ProgressWording(
    work: "listing", counts: { PlanSummary.counts($0) },
    parts: { statistics, seconds in
      let rate = Double(statistics.files) / max(seconds, 0.001)
      return [
        Progress.Part(kind: .files, text: Quantities.count(statistics.files, "file", "files")),
        Progress.Part(kind: .rate, text: Quantities.rate(rate)),
      ]
    })
}
