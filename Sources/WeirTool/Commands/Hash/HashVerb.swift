// The verb `hash`: digests of files and whole trees.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct HashVerb: Verb {
  /// The algorithms of `-a`.
  var given: [DigestAlgorithm] = []
  var tag = false
  var plain = false
  var zero = false
  /// The format; `nil` if none is given.
  var format: OutputFormat?
  var outputOptions = OutputOptions()
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  static let formatDefault = OutputFormat.text
  static let algorithmDefault = DigestAlgorithm.sha256

  func run(_ operands: Operands) throws {
    for (isGiven, fault) in [
      (tag, "--tag applies to --format text"), (plain, "--plain applies to --format text"),
    ] where isGiven && outputFormat != .text {
      throw UsageError("\(fault), not to --format \(outputFormat.rawValue)")
    }
    if plain { try validatePlain() }
    if Set(algorithms).count > DigestAlgorithm.countMax {
      throw UsageError("--algorithm takes at most \(DigestAlgorithm.countMax) algorithms")
    }
    if zero && outputFormat == .mtree {
      throw UsageError("--zero does not apply to --format mtree, whose lines end in a newline")
    }
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection()
    try HashToFile.validate(self)
    let session = try Session(
      commonOptions, verb: "hash", inputs: operands.allNames, output: outputOptions.output,
      terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "PATH")
    if let name = outputOptions.output {
      return try HashToFile(self, operands, session, name, selection).run()
    }
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let options = try input.processorOptions(session)
    let job = try withAlgorithms { () throws(Errno) in
      try HashJob(
        algorithms, format: manifestFormat, isZeroTerminated: zero, options: options,
        select: selection?.selector)
    }
    let output = HashOutput(session.console, outputFormat, isZeroTerminated: zero)
    try session.run(job, expected: input.expected, isBrief: input.isSmallFile) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      summary(ending)
    }
  }

  /// Throws an error if plain lines could not be verified.
  private func validatePlain() throws(UsageError) {
    if tag { throw UsageError("--plain and --tag exclude each other: a line has one form") }
    if Set(algorithms).count > 1 {
      throw UsageError("--plain takes one algorithm, since a plain line does not name its own")
    }
    if let other = algorithms.first(where: \.isAlwaysTagged) {
      throw UsageError(
        "--plain does not apply to \(other.name): xxhsum takes a plain line of that length for xxh64"
      )
    }
  }

  /// Runs on one shard of a plan.
  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    let shard = try ShardRun(
      shardOptions, verb: "hash", operands, commonOptions, resumes: shardOptions.resume)
    if try shard.isDone() { return }
    let options = try shard.processorOptions()
    let job = try withAlgorithms { () throws(Errno) in
      try HashJob(algorithms, format: manifestFormat, isZeroTerminated: zero, options: options)
    }
    try shard.run(job, FileReporter(console: shard.console, verb: "hash")) { source, deliver in
      try job.run([source], deliver: deliver)
    }
  }

  var algorithms: [DigestAlgorithm] {
    given.isEmpty ? [HashVerb.algorithmDefault] : given
  }

  var outputFormat: OutputFormat { format ?? HashVerb.formatDefault }

  /// True if `--format`, `--tag` or `--plain` is given.
  var isFormGiven: Bool { format != nil || tag || plain }

  var manifestFormat: ManifestFormat {
    switch outputFormat {
    case .json: .json
    case .mtree: .mtree
    case .text: tag ? .tagged : plain ? .plain : .text
    }
  }

  /// Makes a job that uses the algorithms.
  func withAlgorithms<Job>(_ make: () throws(Errno) -> Job) throws(FileError) -> Job {
    do throws(Errno) {
      return try make()
    } catch {
      let names = algorithms.map(\.name).joined(separator: ", ")
      let reason = error == .notSupported ? "this libcrypto does not offer it" : "\(error)"
      throw FileError(message: Array("cannot compute \(names): \(reason)".utf8))
    }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    Session.Summary(ending, listsLinks: manifestFormat == .mtree)
  }
}

extension HashVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let output = HashOutput(merge.console, outputFormat, isZeroTerminated: zero)
    try merge.run(deliversWholeTree: manifestFormat == .mtree) { batch in
      try output.write(batch)
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      summary(ending)
    }
  }
}
