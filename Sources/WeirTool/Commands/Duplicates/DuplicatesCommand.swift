// The verb `duplicates`: groups of files with the same content.

internal import ArgumentParser
internal import FileJobs
internal import Weir

struct DuplicatesCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "duplicates",
    abstract: "Find groups of files with the same content.")

  @Option(help: ArgumentHelp("Skip files smaller than SIZE.", valueName: "size"))
  var minSize: UInt64 = 1

  @Flag(help: "Compare files with the same digest byte by byte.")
  var verify = false

  @Flag(help: "Print also groups of one file with several names.")
  var hardLinks = false

  @Flag(name: .shortAndLong, help: "Print names only, each ended by NUL, as is each group.")
  var zero = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions

  static let optionTable =
    OptionTable(
      values: ["--min-size": .size], flags: ["--verify", "--hard-links", "--zero"],
      letters: ["z": "--zero"])
    + FormatOptions.table + CommonOptions.table + SourceOptions.table + .common

  func run(_ operands: Operands) throws {
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("duplicates compares files by name, and cannot compare ", name)
    }
    let session = try Session(
      commonOptions, verb: "duplicates", inputs: operands.allNames,
      terminals: operands.inputs.isEmpty ? nil : operands.terminals,
      wording: ProgressWording(counts: { DuplicatesOutput.counts($0) }, parts: nil))
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions,
      readsWorkingDirectory: true)
    let job = DuplicatesJob(jobOptions, processorOptions: input.processorOptions(session))
    let output = DuplicatesOutput(
      session.console, formatOptions.format, isZeroTerminated: zero,
      isUnordered: sourceOptions.unordered)
    // The job reports a cancellation only if groups may be missing.
    try session.run(job, isCut: { true }) {
      try job.run(input.sources()) { event in try output.write(event) }
    } finish: { ending in
      try output.finish(job.found, ending)
    } summary: { ending in
      summary(job.found, ending)
    }
  }

  private var jobOptions: DuplicatesJob.Options {
    var options = DuplicatesJob.Options()
    options.minimumSize = minSize
    options.verifies = verify
    options.listsLinks = hardLinks
    return options
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

  static let brief = """
    usage: weir duplicates [OPTION ...] [PATH ...]
          --min-size SIZE    Skip files smaller than SIZE [default: 1]
          --verify           Compare files with the same digest byte by byte
          --hard-links       Print also groups of one file with several names
      -z, --zero             Print names only, each ended by NUL, as is each group
          --format FORMAT    Write text or json [default: text]
    \(SourceOptions.brief)
    \(CommonOptions.brief)
    """

  static let helpPage = """
    usage: weir duplicates [OPTION ...] [PATH ...]

    Find groups of files with the same content, and change nothing. The groups that
    take the most room come first. A file with several names (hard links) counts
    once. A file with a unique size is not opened. A large file is read at its
    beginning and end first, and completely only if these agree. The digest is
    XXH128.

    A group is a heading, a line for each name, and an empty line. A name after "= "
    is a hard link to the file above it.

      # 2 files of 4,096 bytes: 4,096 bytes could be saved
      a/one
      = a/the same file as one
      b/two

    Groups:
          --min-size SIZE    Skip files smaller than SIZE (4K, 10MB) [default: 1]
          --verify           Compare files with the same digest byte by byte
          --hard-links       Print also groups of one file with several names

    Input (the working directory if no PATH and no list is given):
      PATH                   Read a file, or walk a directory
    \(SourceOptions.listHelp)
          --unordered        Write each group as it is found

    Format:
      -z, --zero             Print names only, each ended by NUL, as is each group;
                             escape no names
          --format FORMAT    Write text or json (an object per line) [default: text]

    \(CommonOptions.help)

    Exit status:
      0  Success, with or without duplicates
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed during the run; the groups
         of the others are written

    Examples:
      weir duplicates ~/Pictures            Find duplicate pictures
      weir duplicates --summary --min-size 1M /srv > /tmp/groups
      weir duplicates --verify a b          Compare to the last byte
      weir duplicates --format json . | jq 'select(.type == "group").saving'
      weir duplicates . | grep -v '^[#=] '  Print groups of names only
    """
}
