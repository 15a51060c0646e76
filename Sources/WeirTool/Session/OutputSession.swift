// weir hash --output.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// A run whose manifest goes to a file, which appears when it is whole.
struct OutputSession {
  private let command: HashCommand
  private let operands: Operands
  private let session: Session
  private let output: OutputFile
  private let plan: StoragePlan
  private let sources: [FileSource]

  private var options: OutputOptions { command.outputOptions }
  private var console: Console { session.console }

  /// - Throws: What is wrong with the options.
  static func check(_ command: HashCommand) throws(UsageError) {
    let options = command.outputOptions
    guard let name = options.output else {
      for (isGiven, option) in [
        (options.resume, "--resume"), (options.update, "--update"),
        (options.acceptRot, "--accept-rot"),
      ] where isGiven {
        throw UsageError("\(option) is for --output FILE, and there is none")
      }
      return
    }
    if name.bytes == Array("-".utf8) {
      throw UsageError("--output takes the name of a file; standard output needs no option")
    }
    if options.acceptRot && !options.update {
      throw UsageError("--accept-rot is for --update, without which nothing is compared")
    }
    if command.outputFormat == .json {
      throw UsageError(
        "--output is for --format text and mtree: errors and the summary, which json has, "
          + "are not recorded")
    }
    if command.sourceOptions.unordered {
      throw UsageError(
        "--output keeps the order of the files, by which --resume finds them; "
          + "leave --unordered away")
    }
  }

  init(_ command: HashCommand, _ operands: Operands, _ session: Session, _ name: RawArgument)
    throws
  {
    self.command = command
    self.operands = operands
    self.session = session
    plan = StoragePlan(operands, jobs: command.runOptions.jobs)
    do throws(OutputError) {
      output = try OutputFile(name.bytes)
    } catch {
      throw OutputSession.failure(error, session)
    }
    do throws(FileError) {
      try OutputSession.expectNone(of: operands, in: output)
      if command.outputOptions.update { try OutputSession.expectAll(of: operands, in: output) }
      sources = try operands.sources(plan)
    } catch {
      session.console.say(error.message)
      throw ExitStatus.usage
    }
  }

  /// Throws where nothing is named to be read but the output, or what is beside
  /// it, and where one of those is a list. Among others, as `*` names them, they
  /// are passed over, as in a walk.
  private static func expectNone(
    of operands: Operands, in output: OutputFile
  ) throws(FileError) {
    var own: RawArgument?
    var others = 0
    for input in operands.inputs {
      switch input {
      case .list(let name, _):
        if isOwn(name, operands, output) { throw FileError(name, IsInput()) }
        others += 1
      case .path(let name):
        if isOwn(name, operands, output) { own = name } else { others += 1 }
      }
    }
    if let own, others == 0 { throw FileError(own, IsInput()) }
  }

  /// Throws where a PATH is not there: an update would take all that is recorded below
  /// it for gone, and it may have been mistyped. What a list names may come and go.
  private static func expectAll(
    of operands: Operands, in output: OutputFile
  ) throws(FileError) {
    for name in operands.names where operands.opened[name.bytes] == nil {
      do throws(Errno) {
        _ = try LongPath.status(name.bytes + [0], followsLinks: true)
      } catch {
        // Of what else it is the run speaks.
        guard error == .noSuchFileOrDirectory || error == .notDirectory else { continue }
        if !isOwn(name, operands, output) { throw FileError(name, IsMissing(error: error)) }
      }
    }
  }

  private struct IsMissing: Error, CustomStringConvertible {
    let error: Errno
    var description: String {
      "\(error), and --update replaces nothing; if it is gone for good, leave it out"
    }
  }

  private static func isOwn(
    _ name: RawArgument, _ operands: Operands, _ output: OutputFile
  ) -> Bool {
    operands.opened[name.bytes].map { output.isOwn($0) }
      ?? (name.bytes != Array("-".utf8) && output.isOwn(name.bytes))
  }

  private struct IsInput: Error, CustomStringConvertible {
    let description = "is to be read, and --output would replace it"
  }

  private static func failure(_ trouble: OutputError, _ session: Session) -> ExitStatus {
    session.console.say(OutputReport.message(trouble))
    return .usage
  }

  func run() throws {
    // Where there is a limit to the size of files, that is an error like another.
    signal(SIGXFSZ, SIG_IGN)
    var previous = RecordJob.PreviousRecords(sourceCount: sources.count, isOrdered: isOrdered)
    do throws(OutputError) {
      previous.partial = try begin()
      if options.update { previous.manifest = try previousManifest() }
    } catch {
      throw OutputSession.failure(error, session)
    }
    if options.update && previous.manifest == nil { sayThatAllIsRead() }
    let job = try makeJob(previous)
    let delivery = RecordDelivery(
      output, manifest: previous.manifest, acceptsRot: options.acceptRot
    ) { [console] name, change in
      try console.write(OutputReport.line(name, change))
    }
    let report = FileReport(console: console, verb: "hash")
    session.resumption.with { $0 = resumption }
    let ending = session.run(
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) }
    ) {
      try job.run(sources) { batch in
        try delivery.record(batch) { result in report.tell(result) }
      }
    }
    try conclude(job.statistics, ending, delivery)
  }

  // MARK: Beginning

  /// What decides about the manifest.
  private var header: RecordHeader {
    RecordHeader(version: WeirVersion.description, words: choices + filters + inputs)
  }

  private var choices: [RecordHeader.Word] {
    let walk = command.sourceOptions.walk
    var words = [
      RecordHeader.Word("directory", OutputSession.workingDirectory),
      RecordHeader.Word("algorithms", command.algorithms.map(\.name).joined(separator: ",").utf8),
      RecordHeader.Word("format", command.outputFormat.rawValue.utf8),
    ]
    let flags = [
      ("tag", command.tag), ("zero", command.zero), ("follow", walk.follow),
      ("one-file-system", walk.oneFileSystem), ("update", options.update),
      ("accept-rot", options.acceptRot),
    ]
    for (name, isGiven) in flags where isGiven { words.append(RecordHeader.Word(name, "yes".utf8)) }
    if let depth = walk.maxDepth { words.append(RecordHeader.Word("max-depth", "\(depth)".utf8)) }
    return words
  }

  private var filters: [RecordHeader.Word] {
    operands.filters.map { RecordHeader.Word($0.isInclude ? "include" : "exclude", $0.pattern) }
  }

  private var inputs: [RecordHeader.Word] {
    operands.inputs.map { input in
      switch input {
      case .path(let name): RecordHeader.Word("path", name.bytes)
      case .list(let name, let separator):
        RecordHeader.Word(separator == 0 ? "files0-from" : "files-from", name.bytes)
      }
    }
  }

  private static var workingDirectory: [UInt8] {
    guard let path = getcwd(nil, 0) else { return [] }
    defer { free(path) }
    return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// Whether what a source gives is sorted.
  private var isOrdered: @Sendable (Int) -> Bool {
    let paths = operands.inputs.map { input in
      if case .path = input { true } else { false }
    }
    return { paths.indices.contains($0) && paths[$0] }
  }

  private var keepsRecords: Bool { command.outputFormat == .text }

  /// Takes the place of the output. Returns what a run before has recorded.
  private func begin() throws(OutputError) -> FileDescriptor? {
    let header = header
    let line = header.line
    guard try output.lock(keepsRecords: keepsRecords) else {
      try output.begin(with: line)
      return nil
    }
    guard options.resume else { throw output.error(.unfinished) }
    // One that is not whole was cut off before there was anything to record.
    guard let previous = try output.previousHeaderLine() else {
      guard try output.isPreviousHeaderCut() else { throw output.error(.notOurs) }
      try output.begin(with: line)
      return nil
    }
    guard let before = RecordHeader(line: previous) else { throw output.error(.notOurs) }
    let differences = header.differences(from: before)
    if !differences.isEmpty { throw output.error(.differentArguments(differences)) }
    // What two runs have recorded may take a while to be put together, and whatever
    // ends that leaves both.
    session.letSignalsEnd()
    defer { session.keepSignals() }
    return try output.resume(with: line, isOrdered: isOrdered)
  }

  /// The manifest to bring up to date.
  private func previousManifest() throws(OutputError) -> PreviousManifest? {
    let manifest = try PreviousManifest.find(output, header: header, command.algorithms)
    if let count = manifest?.uselessCount, count > 0 {
      console.say(OutputReport.useless(count, of: output.path))
    }
    return manifest
  }

  /// A manifest that is made for the first time needs no word.
  private func sayThatAllIsRead() {
    guard PreviousManifest.exists(output) else { return }
    console.say(
      QuotedName.bytes(of: output.path)
        + Array(": nothing in it can be compared: everything is read, and replaces it".utf8))
  }

  private func makeJob(_ previous: RecordJob.PreviousRecords) throws -> RecordJob {
    var options = session.processorOptions
    command.sourceOptions.apply(to: &options, operands)
    session.suit(&options, to: plan)
    return try command.makingJob(console) { () throws(Errno) in
      try output.withOwnFiles { own throws(Errno) in
        options.excluded += own
        return try RecordJob(
          command.algorithms, previous: previous, acceptsRot: self.options.acceptRot,
          options: options)
      }
    }
  }

  /// What to type to go on.
  private var resumption: [UInt8] {
    QuotedName.bytes(of: output.partial)
      + Array(" has what was recorded; to go on, say: ".utf8)
      + OutputReport.commandLine(adding: options.resume ? nil : "--resume")
  }

  /// What there is to say of one that stands still behind that.
  private var isWritten: [UInt8] {
    QuotedName.bytes(of: output.path) + Array(" is written, the rest is not".utf8)
  }

  // MARK: Ending

  private func conclude(
    _ statistics: FileStatistics, _ ending: Session.Ending, _ delivery: RecordDelivery
  ) throws {
    var ending = ending
    var isThere = false
    do {
      if ending.isComplete {
        session.enter(.repeatable)
        try delivery.finish()
        try output.finish(
          keepsRecords: keepsRecords, willReplace: { session.enter(.replacing) },
          export.convert)
        isThere = true
        session.resumption.with { $0 = isWritten }
        session.enter(.lastLines)
        if options.update { try sayWhatWasDone(delivery) }
      } else {
        session.enter(.replacing)
        try output.suspend()
      }
    } catch {
      ending = Session.Ending(
        seconds: ending.seconds, failure: ending.failure ?? error, signal: ending.signal)
    }
    session.enter(.lastLines)
    if let failure = ending.failure, !isThere {
      switch failure {
      case let trouble as OutputError: console.say(OutputReport.message(trouble))
      case let trouble as FileError: console.say(trouble.message)
      case is ExitStatus: break
      default: console.say("\(failure)")
      }
      console.say(resumption)
      ending = Session.Ending(
        seconds: ending.seconds, failure: failure as? ExitStatus ?? .usage,
        signal: ending.signal)
    }
    let hasRot = delivery.counts.changes[.rot, default: 0] > 0 && !options.acceptRot
    try session.conclude(
      ending, statistics,
      closing: { ending in
        var closing = command.closing(statistics, ending)
        if hasRot { closing.status = .difference }
        return closing
      })
  }

  private func sayWhatWasDone(_ delivery: RecordDelivery) throws {
    let line = OutputReport.summary(delivery.counts, acceptsRot: options.acceptRot)
    try console.write(Array("\(line)\n".utf8))
  }

  private var export: RecordExport {
    RecordExport(
      command.algorithms, format: command.format, isZeroTerminated: command.zero,
      version: WeirVersion.description, hasSources: sources.count > 1)
  }
}
