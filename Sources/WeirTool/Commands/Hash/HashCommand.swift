// weir hash: digests of files and whole trees.

internal import ArgumentParser
internal import FileJobs
internal import SystemPackage
internal import Weir

struct HashCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Digests of files and whole trees, as sha256sum writes them.")

  @Option(
    name: [.customShort("a"), .long],
    help: ArgumentHelp("Which digest.", valueName: "name"),
    completion: .list(AlgorithmArgument.allValueStrings))
  var algorithm: [AlgorithmArgument] = []

  @Flag(help: "Write BSD lines: ALGORITHM (NAME) = DIGEST.")
  var tag = false

  @Flag(name: .shortAndLong, help: "End each line in NUL; names are then not escaped.")
  var zero = false

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp("Text, a JSON object a line, or mtree(5).", valueName: "format"))
  var outputFormat = OutputFormat.text

  @OptionGroup var outputOptions: OutputOptions
  @OptionGroup var runOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions

  static let optionTable =
    OptionTable(
      values: ["--algorithm": .words(AlgorithmArgument.allValueStrings)],
      flags: ["--tag", "--zero"],
      letters: ["a": "--algorithm", "z": "--zero"])
    + OutputOptions.table + CommonOptions.table + SourceOptions.table + .common
    + OptionTable(values: ["--format": .word(OutputFormat.names(with: [.mtree]))])

  func run(_ operands: Operands) throws {
    if tag && outputFormat != .text {
      let name = outputFormat.rawValue
      throw UsageError("--tag is for lines of text, and --format \(name) writes none")
    }
    if zero && outputFormat == .mtree {
      throw UsageError("--zero is not for --format mtree, whose lines end in a newline")
    }
    try OutputSession.check(self)
    let session = try Session(
      runOptions, verb: "hash", inputs: operands.allNames, output: outputOptions.output)
    if let name = outputOptions.output {
      return try OutputSession(self, operands, session, name).run()
    }
    var options = session.processorOptions
    sourceOptions.apply(to: &options, operands)
    let plan = StoragePlan(operands, jobs: runOptions.jobs)
    session.suit(&options, to: plan)
    let job = try makeJob(options, session.console)
    let output = HashOutput(session.console, outputFormat, isZeroTerminated: zero)
    let ending = session.run(
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) }
    ) {
      try job.run(operands.sources(plan)) { batch in try output.take(batch) }
    }
    let statistics = job.statistics
    try session.conclude(ending, statistics) { ending in
      try output.conclude(statistics, ending)
    } closing: { ending in
      closing(statistics, ending)
    }
  }

  var algorithms: [DigestAlgorithm] {
    algorithm.isEmpty ? [.sha256] : algorithm.map(\.algorithm)
  }

  var format: ManifestFormat {
    switch outputFormat {
    case .json: .json
    case .mtree: .mtree
    case .text: tag ? .tagged : .text
    }
  }

  private func makeJob(_ options: FileProcessorOptions, _ console: Console) throws -> HashJob {
    try makingJob(console) { () throws(Errno) in
      try HashJob(algorithms, format: format, isZeroTerminated: zero, options: options)
    }
  }

  /// Makes a job, or says why that cannot be.
  func makingJob<Job>(_ console: Console, _ make: () throws(Errno) -> Job) throws -> Job {
    do throws(Errno) {
      return try make()
    } catch {
      let names = algorithms.map(\.name).joined(separator: ", ")
      let reason = error == .notSupported ? "this libcrypto does not offer it" : "\(error)"
      console.say("cannot compute \(names): \(reason)")
      throw ExitStatus.usage
    }
  }

  /// What is said of the whole.
  func closing(_ statistics: FileStatistics, _ ending: Session.Ending) -> Session.Closing {
    Session.Closing(statistics, seconds: ending.seconds, listsLinks: format == .mtree)
  }
}

/// A digest algorithm by its name.
struct AlgorithmArgument: ExpressibleByArgument {
  let algorithm: DigestAlgorithm

  init?(argument: String) {
    guard let algorithm = DigestAlgorithm(argument) else { return nil }
    self.algorithm = algorithm
  }

  static var allValueStrings: [String] { DigestAlgorithm.allCases.map(\.name) }
}
