// The verb `status`: the shards of a plan that are done, begun or missing.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct StatusVerb: Verb {
  var plan: RawArgument?
  var format = OutputFormat.text
  var commonOptions = CommonOptions()

  static let page = VerbPage(
    name: "status", abstract: "Show which shards of a plan are done",
    usage: "[OPTION ...] --plan FILE DIR", operand: .directory,
    description: """
      Print which shards of a plan have their part in DIR, which have an attempt that may still run,
      with the number of its files, and which have nothing. Of the parts only the ends are read:
      weir merge checks all.
      """,
    statuses: """
      0  All shards are done
      2  Usage error, or the plan or DIR could not be read
      3  Shards are missing or unusable
      """,
    examples: """
      weir status --plan set.plan parts
      weir status --plan set.plan parts && weir merge --plan set.plan -o M parts
      """)

  static let sections = [
    OptionSection<StatusVerb>(
      "Input and output",
      [
        .plan(\.plan),
        .format(\.format),
      ]),
    CommonOptions.partsSection.lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    let (planName, directoryName) = try MergeVerb.names(plan, operands, verb: "status")
    let session = try Session(
      commonOptions, verb: "status", inputs: [planName, directoryName])
    session.unblockSignals()
    let plan = try ShardRun.plan(planName).header
    let directory = try MergeVerb.parts(directoryName, of: plan).directory
    let shards = StatusReport(directory, plan)
    let isJSON = format == .json
    try session.console.write(isJSON ? shards.json : shards.text)
    for error in shards.faults { session.console.report(FileError(error)) }
    try session.console.closeOutput()
    if !shards.isComplete { throw ExitStatus.incomplete }
  }
}
