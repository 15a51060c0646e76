// The verb `run`: a command for each file, or for several files at once.

internal import ArgumentParser
internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct RunCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command for each file, or for several files at once.")

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("Largest number of files per command.", valueName: "n"))
  var maxArgs = 1

  @Flag(help: "Let commands write their output directly.")
  var ungroup = false

  @Option(help: ArgumentHelp("End commands that take longer than TIME.", valueName: "time"))
  var timeout: TimeArgument?

  @Option(help: ArgumentHelp("Run failed commands again, up to N times.", valueName: "n"))
  var retries = 0

  @Option(
    help: ArgumentHelp("Stop after the first failure: never, soon or now.", valueName: "when"))
  var halt = HaltArgument.never

  @Option(
    help: ArgumentHelp("Log finished commands in FILE.", valueName: "file"),
    completion: .file())
  var joblog: RawArgument?

  @Flag(help: "Skip commands that the log contains.")
  var resume = false

  @Flag(help: "Like --resume, but run failed commands again.")
  var resumeFailed = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions
  @OptionGroup var shardOptions: ShardOptions

  static let optionTable =
    OptionTable(
      values: [
        "--max-args": .number(1...Int.max), "--timeout": .time,
        "--retries": .number(0...1_000_000),
        "--halt": .word(HaltArgument.allCases.map(\.rawValue)), "--joblog": .outputFile,
      ],
      flags: ["--ungroup", "--resume", "--resume-failed"], letters: ["n": "--max-args"])
    + FormatOptions.table + CommonOptions.table + SourceOptions.table + ShardOptions.table
    + .common

  static let takesCommand = true

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
    let diesOfPipe = RunCommand.prepareSignals()
    var options = jobOptions(session)
    walkOptions.apply(to: &options.walk, operands)
    options.log = try log(template)
    if let selection {
      options.select = { name in name.withUnsafeBytes { selection.contains($0) } }
      options.environment = ShardEnvironment(selection.number).variables
    }
    var settings = session.processorOptions
    try session.fitThreads(&settings)
    settings.order = sourceOptions.unordered || ungroup ? .completion : .input
    let job = try makeJob(template, options, settings, session, statistics)
    if let joblog { session.resumption.with { $0 = resumption(joblog) } }
    let output = RunOutput(session.console, self)
    try session.run(
      job, expected: operands.countOfFiles { [walkOptions] in walkOptions.walk($0, operands) },
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
    if RunCommand.isQuotedCommand(words) {
      throw UsageError(
        "the command is one word: ", words[0],
        "; omit the quotes around it, or use sh -c")
    }
    let template = CommandTemplate(words.map(\.bytes))
    if maxArgs > 1 && template.programDependsOnItems {
      throw UsageError("with -n the program itself cannot be a placeholder: ", words[0])
    }
    return template
  }

  /// Throws an error if options exclude each other.
  private func validateWithoutPlan() throws(UsageError) {
    if joblog == nil && (resume || resumeFailed) {
      let option = resume ? "--resume" : "--resume-failed"
      throw UsageError("\(option) needs --joblog FILE")
    }
    if ungroup && formatOptions.format == .json {
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
      command: CommandText.ofProcess(adding: resume || resumeFailed ? nil : "--resume"))
  }

  private func sources(_ operands: Operands) throws(FileError) -> [CommandSource] {
    try operands.map(
      path: { .path($0.bytes) },
      listDescriptor: { .list($0, separator: $1, name: $2) },
      listFile: { .listFile($0, separator: $1) })
  }

  static let brief = """
    usage: weir run [OPTION ...] [PATH ...] -- COMMAND   ({} {/} {//} {.} {/.} {#})
      -n, --max-args N       Pass up to N files to a command [default: 1]
          --timeout TIME, --retries N  End long commands, run failed ones again
          --halt WHEN        Stop after the first failure: never, soon or now
          --joblog FILE, --resume, --resume-failed  Log commands, skip logged ones
          --ungroup, --format FORMAT  Write output directly, or as text or json
    \(SourceOptions.brief)
    \(ShardOptions.briefAfterResume)
    \(CommonOptions.brief(jobs: "Number of commands at once [default: cores]"))
    """

  static let helpPage = """
    usage: weir run [OPTION ...] [PATH ...] -- COMMAND [WORD ...]

    Run a command for each file, several at once. The output of each command is
    written as a whole, in the order of the files. A command that fails is reported
    on standard error. No shell is involved. A directory among the PATHs is walked;
    any other PATH, and each item of a list, is passed on unchanged and need not be
    a file.

    Placeholders in COMMAND and WORD [default: {} is appended]:
      {}                     The file; with -n, one word for each
      {/}  {//}              Its last component, and the path before it
      {.}  {/.}              {} and {/} without the extension
      {#}                    The number of the command, from 1

    Commands:
      -n, --max-args N       Pass up to N files to a command, within the system's
                             limit on arguments [default: 1]
          --timeout TIME     End commands that take longer than TIME, such as 10
                             (seconds) or 2m, by SIGTERM, and after another second
                             by SIGKILL
          --retries N        Run failed commands again, up to N times [default: 0]
          --halt WHEN        Stop after the first failure: never, soon (start no
                             more commands) or now (also end running ones)
                             [default: never]
          --joblog FILE      Log finished commands in FILE, a line each
          --resume           Skip commands that the log contains; with --plan,
                             those of an attempt at the shard that did not end
          --resume-failed    Like --resume, but run failed commands again
          --ungroup          Let commands write their output directly
          --format FORMAT    Write text or json (an object per line) [default: text]

    Input:
      PATH                   Walk a directory, or pass on anything else
    \(SourceOptions.listHelp)
          --unordered        Write each result as it completes

    \(ShardOptions.help)
      A shard of a plan keeps the output of its commands in its part. A command
      may run twice if its machine is lost, also one that had ended: it should be
      repeatable. Commands find WEIR_SHARD=K/N and WEIR_ATTEMPT=N in their
      environment. With a plan, {#} is the number of the file in the whole plan;
      with -n, a shard groups its own files, and weir merge writes a group in the
      place of its first file. --halt ends a shard without a part; --resume
      continues it.

    \(CommonOptions.help(
      jobs: "Number of commands at once, 1 to \(Lanes.widthMax) [default: cores]"))

    Exit status:
      0  All commands ended with status 0
      1  A command failed, was ended, or could not be started
      2  Usage error, the program was not found, or the output could not be written
      3  A directory or a list could not be read, or a file has changed since the
         plan was made, and no command failed

    Examples:
      weir run /srv -- gzip -k {}           Run a command for each file
      weir run -n 100 src -- wc -l          Run a command for each 100 files
      weir run photos -- convert {} {.}.png
      weir run --files0-from - -- cp {} /mnt/{/} < names
      weir run --joblog L --resume . -- ./encode {}
      weir run --plan set.plan --shard auto --out parts -- ./encode {}
    """
}

/// The values of `--halt`.
enum HaltArgument: String, ExpressibleByArgument, CaseIterable {
  case never
  case soon
  case now

  var value: CommandJobOptions.Halt {
    switch self {
    case .never: .never
    case .soon: .soon
    case .now: .now
    }
  }
}
