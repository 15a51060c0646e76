// The options of `weir count`, and its run.

internal import FileJobs
internal import Weir

/// The values of the options of `count`; by default, those of a command without options.
struct CountRequest: VerbRequest {
  var columns = CountColumns.asWC
  var zero = false
  var formatOptions = FormatOptions.defaults
  var commonOptions = CommonOptions.defaults
  var sourceOptions = SourceOptions.defaults
  var walkOptions = WalkOptions.defaults

  func run(_ operands: Operands) throws {
    let session = try Session(
      commonOptions, verb: "count", inputs: operands.allNames, terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "PATH")
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let job = try CountJob(columns, options: input.processorOptions(session))
    let isText = formatOptions.format == .text
    let line = CountLine(
      columns, width: isText ? CountWidth(operands, columns).value : 1, isZeroTerminated: zero,
      hasName: !operands.inputs.isEmpty)
    let output = CountOutput(session.console, line, formatOptions.format)
    try session.run(job, expected: input.expected, isBrief: input.isSmallFile) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      Session.Summary(ending)
    }
  }
}
