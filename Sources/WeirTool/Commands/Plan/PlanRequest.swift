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
    if let from { return try merge(from, operands) }
    if operands.inputs.isEmpty {
      throw UsageError("no input is given; name a PATH, or use --files0-from - for a list")
    }
    if worker != nil || out != nil { return try list(operands) }
    if splitDepth != nil { throw UsageError("--split-depth needs --shard K/N") }
    let (output, shards) = try destination()
    try PlanOfTree(self, operands, output: output, shards: shards).run()
  }

  private func destination() throws(UsageError) -> (output: RawArgument, shards: Int) {
    guard let output else { throw UsageError("plan needs --output FILE") }
    guard let shards else { throw UsageError("plan needs --shards N, the number of shards") }
    return (output, shards)
  }

  /// Throws an error if an option that does not apply is given.
  private func refuse(
    _ options: [(isGiven: Bool, option: String)], with other: String
  ) throws(UsageError) {
    for (isGiven, option) in options where isGiven {
      throw UsageError("\(option) does not apply to \(other)")
    }
  }

  /// Lists a part of a tree.
  private func list(_ operands: Operands) throws {
    guard let worker else { throw UsageError("--out needs --shard K/N") }
    guard let out else { throw UsageError("--shard needs --out DIR, where the list goes") }
    try refuse(
      [
        (output != nil, "--output"), (shards != nil, "--shards"), (strategy != nil, "--by"),
        (operands.inputs.count > operands.names.count, "a list of names"),
      ], with: "--shard, which lists a part of a tree")
    let number = ShardNumber(worker.text)
    guard let number, let workers = number.count, number.index < workers,
      workers <= PlanListFile.workersMax
    else {
      throw UsageError(
        "--shard takes K/N, such as 0/8, with K below N and N at most "
          + "\(PlanListFile.workersMax), not ", worker)
    }
    let file = PlanListFile(worker: number.index, of: workers)
    try PlanOfWorker(self, operands, file, directory: out).run()
  }

  /// Merges the lists of workers.
  private func merge(_ directory: RawArgument, _ operands: Operands) throws {
    try refuse(
      [
        (!operands.inputs.isEmpty, "a PATH"), (!operands.filters.isEmpty, "a filter"),
        (worker != nil, "--shard"), (out != nil, "--out"),
        (splitDepth != nil, "--split-depth"), (walkOptions.follow, "--follow"),
        (walkOptions.oneFileSystem, "--one-file-system"),
        (walkOptions.maxDepth != nil, "--max-depth"),
      ], with: "--from, which merges lists")
    let (output, shards) = try destination()
    try PlanOfLists(self, from: directory, output: output, shards: shards).run()
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

extension PlanRequest {
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
