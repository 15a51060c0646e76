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

  @Flag(help: "Begin again after an attempt that did not end.")
  var resume = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions
  @OptionGroup var shardOptions: ShardOptions

  static let optionTable =
    OptionTable(
      values: ["--min-size": .size], flags: ["--verify", "--hard-links", "--zero", "--resume"],
      letters: ["z": "--zero"])
    + FormatOptions.table + CommonOptions.table + SourceOptions.table + ShardOptions.table
    + .common

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection()
    if resume { throw UsageError("--resume needs --plan FILE") }
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
    var options = jobOptions
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
      console, formatOptions.format, isZeroTerminated: zero, isUnordered: sourceOptions.unordered)
  }

  /// Runs on one shard of a plan.
  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(
      operands,
      [("--unordered", sourceOptions.unordered), ("--allow-changed", shardOptions.allowChanged)])
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
    let job = try DuplicatesJob(jobOptions, processorOptions: shard.processorOptions())
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
    \(ShardOptions.brief)
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

    \(ShardOptions.help)

    The plan has to be one by size-class; without a plan, the size of a file decides
    on its shard. A search that did not end begins again, also with --resume.
    --unordered and --allow-changed do not apply.

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

extension DuplicatesCommand: MergeableRequest {
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
