// weir duplicates: groups of files with the same content.

internal import ArgumentParser
internal import FileJobs
internal import SystemPackage
internal import Weir

struct DuplicatesCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "duplicates",
    abstract: "Groups of files with the same content.")

  @Option(help: ArgumentHelp("Pass over files that are smaller.", valueName: "size"))
  var minSize: UInt64 = 1

  @Flag(help: "Compare byte for byte what has the same digest.")
  var verify = false

  @Flag(help: "Write also groups of one file with several names.")
  var hardLinks = false

  @Flag(name: .shortAndLong, help: "End each name, and each group, in NUL.")
  var zero = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var runOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions

  static let optionTable =
    OptionTable(
      values: ["--min-size": .size], flags: ["--verify", "--hard-links", "--zero"],
      letters: ["z": "--zero"])
    + FormatOptions.table + CommonOptions.table + SourceOptions.table + .common

  func run(_ operands: Operands) throws {
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("duplicates compares files that have names, and cannot compare ", name)
    }
    let session = try Session(runOptions, verb: "duplicates", inputs: operands.allNames)
    var options = session.processorOptions
    sourceOptions.apply(to: &options, operands)
    let plan =
      operands.inputs.isEmpty
      ? StoragePlan([], includesHere: true, jobs: runOptions.jobs)
      : StoragePlan(operands, jobs: runOptions.jobs)
    session.suit(&options, to: plan)
    let job = DuplicatesJob(jobOptions, processorOptions: options)
    let output = DuplicatesOutput(
      session.console, formatOptions.format, isZeroTerminated: zero,
      isUnordered: sourceOptions.unordered)
    let ending = session.run(
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) },
      // It says that it was cancelled where groups may be missing, and then alone.
      isCut: { true }
    ) {
      try job.run(sources(operands, plan)) { event in try output.take(event) }
    }
    let (found, statistics) = (job.found, job.statistics)
    try session.conclude(ending, statistics) { ending in
      try output.conclude(found, statistics, ending)
    } closing: { ending in
      closing(found, statistics, ending)
    }
  }

  private var jobOptions: DuplicatesJob.Options {
    var options = DuplicatesJob.Options()
    options.minimumSize = minSize
    options.verifies = verify
    options.listsLinks = hardLinks
    return options
  }

  /// What is named; the working directory where nothing is.
  private func sources(_ operands: Operands, _ plan: StoragePlan) throws -> [FileSource] {
    guard operands.inputs.isEmpty else { return try operands.sources(plan) }
    let here = RawArgument(bytes: Array(".".utf8))
    let source = FileSource.path(bytes: here.bytes)
    return [plan.storage(of: here).map { source.on($0) } ?? source]
  }

  private func closing(
    _ found: DuplicatesStatistics, _ statistics: FileStatistics, _ ending: Session.Ending
  ) -> Session.Closing {
    let counts = FileReport.counts(statistics)
    let pace = FileReport.pace(statistics, seconds: ending.seconds)
    return Session.Closing(
      summary: "\(counts); \(DuplicatesOutput.result(found)); \(pace)",
      remark: found.failures > 0 ? counts : nil,
      status: found.failures > 0 ? .unreadable : nil)
  }
}

extension DuplicatesCommand {
  static let helpPage = """
    usage: weir duplicates [OPTION ...] [PATH ...]

    Groups of files with the same content, those first that take the most room. A
    file with several names (hard links) counts once. It changes nothing. Files that
    are alone in their size are not opened; of large ones the beginning and the end
    are read first, and where these agree all of it, by XXH128.

    A group is a line with what it comes to, its names, a line each, and an empty
    line. A name behind "= " is a hard link to the file above it.

      # 2 files of 4,096 bytes: 4,096 bytes could be saved
      a/one
      = a/the same file as one
      b/two

    Which groups
          --min-size SIZE    pass over files that are smaller: 4096, 4K, 10MB (1)
          --verify           compare byte for byte what has the same digest
          --hard-links       also groups of one file with several names

    Which files (without any PATH and list: the working directory)
      PATH                   a file, or a directory, which is walked
    \(SourceOptions.listHelp)
          --unordered        write as found, not those first that take the most room

    How it is written
      -z, --zero             names alone, each ended by a NUL, as is each group;
                             none is escaped
          --format FORMAT    text, or json: one object a line (text)

    \(CommonOptions.help)

    Exit status
      0  all well, whether there are duplicates or not
      2  usage, or nothing could be started or written
      3  something that is there could not be read, or changed meanwhile; the groups
         are of the rest

    Examples
      weir duplicates ~/Pictures            what is there more than once
      weir duplicates --summary --min-size 1M /srv > /tmp/groups
      weir duplicates --verify a b          compared to the last byte
      weir duplicates --format json . | jq 'select(.type == "group").saving'
      weir duplicates . | grep -v '^[#=] '   groups of names alone
    """
}
