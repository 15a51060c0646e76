internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A run on one shard: the plan, the attempt at the part, and the session.
///
///     let shard = try ShardRun(request.shardOptions, verb: "hash", ...)
///     if try shard.isDone() { return }
///     let job = ... with shard.processorOptions ...
///     try shard.run(job, reporter) { source, deliver in
///       try job.run([source], deliver: deliver)
///     }
///
/// The part gets a record for each file, with the result as the processor has delivered it.
/// Nothing is written to standard output.
final class ShardRun: Sendable {
  let session: Session
  let choice: ShardChoice
  let plan: PlanHeader
  let writer: PartWriter?
  let feed: ShardFeed
  private let part: PartFile
  private let header: PartHeader
  /// The number of cores of this task; `nil` if only the process's limits are known.
  private let cores: Int?
  private let isFixedWidth: Bool
  /// True if the exit status is 0 once the part is written.
  private let exitsZero: Bool
  /// The command that continues the run.
  private let resumption: [UInt8]

  /// The absolute name of the plan, which stays valid in the directory of the plan.
  let planPath: [UInt8]

  var console: Console { session.console }

  private let firstName: RawArgument?

  /// Opens the plan and finds the shard, prints the line on the shard, enters the directory of
  /// the plan and begins or continues the part. It reads no file of the set.
  ///
  /// - Parameters:
  ///   - words: The words that decide on the results, besides the options.
  ///   - resumes: True to continue the part of an attempt that did not end.
  ///   - strategy: The strategy that the plan must have; `nil` for any.
  init(
    _ options: ShardOptions, verb: String, _ operands: Operands, _ common: CommonOptions,
    words: [[UInt8]] = [], resumes: Bool, strategy: ShardStrategy? = nil
  ) throws {
    guard let planName = options.plan, let argument = options.shard, let out = options.out else {
      throw UsageError(
        options.shard == nil ? "--plan needs --shard K/N" : "--plan needs --out DIR")
    }
    let environment = Launcher.environment()
    var common = common
    isFixedWidth = common.jobs != nil
    exitsZero = options.exitZero
    let given = Launcher(shards: nil, environment: environment).cores
    cores = common.jobs ?? given.map { min($0, Lanes.widthMax) }
    common.jobs = cores
    session = try Session(common, verb: verb, inputs: [planName] + operands.allNames)
    let reader = try PlanReader(planName.bytes)
    plan = reader.header
    if let strategy, plan.strategy != strategy {
      throw UsageError(
        "\(verb) needs a plan by \(strategy.rawValue), and this one is by "
          + "\(plan.strategy.rawValue); use weir plan --by \(strategy.rawValue)")
    }
    choice = try Launcher(
      shards: plan.shards, environment: environment, host: HostName.current
    ).choose(argument.text)
    part = PartFile(
      in: try ShardRun.directory(out), shard: choice.index, of: plan.shards)
    header = PartHeader(
      plan: plan.id, shard: choice.index, shards: plan.shards, verb: verb,
      words: PartWords.options(operands, of: verb) + words, engine: choice.words,
      attempt: choice.attempt)
    planPath = realPath(planName.bytes) ?? planName.bytes
    let samples = try ShardRun.prove(planName)
    firstName = samples.first
    if common.directory == nil { try ShardRun.enter(plan.root) }
    let files = Quantities.count(plan.shardFiles[choice.index], "file", "files")
    let bytes = Quantities.bytes(Double(plan.shardBytes[choice.index]))
    session.console.report(
      "shard \(choice.index)/\(plan.shards) (\(choice.words)), \(files), \(bytes)")
    let isDone = try ShardRun.isDone(part, header)
    try ShardRun.expectSameCommand(header, part)
    if !isDone { try ShardRun.expectFiles(samples) }
    writer = isDone ? nil : try PartWriter(part, header, resumes: resumes)
    feed = ShardFeed(
      reader, shard: choice.index, skipping: writer?.totals.items ?? 0,
      expectsUnchanged: !options.allowChanged)
    let command = CommandText.ofProcess(adding: resumes ? nil : ShardOptions.resumeName)
    resumption = command
    session.resumption = Session.Resumption(
      "the results up to the first unfinished file are kept; to continue:", command: command)
  }

  // MARK: The beginning

  /// The number of files that are looked for before a shard begins.
  private static let samplesMax = 100
  /// The number of files that may all have been removed.
  private static let samplesLeast = 10

  /// Reads a plan to its end, which proves it, before anything is done for it. Returns the names
  /// of its first files.
  private static func prove(_ plan: RawArgument) throws(Fault) -> [RawArgument] {
    var samples: [RawArgument] = []
    let reader = try PlanReader(plan.bytes)
    while let record = try reader.next() {
      if record.kind == .file && samples.count < samplesMax {
        samples.append(RawArgument(bytes: Array(record.path)))
      }
    }
    return samples
  }

  /// Throws an error if none of the first files is here. A node without the file system would
  /// otherwise be the fastest of all, and end one shard after the other without a file.
  private static func expectFiles(_ samples: [RawArgument]) throws(FileError) {
    if samples.count < samplesLeast { return }
    if samples.contains(where: { stat.of($0.bytes) != nil }) { return }
    throw FileError(
      """
      none of the first \(samples.count) files of the plan is here, not even \(samples[0]); \
      mount their file system, or use -C DIR
      """)
  }

  /// Makes the directory of the parts, unless it exists. Returns its absolute path, which stays
  /// valid in the directory of the plan.
  private static func directory(_ name: RawArgument) throws(FileError) -> [UInt8] {
    let status = withPath(name.bytes) { mkdir($0, 0o777) == 0 ? 0 : errno }
    if status != 0 && status != EEXIST { throw FileError(name, Errno(rawValue: status)) }
    guard let resolved = realPath(name.bytes) else {
      throw FileError(name, Errno(rawValue: errno))
    }
    return resolved
  }

  private static func enter(_ root: [UInt8]) throws(FileError) {
    if withPath(root, { chdir($0) }) != 0 {
      throw FileError(
        "\(root): \(Errno(rawValue: errno)); the plan begins there; use -C DIR")
    }
  }

  /// Returns true if the part exists. Throws an error if it is the part of something else.
  private static func isDone(_ part: PartFile, _ header: PartHeader) throws(Fault) -> Bool {
    do throws(Fault) {
      let found = try PartReader.glance(at: part.path)
      try found.header.expect(header, of: part.path)
      return true
    } catch {
      if case .system(.noSuchFileOrDirectory) = error.reason { return false }
      throw error
    }
  }

  /// Throws an error if the parts that are there were made by another command: that would be found
  /// only at the merge.
  private static func expectSameCommand(
    _ header: PartHeader, _ part: PartFile
  ) throws(Fault) {
    let directory = try PartDirectory(part.directory, shards: part.shards)
    guard let other = directory.firstDone, var found = try? PartReader(other.path).header,
      found.plan == header.plan
    else { return }
    found.shard = header.shard
    try found.expect(header, of: other.path)
  }

  func isDone() throws -> Bool {
    guard writer == nil else { return false }
    console.report("shard \(choice.index)/\(plan.shards) is done already")
    // An attempt that was killed after it became the part leaves the files of the others.
    part.removeAttempts()
    let totals = try PartReader.glance(at: part.path).totals
    if let status = status(totals) { throw status }
    return true
  }

  private func status(_ totals: PartTotals) -> ExitStatus? {
    exitsZero
      ? nil : totals.differences > 0 ? .difference : totals.unreadable > 0 ? .unreadable : nil
  }

  // MARK: The run

  /// Returns the options for the processor. All files count as on the storage of the first.
  func processorOptions() throws(FileError) -> FileProcessorOptions {
    var options = session.processorOptions
    // Every item has a record, also one that is the log of this process.
    options.excluded = []
    options.expectsPlannedFiles = true
    let names = firstName.map { [$0] } ?? []
    let jobs = isFixedWidth ? cores : nil
    let storage = StoragePlan(names, includesHere: names.isEmpty, jobs: jobs)
    try session.apply(storage, to: &options)
    if let firstName { options.storage = storage.storage(of: firstName)?.forReading }
    // The cores of the task bound the number of readers, except while these wait for a storage.
    if let cores, !isFixedWidth { options.jobs = min(options.jobs ?? cores, cores) }
    return options
  }

  func run(
    _ job: any FileJob, _ reporter: FileReporter,
    verdict: @escaping @Sendable (FileResult) -> PartVerdict = { PartVerdict($0) },
    body: (FileSource, @escaping @Sendable (borrowing FileBatch) throws -> Void) throws -> Void
  ) throws {
    try run(job) { writer in
      try body(feed.source) { batch in
        var record: [UInt8] = []
        for index in 0..<batch.count {
          let result = batch[index]
          record.removeAll(keepingCapacity: true)
          result.append(to: &record)
          try writer.append(
            record, items: 1, nameCheck: NameHash.check(result.path), verdict(result))
          reporter.report(result)
        }
        try writer.flush()
      }
    }
  }

  /// Runs a job that appends its records itself.
  ///
  /// - Parameters:
  ///   - isCut: As of `Session.run`.
  ///   - isHalted: True if the job has ended early by itself. The shard is then not done.
  ///   - summary: Returns the report on the run, except its status.
  func run(
    _ job: any FileJob, wording: ProgressWording = .files, isCut: () -> Bool = { false },
    isHalted: () -> Bool = { false },
    summary: (Session.Ending) -> Session.Summary = { Session.Summary($0) },
    work: (PartWriter) throws -> Void
  ) throws {
    guard let writer else { return }
    let amount = WorkAmount(
      files: plan.shardFiles[choice.index], bytes: plan.shardBytes[choice.index])
    let ending = session.perform(
      job, wording: wording, expected: ExpectedWork(amount), isCut: isCut
    ) {
      try work(writer)
    }
    try session.conclude(ending) { ending in
      try finish(writer, ending, isHalted: isHalted())
    } summary: { ending in
      var summary = summary(ending)
      summary.status = isHalted() ? .difference : status(writer.totals)
      return summary
    }
  }

  private func finish(
    _ writer: PartWriter, _ ending: Session.Ending, isHalted: Bool
  ) throws {
    if let failure = feed.failure {
      writer.discard()
      throw failure
    }
    guard ending.isComplete, !isHalted else {
      writer.abandon()
      if isHalted {
        console.report(
          paragraph: "shard \(choice.index)/\(plan.shards) is not done; to continue:",
          command: resumption)
      }
      return
    }
    if try writer.finish() == .late {
      console.report(
        "shard \(choice.index)/\(plan.shards): another attempt was first; this one is dropped")
    }
  }
}
