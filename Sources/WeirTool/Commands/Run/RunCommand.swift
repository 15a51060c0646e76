// weir run: a command for each of many files, or for so many of them.

internal import ArgumentParser
internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

struct RunCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "A command per file, or per batch of files, on all cores.")

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("How many items a command is given at most.", valueName: "n"))
  var maxArgs = 1

  @Flag(help: "Let commands write straight through.")
  var ungroup = false

  @Option(help: ArgumentHelp("End commands that take longer.", valueName: "time"))
  var timeout: TimeArgument?

  @Option(help: ArgumentHelp("How often what fails is run again.", valueName: "n"))
  var retries = 0

  @Option(help: ArgumentHelp("What the first failure does.", valueName: "when"))
  var halt = HaltArgument.never

  @Option(
    help: ArgumentHelp("Write what is done to a file.", valueName: "file"), completion: .file())
  var joblog: RawArgument?

  @Flag(help: "Do not run again what the log has.")
  var resume = false

  @Flag(help: "Run again what the log has as failed, and nothing else of it.")
  var resumeFailed = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var runOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions

  static let optionTable =
    OptionTable(
      values: [
        "--max-args": .number(1...Int.max), "--timeout": .time,
        "--retries": .number(0...1_000_000),
        "--halt": .word(HaltArgument.allCases.map(\.rawValue)), "--joblog": .outputFile,
      ],
      flags: ["--ungroup", "--resume", "--resume-failed"], letters: ["n": "--max-args"])
    + FormatOptions.table + CommonOptions.table + SourceOptions.table + .common

  static let takesCommand = true

  func run(_ operands: Operands) throws {
    let words = try command(operands)
    let template = CommandTemplate(words)
    if maxArgs > 1 && template.programDependsOnItems {
      throw UsageError("with -n the command itself cannot be a placeholder: ", operandWord(words))
    }
    let statistics = Locked<(@Sendable () -> CommandStatistics)?>(nil)
    let wording = RunReport.wording { statistics.with { $0 }?() ?? CommandStatistics() }
    let session = try Session(
      runOptions, verb: "run", inputs: operands.allNames, log: joblog, wording: wording)
    // Of children that nobody can wait for there would be no end to tell.
    signal(SIGCHLD, SIG_DFL)
    let diesOfPipe = RunCommand.takeOverPipeSignal()
    let job = try makeJob(template, session, operands)
    statistics.with { $0 = { job.commandStatistics } }
    session.clearing.with { $0 = { job.abandon() } }
    if let joblog { session.resumption.with { $0 = resumption(joblog) } }
    let output = RunOutputWriter(session.console, self)
    let ending = session.run(
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) }, isCut: { job.commandStatistics.isCut }
    ) {
      do {
        try job.run(sources(operands)) { event in try output.take(event) }
      } catch let failure as WriteFailure
        where diesOfPipe && failure.reason as? Errno == .brokenPipe
      {
        // All children have ended by now.
        Signals.die(by: SIGPIPE)
      } catch let failure as CommandFailure {
        session.console.say(RunReport.words(failure))
        throw ExitStatus.usage
      }
    }
    try session.conclude(ending, job.statistics) { ending in
      try output.conclude(job.commandStatistics, ending)
    } closing: { ending in
      RunReport.closing(job.commandStatistics, job.statistics, seconds: ending.seconds)
    }
  }

  /// The words behind `--`.
  private func command(_ operands: Operands) throws(UsageError) -> [[UInt8]] {
    guard let words = operands.command, !words.isEmpty else {
      throw UsageError("there is no command: weir run [PATH ...] -- CMD {}")
    }
    if operands.inputs.isEmpty {
      throw UsageError(
        "there is nothing to run it for: give a PATH, or --files-from - for what standard "
          + "input has, a line each")
    }
    if words[0].bytes.isEmpty { throw UsageError("the command is an empty word") }
    if joblog == nil && (resume || resumeFailed) {
      let option = resume ? "--resume" : "--resume-failed"
      throw UsageError("\(option) is for --joblog FILE, and there is none")
    }
    if ungroup && formatOptions.format == .json {
      throw UsageError("--ungroup lets commands write themselves, and that is no JSON")
    }
    return words.map(\.bytes)
  }

  private func operandWord(_ words: [[UInt8]]) -> RawArgument { RawArgument(bytes: words[0]) }

  /// What to type to go on.
  private func resumption(_ log: RawArgument) -> [UInt8] {
    let isThere = resume || resumeFailed
    return QuotedName.bytes(of: log.bytes) + Array(" has what was done; to go on, say: ".utf8)
      + OutputReport.commandLine(adding: isThere ? nil : "--resume")
  }

  /// Has a reader that goes away be an error, so that no child is left behind.
  /// Returns whether it would have ended the process.
  private static func takeOverPipeSignal() -> Bool {
    let before = signal(SIGPIPE, SIG_IGN)
    return unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private func sources(_ operands: Operands) throws -> [CommandSource] {
    var sources: [CommandSource] = []
    sources.reserveCapacity(operands.inputs.count)
    for input in operands.inputs {
      switch input {
      case .path(let name):
        sources.append(.path(name.bytes))
      case .list(let name, let separator):
        if let descriptor = operands.opened[name.bytes] {
          if descriptor.rawValue < 0 { throw FileError(name, Errno.badFileDescriptor) }
          sources.append(.list(descriptor, separator: separator, name: name.bytes))
        } else {
          try Operands.expectReadable(name)
          sources.append(.listFile(name.bytes, separator: separator))
        }
      }
    }
    return sources
  }

  private func makeJob(
    _ template: CommandTemplate, _ session: Session, _ operands: Operands
  ) throws -> CommandJob {
    var settings = session.processorOptions
    settings.order = sourceOptions.unordered || ungroup ? .completion : .input
    var options = CommandJobOptions()
    sourceOptions.walk.apply(to: &options.walk, operands)
    options.itemsPerCommand = maxArgs
    options.timeout = timeout?.seconds
    options.retries = retries
    options.halt = halt.value
    options.isUngrouped = ungroup
    options.onProcessShortage = { [console = session.console] error in
      console.say(RunReport.heldUp(error))
    }
    if let directory = getenv("TMPDIR"), directory.pointee != 0 {
      options.temporaryDirectory = Array(
        UnsafeRawBufferPointer(start: directory, count: strlen(directory)))
    }
    do throws(CommandFailure) {
      let resumption: JobLog.Resumption = resumeFailed ? .successes : resume ? .all : .none
      options.log = try joblog.map { file throws(CommandFailure) in
        try JobLog(file.bytes, resumption, of: template)
      }
    } catch {
      session.console.say(RunReport.words(error))
      throw ExitStatus.usage
    }
    do throws(Errno) {
      return try CommandJob(template, options, settings)
    } catch {
      session.console.say("cannot run anything: \(error)")
      throw ExitStatus.usage
    }
  }
}

/// What the first failure does.
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

/// A time in seconds, or in what its last letter says.
struct TimeArgument: ExpressibleByArgument {
  let seconds: Double

  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

  init?(argument: String) {
    let unit = argument.last.flatMap { TimeArgument.units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    let isNumber = digits.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
    guard isNumber, let number = Double(digits), number > 0, number < 1e9 else { return nil }
    seconds = number * (unit ?? 1)
  }
}
