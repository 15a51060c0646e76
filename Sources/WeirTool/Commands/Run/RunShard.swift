// `weir run` on a shard of a plan, and the merge of its parts.

internal import CFileKernels
internal import FileJobs
internal import Weir
internal import WeirLibC

extension RunVerb {
  /// Runs the commands of one shard. Their output goes to the part.
  func runShard(_ operands: Operands, _ template: CommandTemplate) throws {
    try shardOptions.validate(operands)
    let words = [Array("--".utf8)] + (operands.command ?? []).map(\.bytes)
    let shard = try ShardRun(
      shardOptions, verb: "run", operands, commonOptions, words: words,
      resumes: shardOptions.resume)
    if try shard.isDone() { return }
    RunVerb.prepareSignals()
    var options = jobOptions(shard.session)
    options.environment =
      ShardEnvironment(
        "\(shard.choice.index)/\(shard.plan.shards)", attempt: shard.choice.attempt
      ).variables
    var settings = shard.session.processorOptions
    try shard.session.fitThreads(&settings)
    settings.order = .input
    // A shard that is ended early runs again what waited.
    options.hasWindow = true
    let job = try makeJob(template, options, settings, shard.session)
    let output = RunOutput(shard.console, self) { job.commandStatistics }
    let items = CommandItems(shard.feed, expectsUnchanged: !shardOptions.allowChanged)
    try shard.run(
      job, wording: wording(job), isCut: { job.commandStatistics.isCut },
      isHalted: { job.commandStatistics.isHalted },
      summary: { output.summary($0) }
    ) { writer in
      try job.run(items) { record in
        // The records have no gaps. A command after a gap runs again on --resume.
        if !record.followsGap { try writer.append(record) }
        for event in record.events(template) { output.report(event) }
      }
    }
  }
}

extension RunVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    // The first word is `--`.
    let template = makeTemplate(Array(merge.header.operands.dropFirst()))
    let job = CommandReplay(
      merge.reader, name: merge.name.bytes, try merge.parts.readers(), template,
      temporaryDirectory: RunVerb.temporaryDirectory)
    let output = RunOutput(merge.console, self) { job.commandStatistics }
    try merge.run(job, output) {
      try job.run { event in try output.write(event) }
    }
  }
}

struct ShardEnvironment {
  let variables: [[UInt8]]

  /// - Parameter shard: The shard as K/N.
  init(_ shard: String, attempt: Int = 1) {
    let own = [("WEIR_SHARD", shard), ("WEIR_ATTEMPT", "\(attempt)")]
    var variables: [[UInt8]] = []
    var next = kernel_environment()
    while let place = next, let variable = place.pointee {
      let bytes = UnsafeRawBufferPointer(start: variable, count: strlen(variable))
      if !own.contains(where: { bytes.starts(with: "\($0.0)=".utf8) }) {
        variables.append(Array(bytes))
      }
      next = place.advanced(by: 1)
    }
    self.variables = variables + own.map { Array("\($0.0)=\($0.1)".utf8) }
  }
}
