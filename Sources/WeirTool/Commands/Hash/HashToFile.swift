// The run of `weir hash --output FILE`.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A run of `weir hash` whose manifest goes to a file, which appears when it is
/// complete.
struct HashToFile {
  private var request: HashVerb
  private let operands: Operands
  private let session: Session
  private let output: OutputFile
  private let input: FileInput
  private let sources: [FileSource]
  private let selection: ShardSelection?
  /// The working directory; empty if it was removed.
  private let directory: [UInt8]

  private var options: OutputOptions { request.outputOptions }
  private var console: Console { session.console }

  /// Throws an error if the options do not fit together.
  static func validate(_ request: HashVerb) throws(UsageError) {
    let options = request.outputOptions
    guard let name = options.output else {
      for (isGiven, fault) in [
        (request.shardOptions.resume, "--resume needs --output FILE"),
        (options.update, "--update needs --output FILE"),
        (options.acceptRot, "--accept-rot needs --output FILE"),
        (options.maxGone != nil, "--max-gone needs --output FILE"),
      ] where isGiven {
        throw UsageError(fault)
      }
      return
    }
    if name.bytes == Array("-".utf8) {
      throw UsageError("--output takes the name of a file; omit it for standard output")
    }
    if options.maxGone != nil && !options.update {
      throw UsageError("--max-gone needs --update, since nothing is compared without it")
    }
    if options.acceptRot && !options.update {
      throw UsageError("--accept-rot needs --update, since nothing is compared without it")
    }
    if request.outputFormat == .json {
      throw UsageError(
        "--output supports --format text and mtree only: the errors and the summary of "
          + "json are not recorded")
    }
    if request.sourceOptions.unordered {
      throw UsageError(
        "--output keeps the order of the files, which --resume relies on; omit --unordered")
    }
  }

  init(
    _ request: HashVerb, _ operands: Operands, _ session: Session, _ name: RawArgument,
    _ selection: ShardSelection?
  ) throws(FileError) {
    self.request = request
    self.operands = operands
    self.session = session
    self.selection = selection
    input = FileInput(
      operands, request.sourceOptions, request.walkOptions, request.commonOptions)
    do throws(Fault) {
      output = try OutputFile(name.bytes)
      if request.outputOptions.update && !request.isFormGiven {
        if try PreviousManifest.isMtree(output) { self.request.format = .mtree }
      }
    } catch {
      throw FileError(error)
    }
    if self.request.outputFormat == .mtree && request.zero {
      throw FileError(
        name,
        Refusal("is mtree(5), whose lines end in a newline; omit --zero, or add --format text"))
    }
    try HashToFile.checkInputs(of: operands, against: output)
    if request.outputOptions.update { try HashToFile.checkExistence(of: operands, output) }
    sources = try input.sources()
    directory = try HashToFile.currentDirectory()
  }

  /// Returns the working directory; nothing if it was removed. An unknown one would be taken for
  /// another argument by a run that resumes.
  private static func currentDirectory() throws(FileError) -> [UInt8] {
    if let path = workingDirectory() { return path }
    let error = Errno(rawValue: errno)
    if error == .noSuchFileOrDirectory { return [] }
    throw FileError(RawArgument("."), error)
  }

  /// Throws an error if a list is the output, or if nothing but the output would be
  /// read. Among other inputs, as the shell's `*` names it, the output is skipped, as in
  /// a walk.
  private static func checkInputs(
    of operands: Operands, against output: OutputFile
  ) throws(FileError) {
    let conflict = Refusal("is an input, and --output would replace it")
    var own: RawArgument?
    var others = 0
    for input in operands.inputs {
      switch input {
      case .list(let name, _):
        if isOutput(name, operands, output) { throw FileError(name, conflict) }
        others += 1
      case .path(let name):
        if isOutput(name, operands, output) { own = name } else { others += 1 }
      }
    }
    if let own, others == 0 { throw FileError(own, conflict) }
  }

  /// Throws an error if a PATH does not exist: an update would take all recorded files
  /// below a mistyped PATH for removed. The files of a list may come and go.
  private static func checkExistence(
    of operands: Operands, _ output: OutputFile
  ) throws(FileError) {
    for name in operands.names where operands.opened[name.bytes] == nil {
      do throws(Errno) {
        _ = try LongPath.status(name.bytes + [0], followsLinks: true)
      } catch {
        // The run reports all other errors.
        if !error.isMissing { continue }
        if isOutput(name, operands, output) { continue }
        throw FileError(
          name,
          Refusal("\(error); nothing was updated, omit it if it was removed for good"))
      }
    }
  }

  private static func isOutput(
    _ name: RawArgument, _ operands: Operands, _ output: OutputFile
  ) -> Bool {
    operands.opened[name.bytes].map { output.isOwn($0) }
      ?? (name.bytes != Array("-".utf8) && output.isOwn(name.bytes))
  }

  func run() throws {
    var previous = RecordJob.PreviousRecords(isInStep: header.hasPathsOnly)
    do throws(Fault) {
      previous.partial = try lock()
      if options.update {
        previous.manifest = try previousManifest(isResumed: previous.partial != nil)
      }
    } catch {
      throw FileError(error)
    }
    if let manifest = previous.manifest { try checkAlgorithms(of: manifest) }
    try checkLines(of: previous.manifest)
    let manifest = RecordManifest(
      request.algorithms, format: request.manifestFormat, isZeroTerminated: request.zero,
      version: WeirVersion.description)
    var changes: RecordChanges?
    do throws(Fault) {
      if options.update { changes = try RecordChanges(of: output) }
      try output.beginManifest(with: manifest.beginning(header))
    } catch {
      throw FileError(error)
    }
    let job = try makeJob(manifest, previous)
    if previous.partial == nil {
      // From here on the run can be resumed.
      do throws(Fault) {
        try output.begin(with: header.line)
      } catch {
        throw FileError(error)
      }
    }
    let delivery = RecordDelivery(
      output, manifest, manifest: previous.manifest, acceptsRot: options.acceptRot,
      changes: changes)
    let reporter = FileReporter(console: console, verb: "hash")
    session.resumption.with { $0 = resumption }
    var ending = session.perform(job, expected: input.expected) {
      try job.run(sources) { batch in
        try delivery.record(batch) { result in reporter.report(result) }
      }
    }
    if ending.isComplete { ending.failure = job.manifestFailure }
    try conclude(ending, delivery, changes)
  }

  // MARK: Start

  /// The arguments that the manifest depends on.
  private var header: RecordHeader {
    RecordHeader(version: WeirVersion.description, words: choices + filters + inputs)
  }

  private var choices: [RecordHeader.Word] {
    let walk = request.walkOptions
    var words = [
      RecordHeader.Word("directory", directory),
      RecordHeader.Word("algorithms", request.algorithms.map(\.name).joined(separator: ",").utf8),
      RecordHeader.Word("format", request.outputFormat.rawValue.utf8),
    ]
    let flags = [
      ("tag", request.tag), ("plain", request.plain), ("zero", request.zero),
      ("follow", walk.follow),
      ("one-file-system", walk.oneFileSystem), ("update", options.update),
      ("accept-rot", options.acceptRot),
    ]
    for (name, isGiven) in flags where isGiven { words.append(RecordHeader.Word(name, "yes".utf8)) }
    if let shard = request.shardOptions.shard {
      words.append(RecordHeader.Word("shard", shard.bytes))
    }
    if let depth = walk.maxDepth { words.append(RecordHeader.Word("max-depth", "\(depth)".utf8)) }
    return words
  }

  private var filters: [RecordHeader.Word] {
    operands.filters.map { RecordHeader.Word($0.name, $0.pattern) }
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

  private var keepsRecords: Bool { request.outputFormat == .text }

  /// Locks the output, and resumes an interrupted run. Returns its records; `nil` if this
  /// run has to begin a record.
  private func lock() throws(Fault) -> FileDescriptor? {
    guard try output.lock(keepsRecords: keepsRecords, keepsFormer: options.update) else {
      return nil
    }
    guard request.shardOptions.resume else { throw output.error(.unfinished) }
    // An incomplete first line was cut off before anything was recorded.
    guard let previous = try output.previousHeaderLine() else {
      guard try output.isPreviousHeaderCut() else { throw output.error(.notOurs) }
      return nil
    }
    guard let before = RecordHeader(line: previous) else { throw output.error(.notOurs) }
    let header = header
    let differences = header.differences(from: before)
    if !differences.isEmpty { throw output.error(.refused(OutputMessages.other(differences))) }
    // Merging the records of two runs may take long, and a signal meanwhile leaves both
    // intact.
    session.unblockSignals()
    defer { session.blockSignals() }
    return try output.resume(with: header.line, isInStep: header.hasPathsOnly)
  }

  /// Returns the manifest to bring up to date.
  private func previousManifest(isResumed: Bool) throws(Fault) -> PreviousManifest? {
    try PreviousManifest.find(output, header: header, request.algorithms, isResumed: isResumed)
  }

  /// Throws an error if an update would silently replace the digests of a manifest by those
  /// of the default algorithm.
  private func checkAlgorithms(of manifest: PreviousManifest) throws(FileError) {
    let recorded = manifest.firstAlgorithms
    guard request.given.isEmpty, !recorded.isEmpty, recorded != request.algorithms else {
      return
    }
    let names = recorded.map(\.name).joined(separator: ",")
    let own = request.algorithms.map(\.name).joined(separator: ",")
    throw FileError(
      RawArgument(bytes: output.path),
      Refusal("has digests of \(names); to keep them, add -a \(names); to replace them, -a \(own)"))
  }

  /// Throws an error if an update would drop lines that cannot be compared: their files would
  /// leave the manifest without a report.
  private func checkLines(of manifest: PreviousManifest?) throws(FileError) {
    guard options.update && !options.acceptRot else { return }
    let count = manifest?.uselessCount
    if count ?? 0 > 0 || count == nil && PreviousManifest.exists(output) {
      throw FileError(RawArgument(bytes: output.path), OutputMessages.incomparable(count))
    }
  }

  private func makeJob(
    _ manifest: RecordManifest, _ previous: RecordJob.PreviousRecords
  ) throws(FileError) -> RecordJob {
    var options = try input.processorOptions(session)
    return try request.withAlgorithms { () throws(Errno) in
      try output.withOwnFiles(besides: previous.manifest?.descriptor) { own throws(Errno) in
        options.excluded += own
        return try RecordJob(
          request.algorithms, manifest: manifest, previous: previous,
          acceptsRot: self.options.acceptRot, options: options, select: selection?.selector)
      }
    }
  }

  /// The message that names the records of an interrupted run, and the command that
  /// resumes it.
  private var resumption: Session.Resumption {
    Session.Resumption(
      text: QuotedName.bytes(of: output.partial)
        + Array(" has the records so far; to continue:".utf8),
      command: CommandText.ofProcess(
        adding: request.shardOptions.resume ? nil : ShardOptions.resumeName))
  }

  // MARK: End

  private func conclude(
    _ ending: Session.Ending, _ delivery: RecordDelivery, _ changes: RecordChanges?
  ) throws {
    var ending = ending
    var isReplaced = false
    do {
      if ending.isComplete {
        session.enter(.repeatable)
        try delivery.finish()
        try checkContents(delivery, ending)
        if let changes { try checkLosses(delivery, changes) }
        try output.finish(
          keepsRecords: keepsRecords, keepsFormer: options.update,
          willReplace: { session.enter(.replacing) })
        isReplaced = true
        session.resumption.with {
          $0 = Session.Resumption(
            text: QuotedName.bytes(of: output.path)
              + Array(" is complete, the rest of the output is not".utf8))
        }
        session.enter(.lastLines)
        if let changes {
          try changes.forEach { name, change in
            try console.write(OutputMessages.line(name, change))
          }
          let line = OutputMessages.summary(delivery.counts, acceptsRot: options.acceptRot)
          try console.write(Array("\(line)\n".utf8))
        }
      } else {
        session.enter(.replacing)
        try output.suspend()
      }
    } catch let error as Fault where isReplaced {
      console.report(FileError(error))
      ending.failure = ExitStatus.usage
    } catch {
      if ending.failure == nil { ending.failure = error }
    }
    session.enter(.lastLines)
    if let failure = ending.failure, !isReplaced {
      switch failure {
      case let error as Fault: console.report(FileError(error))
      case is ExitStatus: break
      default: console.report(failure)
      }
      if failure is Unwritten || (failure as? Fault)?.reason == .unreadableLine {
        try? output.discard()
      } else {
        console.report(paragraph: resumption.text, command: resumption.command)
      }
      ending.failure = (failure as? Unwritten)?.status ?? failure as? ExitStatus ?? .usage
    }
    let hasRot = delivery.counts.changes[.rot, default: 0] > 0 && !options.acceptRot
    try session.conclude(ending) { ending in
      var summary = request.summary(ending)
      if hasRot { summary.status = .difference }
      return summary
    }
  }

  /// The reason for which a complete run does not replace the output.
  private struct Unwritten: Error, CustomStringConvertible {
    let description: String
    let status: ExitStatus
  }

  /// Throws `Unwritten` rather than dropping all files of a list that could not be read;
  /// replacing an output that has files by one that has none, because nothing could be read; or
  /// if a PATH is empty that had files: a file system that is not mounted, perhaps.
  private func checkContents(_ delivery: RecordDelivery, _ ending: Session.Ending) throws {
    let name = text(output.path)
    for case .list(let list, _) in operands.inputs where delivery.isUnreadable(list: list.bytes) {
      throw Unwritten(
        description:
          "\(text(list.bytes)): is a list that could not be read to its end; \(name) is left "
          + "unchanged",
        status: .usage)
    }
    if PreviousManifest.exists(output) && delivery.isEmpty && ending.statistics.failed > 0 {
      throw Unwritten(
        description: "\(name): is left unchanged, since nothing could be read", status: .unreadable)
    }
    guard options.update, let emptied = delivery.emptied,
      operands.inputs.indices.contains(emptied.source),
      case .path(let path) = operands.inputs[emptied.source]
    else { return }
    let files = Quantities.count(emptied.files, "file", "files")
    throw Unwritten(
      description:
        "\(text(path.bytes)): nothing was found in it, and \(name) has \(files) below it; "
        + "\(name) is left unchanged; mount what is missing, or omit \(text(path.bytes)) or --update",
      status: .usage)
  }

  /// Throws `Unwritten` rather than dropping more records than `--max-gone` permits, or one
  /// whose file is still there, or all digests because they are taken for another algorithm's.
  private func checkLosses(_ delivery: RecordDelivery, _ changes: RecordChanges) throws {
    let name = text(output.path)
    let counts = delivery.counts
    let gone = counts.changes[.gone, default: 0]
    let limit = options.maxGone ?? .usual
    if limit.isExceeded(by: gone, of: counts.former) {
      throw Unwritten(
        description: "\(name): is left unchanged, since \(Quantities.count(gone)) of its "
          + "\(Quantities.count(counts.former, "file", "files")) would be gone, more than --max-gone "
          + "\(limit); mount what is missing, name the PATHs as before, or add --max-gone 100%",
        status: .usage)
    }
    if options.acceptRot { return }
    let algorithms = delivery.mistakenAlgorithms.map(\.name).joined(separator: " or ")
    if !algorithms.isEmpty {
      throw Unwritten(
        description:
          "\(name): is left unchanged, since no file has its digest by \(algorithms); name the "
          + "algorithm with -a, or add --accept-rot to replace all digests",
        status: .usage)
    }
    guard let loss = try changes.firstLoss() else { return }
    let reason =
      loss.new.map { "is the file \(text($0)), and would be gone and new" }
      ?? loss.failure.map {
        "is rotten and cannot be examined (\($0)), and its record would be gone"
      }
      ?? "is rotten, and its record would be gone, although the file is there"
    throw Unwritten(
      description: "\(text(loss.gone)): \(reason); \(name) is left unchanged; name the PATHs as "
        + "before, or add --accept-rot",
      status: .usage)
  }

  private func text(_ name: [UInt8]) -> String {
    String(decoding: QuotedName.bytes(of: name), as: UTF8.self)
  }
}
