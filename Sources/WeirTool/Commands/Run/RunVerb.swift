// The verb `run`: a command for each file, or for several files at once.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct RunVerb: Verb {
  var options = CommandJobOptions()
  var joblog: RawArgument?
  var resumeFailed = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  private var resumes: Bool { shardOptions.resume || resumeFailed }

  func run(_ operands: Operands) throws {
    let template = try template(operands)
    if shardOptions.plan != nil { return try runShard(operands, template) }
    let selection = try shardOptions.selection()
    try validateWithoutPlan()
    let statistics = Locked<(@Sendable () -> CommandStatistics)?>(nil)
    let wording = wording(statistics)
    let session = try Session(
      commonOptions, verb: "run", inputs: operands.allNames, log: joblog,
      terminals: operands.terminals, wording: wording)
    let diesOfPipe = RunVerb.prepareSignals()
    var options = jobOptions(session)
    walkOptions.apply(to: &options.walk)
    options.log = try log(template)
    if let selection {
      options.select = { name in name.withUnsafeBytes { selection.contains($0) } }
      options.environment = ShardEnvironment(selection.number).variables
    }
    var settings = session.processorOptions
    try session.fitThreads(&settings)
    settings.order = sourceOptions.unordered || options.isUngrouped ? .completion : .input
    let job = try makeJob(template, options, settings, session, statistics)
    if let joblog { session.resumption.with { $0 = resumption(joblog) } }
    let output = RunOutput(session.console, self)
    try session.run(
      job, expected: operands.countOfFiles { [walkOptions] in walkOptions.walk($0) },
      isCut: { job.commandStatistics.isCut }
    ) {
      do {
        try job.run(sources(operands)) { event in try output.write(event) }
      } catch let failure as WriteFailure
        where diesOfPipe && failure.reason as? Errno == .brokenPipe
      {
        // All children have ended by now.
        Signals.die(by: SIGPIPE)
      } catch let failure as CommandFailure {
        throw FileError(failure)
      }
    } finish: { ending in
      try output.finish(job.commandStatistics, ending)
    } summary: { ending in
      CommandReport.summary(job.commandStatistics, ending)
    }
  }

  /// Returns the command of the words after `--`.
  private func template(_ operands: Operands) throws(UsageError) -> CommandTemplate {
    guard let words = operands.command, !words.isEmpty else {
      throw UsageError("no command is given; use weir run [PATH ...] -- COMMAND {}")
    }
    if operands.inputs.isEmpty && shardOptions.plan == nil {
      throw UsageError(
        "no input is given; name a PATH, or use --files-from - for the lines of standard "
          + "input")
    }
    if words[0].bytes.isEmpty { throw UsageError("the command is an empty word") }
    if RunVerb.isQuotedCommand(words) {
      throw UsageError(
        "the command is one word: ", words[0],
        "; omit the quotes around it, or use sh -c")
    }
    let template = CommandTemplate(words.map(\.bytes))
    if options.itemsPerCommand > 1 && template.programDependsOnItems {
      throw UsageError("with -n the program itself cannot be a placeholder: ", words[0])
    }
    return template
  }

  /// Throws an error if options exclude each other.
  private func validateWithoutPlan() throws(UsageError) {
    if joblog == nil && resumes {
      throw UsageError(
        shardOptions.resume
          ? "--resume needs --joblog FILE" : "--resume-failed needs --joblog FILE")
    }
    if options.isUngrouped && format == .json {
      throw UsageError(
        "--ungroup cannot be combined with --format json: commands write their output directly")
    }
  }

  /// Returns true if the only word begins with the name of a program and goes on with a
  /// placeholder, as in `'echo {}'`: no program has the name that comes out.
  private static func isQuotedCommand(_ words: [RawArgument]) -> Bool {
    guard words.count == 1, let word = words.first?.bytes,
      let blank = word.firstIndex(of: UInt8(ascii: " ")),
      let brace = word.firstIndex(of: UInt8(ascii: "{")), blank < brace
    else { return false }
    return !word[..<blank].contains(UInt8(ascii: "/"))
      && CommandTemplate(words.map(\.bytes)).programDependsOnItems
  }

  /// Returns the message that names the log, and the command that resumes the run.
  private func resumption(_ log: RawArgument) -> Session.Resumption {
    Session.Resumption(
      text: QuotedName.bytes(of: log.bytes)
        + Array(" lists the finished commands; to continue:".utf8),
      command: CommandText.ofProcess(adding: resumes ? nil : ShardOptions.resumeName))
  }

  private func sources(_ operands: Operands) throws(FileError) -> [CommandSource] {
    try operands.map(
      path: { .path($0.bytes) },
      listDescriptor: { .list($0, separator: $1, name: $2) },
      listFile: { .listFile($0, separator: $1) })
  }
}
