// The verb `plan`: the files of a set, divided among shards.

internal import FileJobs
internal import Weir

struct PlanVerb: Verb {
  var output: RawArgument?
  var shards: Int?
  var strategy = ShardStrategy.size
  var memory: UInt64 = 64 << 20
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()

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

extension PlanVerb {
  /// Returns the directory in which the names of a plan begin: `/` if all names are absolute, so
  /// that a shard needs no other directory than those of the files. `nil` if the working
  /// directory has no path.
  static func root(of operands: Operands) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    let isAbsolute = operands.inputs.allSatisfy { input in
      if case .path(let name) = input { name.bytes.first == slash } else { false }
    }
    return isAbsolute ? [slash] : workingDirectory()
  }
}
