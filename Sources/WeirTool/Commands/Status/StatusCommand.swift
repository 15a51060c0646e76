// The verb `status`: the shards of a plan that are done, begun or missing.

internal import ArgumentParser
internal import FileJobs
internal import SystemPackage
internal import Weir

struct StatusCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which shards of a plan are done.")

  @Option(
    help: ArgumentHelp("The plan of the parts.", valueName: "file"), completion: .file())
  var plan: RawArgument?

  @Argument(
    help: ArgumentHelp("The directory of the parts.", valueName: "dir"), completion: .directory)
  var directory: RawArgument?

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var runOptions: MergeRunOptions

  static let optionTable =
    OptionTable(values: ["--plan": .name]) + FormatOptions.table + MergeRunOptions.table + .common

  func run(_ operands: Operands) throws {
    let (planName, directoryName) = try MergeCommand.names(plan, operands, verb: "status")
    let session = try Session(
      runOptions.common, verb: "status", inputs: [planName, directoryName])
    session.unblockSignals()
    let plan = try ShardRun.plan(planName).header
    let directory = try MergeCommand.parts(directoryName, of: plan).directory
    let shards = StatusReport(directory, plan)
    let isJSON = formatOptions.format == .json
    try session.console.write(isJSON ? shards.json : shards.text)
    for error in shards.faults { session.console.report(FileError(error)) }
    try session.console.closeOutput()
    if !shards.isComplete { throw ExitStatus.incomplete }
  }

  static let brief = """
    usage: weir status [OPTION ...] --plan FILE DIR
          --plan FILE        The plan of the parts
          --format FORMAT    Write text or json [default: text]
    \(MergeRunOptions.brief)
    """

  static let helpPage = """
    usage: weir status [OPTION ...] --plan FILE DIR

    Print which shards of a plan have their part in DIR, which have an attempt
    that may still run, with the number of its files, and which have nothing. Of
    the parts only the ends are read: weir merge checks all.

          --plan FILE        The plan of the parts
          --format FORMAT    Write text or json (an object per line) [default: text]

    \(MergeRunOptions.help)

    Exit status:
      0  All shards are done
      2  Usage error, or the plan or DIR could not be read
      3  Shards are missing or unusable

    Examples:
      weir status --plan set.plan parts
      weir status --plan set.plan parts && weir merge --plan set.plan -o M parts
    """
}
