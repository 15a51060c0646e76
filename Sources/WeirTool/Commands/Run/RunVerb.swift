// The verb `run`: a command for each file, or for several files at once.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct RunVerb: Verb {
  var options = CommandJobOptions()
  var placeholder: RawArgument?
  var isDry = false
  var joblog: RawArgument?
  var resumeFailed = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  private var resumes: Bool { shardOptions.resume || resumeFailed }

  static let page = VerbPage(
    name: "run", abstract: "Run a command for each file, or for several files at once",
    usage: "[OPTION ...] [PATH ...] -- COMMAND [WORD ...]", takesCommand: true,
    description: """
      Run a command for each file, several at once. The output of each command is written as a
      whole, in the order of the files. A command that fails is reported on standard error. No shell
      is involved. A directory among the PATHs is walked; any other PATH, and each item of a list,
      is passed on unchanged and need not be a file.
      """,
    statuses: """
      0  All commands ended with status 0
      1  A command failed, was ended, or could not be started
      2  Usage error, the program was not found, or the output could not be written
      3  A directory or a list could not be read, or a file has changed since the plan was made, and
         no command failed
      """,
    examples: """
      weir run /srv -- gzip -k {}           Run a command for each file
      weir run -n 100 src -- wc -l          Run a command for each 100 files
      weir run photos -- convert {} {.}.png
      weir run --files0-from - -- cp {} /mnt/{/} < names
      weir run --joblog L --resume . -- ./encode {}
      weir run --plan set.plan --shard auto --out parts -- ./encode {}
      """)

  private static let unplanned = "does not apply to a shard of a plan: "

  static let sections = [
    OptionSection<RunVerb>(
      "Placeholders in COMMAND and WORD [default: {} is appended]",
      words: [
        ("{}", "The file; with -n, one word for each"),
        ("{/}  {//}", "Its last component, and the path before it"),
        ("{.}  {/.}", "{} and {/} without the extension"),
        ("{#}", "The number of the command, from 1"),
      ], []),
    OptionSection(
      "Commands",
      [
        Option(
          "-n, --max-args N", .number(1...Int.max), \.options.itemsPerCommand,
          "Pass up to N files to a command",
          ", within the system's limit on arguments"),
        Option(
          "--placeholder STR", .word, optional: \.placeholder, "Replace STR instead of {}",
          """
          ; the other placeholders have its halves around them, as [/] for [], and there are none if
          STR has an odd length
          """, isBrief: false),
        Option(
          flag: "--dry-run", \.isDry, "Print the commands, quoted for sh, and run none",
          on: .refused(unplanned + "its commands are those of weir run without --plan")),
        Option(
          "--timeout TIME", .time, optional: \.options.timeoutSeconds,
          "End commands that take longer than TIME",
          """
          , such as 10 (seconds) or 2m, with all processes of their sessions: by SIGTERM, and after
          another second by SIGKILL
          """),
        Option(
          "--retries N", .number(0...1_000_000), \.options.retries, "Run failed commands again",
          ", up to N times", isBrief: false),
        Option(
          "--halt WHEN", .choice(CommandJobOptions.Halt.allCases), \.options.halt,
          "Stop at a failure: never, soon or now",
          "; soon starts no more commands, now also ends running ones", on: .run),
        Option(
          "--joblog FILE", .outputFile, optional: \.joblog, "Log finished commands in FILE",
          ", a line each, in the columns of GNU parallel",
          on: .refused(unplanned + "the part is the log, and --resume continues it")),
        ShardOptions.resume(
          "Skip commands that the log contains",
          """
          , wherever their files come now, and run the others; with --plan, those of an attempt at
          the shard that did not end
          """
        ).lifted(by: \.shardOptions),
        Option(
          flag: "--resume-failed", \.resumeFailed, "Run also the failed commands of the log again",
          isBrief: false, on: .refused(unplanned + "--resume runs what has no result yet")),
        Option(
          flag: "--ungroup", \.options.isUngrouped, "Let commands write their output directly",
          isBrief: false,
          on: .refused(unplanned + "the part has the output of each command")),
        .format(\.format),
      ]),
    SourceOptions.section(
      "Input", path: "Walk a directory, or pass on anything else",
      on: .refused(unplanned + "weir merge writes in the order of the plan"), \.sourceOptions,
      \.walkOptions),
    ShardOptions.section(
      resume: nil,
      note: """
        A shard of a plan keeps the output of its commands in its part. A command may run twice if
        its machine is lost, also one that had ended: it should be repeatable. Commands find
        WEIR_SHARD=K/N and WEIR_ATTEMPT=N in their environment. With a plan, {#} is the number of
        the file in the whole plan; with -n, a shard groups its own files, and weir merge writes a
        group in the place of its first file. --halt ends a shard without a part; --resume
        continues it.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section(jobs: "Number of commands at once", default: "cores")
      .lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    let template = try template(operands)
    if shardOptions.plan != nil { return try runShard(operands, template) }
    let selection = try shardOptions.selection(resumes: true)
    try validateWithoutPlan()
    let session = try Session(
      commonOptions, verb: "run", inputs: operands.allNames, output: ("joblog", joblog),
      terminals: operands.terminals)
    let diesOfPipe = RunVerb.prepareSignals()
    var options = jobOptions(session)
    walkOptions.apply(to: &options.walk)
    options.log = try log()
    if let selection {
      options.select = { name in name.withUnsafeBytes { selection.contains($0) } }
      options.environment = ShardEnvironment(selection.number).variables
    }
    var settings = session.processorOptions
    try session.fitThreads(&settings)
    settings.order = sourceOptions.unordered || options.isUngrouped ? .completion : .input
    let job = try makeJob(template, options, settings, session)
    session.resumption = joblog.map(resumption) ?? Session.Resumption("the rest is missing")
    let output = RunOutput(session.console, self) { job.commandStatistics }
    // The pieces in JSON are those of weir merge.
    let passing: CommandOutputReceiver = { try output.write($0, $1) }
    try session.run(
      job, output, wording: wording(job),
      expected: operands.countOfFiles { [walkOptions] in walkOptions.walk($0) }
        .map { ExpectedWork($0) },
      isCut: { job.commandStatistics.isCut }
    ) {
      do {
        if isDry {
          if let directory = commonOptions.directory {
            let words = [Array("cd".utf8), Array("--".utf8), directory.bytes]
            try session.console.write(ShellWords.posixLine(of: words) + Array(" || exit\n".utf8))
          }
          return try job.preview(sources(operands), deliver: { try output.write($0) }) {
            try session.console.write(ShellWords.posixLine(of: $0) + [UInt8(ascii: "\n")])
          }
        }
        try job.run(sources(operands), output: format == .json ? nil : passing) {
          try output.write($0)
        }
      } catch let failure as WriteFailure
        where diesOfPipe && failure.reason as? Errno == .brokenPipe
      {
        // All children have ended by now.
        Signals.die(by: SIGPIPE)
      }
    }
  }

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
    if placeholder?.bytes.isEmpty == true {
      throw UsageError("--placeholder takes a text that is not empty")
    }
    let template = makeTemplate(words.map(\.bytes))
    if options.itemsPerCommand > 1 && template.programDependsOnItems {
      throw UsageError("with -n the program itself cannot be a placeholder: \(words[0])")
    }
    return template
  }

  func makeTemplate(_ words: [[UInt8]]) -> CommandTemplate {
    placeholder.map { CommandTemplate(words, placeholder: $0.bytes) } ?? CommandTemplate(words)
  }

  private func validateWithoutPlan() throws(UsageError) {
    if joblog == nil && resumes {
      throw UsageError(
        shardOptions.resume
          ? "--resume needs --joblog FILE" : "--resume-failed needs --joblog FILE")
    }
    if isDry && format == .json {
      throw UsageError("--dry-run cannot be combined with --format json: it prints no objects")
    }
    if options.isUngrouped && format == .json {
      throw UsageError(
        "--ungroup cannot be combined with --format json: commands write their output directly")
    }
  }

  private func resumption(_ log: RawArgument) -> Session.Resumption {
    Session.Resumption(
      "\(log) lists the finished commands; to continue:",
      command: CommandText.ofProcess(adding: resumes ? nil : ShardOptions.resumeName))
  }

  private func sources(_ operands: Operands) throws(FileError) -> [CommandSource] {
    try operands.map(
      path: { .path($0.bytes) },
      listDescriptor: { .list($0, separator: $1, name: $2) },
      listFile: { .listFile($0, separator: $1) })
  }

  // MARK: The job

  func jobOptions(_ session: Session) -> CommandJobOptions {
    var options = options
    options.onProcessShortage = { [console = session.console] error in
      console.report(CommandReport.shortage(error))
    }
    options.temporaryDirectory = RunVerb.temporaryDirectory
    return options
  }

  /// TMPDIR, or /tmp.
  static var temporaryDirectory: [UInt8] {
    guard let directory = getenv("TMPDIR"), directory.pointee != 0 else {
      return CommandJobOptions().temporaryDirectory
    }
    return [UInt8](cString: directory)
  }

  private func log() throws -> JobLog? {
    let resumption: JobLog.Resumption =
      resumeFailed ? .successes : shardOptions.resume ? .all : .none
    if isDry && (!resumes || joblog.flatMap { stat.of($0.bytes) } == nil) { return nil }
    return try joblog.map { file in
      if let log = stat.of(file.bytes), log.isRegularFile, FileIdentity(log).isOutput {
        throw FileError("\(file): is the output of the run; choose another one for --joblog")
      }
      return try JobLog(file.bytes, resumption)
    }
  }

  /// Makes the job, and lets the session end its commands.
  func makeJob(
    _ template: CommandTemplate, _ options: CommandJobOptions, _ settings: FileProcessorOptions,
    _ session: Session
  ) throws(Errno) -> CommandJob {
    let job = try CommandJob(template, options, settings)
    session.closeOwnFiles()
    session.cleanup = { job.abandon() }
    return job
  }

  func wording(_ job: CommandJob) -> ProgressWording {
    CommandReport.wording(itemsPerCommand: options.itemsPerCommand) { job.commandStatistics }
  }

  /// Ignores SIGPIPE, so that a lost reader is an error and no child is left behind.
  /// Returns true if the signal was not ignored before.
  @discardableResult
  static func prepareSignals() -> Bool {
    // If SIGCHLD is ignored, the exit statuses of children are lost.
    signal(SIGCHLD, SIG_DFL)
    let before = signal(SIGPIPE, SIG_IGN)
    return unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
