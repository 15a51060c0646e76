// The verb `count`: lines, words, characters and bytes of files and whole trees.

internal import FileJobs
internal import Weir

struct CountVerb: Verb {
  /// The selected columns.
  var selected: CountColumns = []
  var zero = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  private var columns: CountColumns { selected.isEmpty ? .asWC : selected }

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection()
    if shardOptions.resume { throw UsageError("--resume needs --plan FILE") }
    let session = try Session(
      commonOptions, verb: "count", inputs: operands.allNames, terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "PATH")
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let job = try CountJob(
      columns, options: input.processorOptions(session), select: selection?.selector)
    let isText = format == .text
    let line = CountLine(
      columns, width: isText ? CountWidth(operands, columns).value : 1, isZeroTerminated: zero,
      hasName: !operands.inputs.isEmpty)
    let output = CountOutput(session.console, line, format)
    try session.run(job, expected: input.expected, isBrief: input.isSmallFile) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      Session.Summary(ending)
    }
  }

  /// Runs on one shard of a plan.
  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    let shard = try ShardRun(
      shardOptions, verb: "count", operands, commonOptions, resumes: shardOptions.resume)
    if try shard.isDone() { return }
    let job = try CountJob(columns, options: shard.processorOptions())
    try shard.run(job, FileReporter(console: shard.console, verb: "count")) { source, deliver in
      try job.run([source], deliver: deliver)
    }
  }
}

extension CountVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let isText = format == .text
    let width = isText ? CountWidth(merge.plan.named, columns).value : 1
    let line = CountLine(columns, width: width, isZeroTerminated: zero, hasName: true)
    let output = CountOutput(merge.console, line, format)
    try merge.run(deliversWholeTree: false) { batch in
      try output.write(batch)
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      Session.Summary(ending)
    }
  }
}
