// The verb `duplicates`: groups of files with the same content.

internal import FileJobs
internal import Weir

struct DuplicatesVerb: Verb {
  var options = DuplicatesJob.Options()
  var zero = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection()
    if shardOptions.resume { throw UsageError("--resume needs --plan FILE") }
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("duplicates compares files by name, and cannot compare ", name)
    }
    let session = try Session(
      commonOptions, verb: "duplicates", inputs: operands.allNames,
      terminals: operands.inputs.isEmpty ? nil : operands.terminals,
      wording: DuplicatesOutput.wording)
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions,
      readsWorkingDirectory: true)
    var options = options
    if let selection { options.selectsSize = { selection.contains(size: $0) } }
    let job = try DuplicatesJob(options, processorOptions: input.processorOptions(session))
    let output = makeOutput(session.console)
    // The job reports a cancellation only if groups may be missing.
    try session.run(job, isCut: { true }) {
      try job.run(input.sources()) { event in try output.write(event) }
    } finish: { ending in
      try output.finish(job.found, ending)
    } summary: { ending in
      summary(job.found, ending)
    }
  }

  private func makeOutput(_ console: Console) -> DuplicatesOutput {
    DuplicatesOutput(
      console, format, isZeroTerminated: zero, isUnordered: sourceOptions.unordered)
  }

  /// Runs on one shard of a plan.
  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    // A group is known when all its files are read, and an attempt that did not end may have
    // missed any: --resume begins again.
    let shard = try ShardRun(
      shardOptions, verb: "duplicates", operands, commonOptions, resumes: false,
      strategy: .sizeClass, wording: DuplicatesOutput.wording)
    if try shard.isDone() { return }
    shard.session.resumption.with {
      $0 = Session.Resumption(
        text: Array("a search cannot be continued; to begin again:".utf8),
        command: CommandText.ofProcess(adding: nil))
    }
    let job = try DuplicatesJob(options, processorOptions: shard.processorOptions())
    let output = makeOutput(shard.console)
    try shard.run(job, isCut: { true }) { writer in
      let recorder = DuplicatesRecorder(writer)
      let found = try job.run(placed: [shard.feed.placedSource]) { event, position in
        try recorder.append(event, at: position)
        output.report(event)
      }
      try recorder.finish(items: shard.feed.count, found, job.statistics)
    }
  }

  private func summary(
    _ found: DuplicatesStatistics, _ ending: Session.Ending
  ) -> Session.Summary {
    let counts = DuplicatesOutput.counts(ending.statistics)
    let pace = SummaryLine.pace(ending.statistics, seconds: ending.seconds)
    return Session.Summary(
      line: "\(counts); \(DuplicatesOutput.result(found)); \(pace)",
      remark: found.failures > 0 ? counts : nil,
      status: found.failures > 0 ? .unreadable : nil)
  }
}

extension DuplicatesVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let (plan, parts) = try merge.openParts()
    let job = DuplicatesMerge(plan, parts, name: merge.name.bytes)
    let output = makeOutput(merge.console)
    try merge.run(job, isCut: { true }) {
      try job.run { event in
        switch event {
        case .group(let group): try output.write(group)
        case .other(let event): try output.write(event)
        }
      }
    } finish: { ending in
      try output.finish(job.found, ending)
    } summary: { ending in
      summary(job.found, ending)
    }
  }
}
