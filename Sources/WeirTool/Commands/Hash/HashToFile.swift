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
  /// True if the changes are reported as JSON.
  private let reportsJSON: Bool
  /// The working directory; empty if it is unknown.
  private let directory: [UInt8]

  private var options: OutputOptions { request.outputOptions }
  private var console: Console { session.console }

  /// Throws an error if the options do not fit together.
  static func validate(_ request: HashVerb) throws(UsageError) {
    let options = request.outputOptions
    if request.bagit != nil { return }
    guard let name = options.output else {
      for (isGiven, fault) in [
        (request.shardOptions.resume, "--resume needs --output FILE"),
        (options.update, "--update needs --output FILE"),
        (options.dryRun, "--dry-run needs --output FILE"),
        (options.quiet, "--quiet needs --output FILE"),
        (options.acceptRot, "--accept-rot needs --output FILE"),
        (options.maxGone != nil, "--max-gone needs --output FILE"),
      ] where isGiven {
        throw UsageError("\(fault)")
      }
      return
    }
    if name.bytes == Array("-".utf8) {
      throw UsageError("--output takes the name of a file; omit it for standard output")
    }
    for (isGiven, fault) in [
      (options.maxGone != nil, "--max-gone needs --update"),
      (options.acceptRot, "--accept-rot needs --update"),
      (options.dryRun, "--dry-run needs --update"),
      (options.quiet, "--quiet needs --update"),
    ] where isGiven && !options.update {
      throw UsageError("\(fault), since nothing is compared without it")
    }
    if options.dryRun && request.shardOptions.resume {
      throw UsageError("--dry-run and --resume exclude each other: the first writes nothing")
    }
    if request.outputFormat == .json && !options.update {
      throw UsageError(
        "--output supports --format text and mtree only, and json with --update: the errors and the "
          + "summary of json are not recorded")
    }
    if request.sourceOptions.unordered {
      throw UsageError(
        "--output keeps the order of the files, which --resume relies on; omit --unordered")
    }
  }

  init(
    _ request: HashVerb, _ operands: Operands, _ session: Session, _ name: RawArgument,
    _ selection: ShardSelection?
  ) throws {
    self.request = request
    self.operands = operands
    self.session = session
    self.selection = selection
    input = FileInput(
      operands, request.sourceOptions, request.walkOptions, request.commonOptions)
    output = try OutputFile(name.bytes)
    reportsJSON = request.outputFormat == .json
    if reportsJSON { self.request.format = nil }
    if request.outputOptions.update && !self.request.isFormGiven {
      if try PreviousManifest.isMtree(output) { self.request.format = .mtree }
    }
    if self.request.outputFormat == .mtree && request.zero {
      throw FileError(
        "\(name): is mtree(5), whose lines end in a newline; omit --zero, or add --format text")
    }
    try operands.expectInputs { [output] in HashToFile.isOutput($0, operands, output) }
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
          "\(name): \(error); nothing was updated, omit it if it was removed for good")
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
    previous.partial = try lock()
    defer {
      previous.moves?.close()
      previous.manifest?.close()
    }
    if options.update {
      previous.manifest = try PreviousManifest.find(
        output, header: header, request.algorithms, isResumed: previous.partial != nil)
    }
    if let manifest = previous.manifest { try checkAlgorithms(of: manifest) }
    try checkLines(of: previous.manifest)
    previous.moves = try previous.manifest.flatMap { manifest throws(Fault) in
      manifest.isText
        ? nil : try MoveSearch(of: output, manifest, followsLinks: request.walkOptions.follow)
    }
    let manifest = RecordManifest(
      request.algorithms, format: request.manifestFormat, isZeroTerminated: request.zero,
      version: WeirVersion.description)
    let changes =
      options.update ? try RecordChanges(of: output, manifest: previous.manifest) : nil
    if !options.dryRun { try output.beginManifest(with: manifest.beginning(header)) }
    let job = try makeJob(manifest, previous)
    // From here on the run can be resumed.
    if previous.partial == nil && !options.dryRun { try output.begin(with: header.line) }
    let delivery = RecordDelivery(
      options.dryRun ? nil : output, manifest, manifest: previous.manifest,
      acceptsRot: options.acceptRot, changes: changes)
    let reporter = FileReporter(console: console, verb: "hash")
    if !options.dryRun { session.resumption.with { $0 = resumption } }
    var ending = session.perform(job, expected: input.expected) {
      try job.run(sources) { batch in
        try delivery.record(batch) { result, error in
          reporter.report(result)
          if let error { console.report(error) }
        }
      }
    }
    ending.statistics.files -= delivery.counts.unreadable
    ending.statistics.unread -= delivery.counts.copies
    ending.statistics.bytes += delivery.counts.copyBytes
    ending.statistics.failed += delivery.counts.unreadable
    if ending.isComplete { ending.failure = job.manifestFailure ?? previous.moves?.failure }
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
    // An update says itself what it cannot compare.
    if !options.update { try output.expectManifest() }
    if options.dryRun {
      try output.check(keepsRecords: keepsRecords, keepsFormer: true)
      if try output.isUnfinished { throw output.error(.unfinished) }
      return nil
    }
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
    session.signals.unblock()
    defer { session.signals.block() }
    return try output.resume(with: header.line, isInStep: header.hasPathsOnly)
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
      """
      \(output.path): has digests of \(names); to keep them, add -a \(names); \
      to replace them, -a \(own)
      """)
  }

  /// Throws an error if an update would drop lines that cannot be compared: their files would
  /// leave the manifest without a report.
  private func checkLines(of manifest: PreviousManifest?) throws(FileError) {
    guard options.update && !options.acceptRot else { return }
    let count = manifest?.uselessCount
    if count ?? 0 > 0 || count == nil && PreviousManifest.exists(output) {
      let lines = count.map { "\(Quantities.count($0, "line", "lines")) cannot" } ?? "no line can"
      throw FileError(
        """
        \(output.path): is left unchanged, since \(lines) be compared; mend them, \
        or add --accept-rot to replace them
        """)
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
      "\(output.partial) has the records so far; to continue:",
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
        if !options.dryRun {
          try output.finish(
            keepsRecords: keepsRecords, keepsFormer: options.update,
            willReplace: { session.enter(.replacing) })
          session.report?.add(manifest: output.path)
          session.resumption.with { [output] in
            $0 = Session.Resumption("\(output.path) is complete, the rest of the output is not")
          }
        }
        isReplaced = true
        session.enter(.lastLines)
        if let changes { try report(changes, delivery.counts, ending) }
      } else if !options.dryRun {
        session.enter(.replacing)
        try output.suspend()
      }
    } catch {
      if ending.failure == nil || isReplaced { ending.failure = error }
    }
    session.enter(.lastLines)
    if let failure = ending.failure, !isReplaced {
      if !(failure is ExitStatus) {
        console.report(failure)
        ending.message = Message(failure)
      }
      if options.dryRun {
      } else if failure is Unwritten || (failure as? Fault)?.reason == .unreadableLine {
        try? output.discard()
      } else {
        console.report(paragraph: resumption.text, command: resumption.command)
      }
      ending.failure = (failure as? Unwritten)?.status ?? failure as? ExitStatus ?? .usage
    }
    let counts = delivery.counts
    let hasRot = counts.rotten > 0 && !options.acceptRot
    try session.conclude(ending) { ending in
      var summary = Session.Summary(ending, listsLinks: request.outputFormat == .mtree)
      if hasRot { summary.status = .difference }
      if options.update { summary.counts = counts.byKind }
      if hasRot && options.quiet { summary.remark = counts.summary(acceptsRot: false) }
      return summary
    }
  }

  /// Reports the changes of an update, which has replaced the output.
  private func report(
    _ changes: RecordChanges, _ counts: RecordDelivery.Counts, _ ending: Session.Ending
  ) throws {
    try changes.forEach { name, change, former in
      if options.quiet && (options.acceptRot || !change.isRot) { return }
      try console.write(reportsJSON ? change.object(name, former) : change.line(name, former))
    }
    if reportsJSON {
      try console.write(counts.object(ending, isDryRun: options.dryRun))
    } else if !options.quiet {
      try console.write(Array("\(counts.summary(acceptsRot: options.acceptRot))\n".utf8))
    }
  }

  /// The reason for which a complete run does not replace the output.
  private struct Unwritten: ReportedError {
    let text: Message
    let status: ExitStatus

    init(_ text: Message, _ status: ExitStatus = .usage) {
      (self.text, self.status) = (text, status)
    }
  }

  /// Throws `Unwritten` rather than dropping all files of a list that could not be read;
  /// replacing an output that has files by one that has none, because nothing could be read; or
  /// if a PATH is empty that had files: a file system that is not mounted, perhaps.
  private func checkContents(_ delivery: RecordDelivery, _ ending: Session.Ending) throws {
    let name = output.path
    for case .list(let list, _) in operands.inputs where delivery.isUnreadable(list: list.bytes) {
      throw Unwritten(
        "\(list): is a list that could not be read to its end; \(name) is left unchanged")
    }
    if PreviousManifest.exists(output) && delivery.isEmpty && ending.statistics.failed > 0 {
      throw Unwritten("\(name): is left unchanged, since nothing could be read", .unreadable)
    }
    guard options.update, let emptied = delivery.emptied,
      operands.inputs.indices.contains(emptied.source),
      case .path(let path) = operands.inputs[emptied.source]
    else { return }
    let files = Quantities.count(emptied.files, "file", "files")
    throw Unwritten(
      """
      \(path): nothing was found in it, and \(name) has \(files) below it; \(name) is left \
      unchanged; mount what is missing, or omit \(path) or --update
      """)
  }

  /// Throws `Unwritten` rather than dropping more records than `--max-gone` permits, or one
  /// whose file is still there, or all digests because they are taken for another algorithm's.
  private func checkLosses(_ delivery: RecordDelivery, _ changes: RecordChanges) throws {
    let name = output.path
    let counts = delivery.counts
    let gone = counts.changes[.gone, default: 0] + counts.changes[.linked, default: 0]
    let refusal = (options.maxGone ?? .usual).refusal(
      name, gone: gone, of: counts.former,
      advice: "mount what is missing, name the PATHs as before")
    if let refusal { throw Unwritten(refusal) }
    if let mistaken = delivery.mistaken {
      throw Unwritten(
        """
        \(mistaken): has the last component, the size and the time of a file that has moved, and other \
        content; \(name) is left unchanged; touch it, or add --accept-rot
        """)
    }
    if options.acceptRot { return }
    let algorithms = delivery.mistakenAlgorithms.map(\.name).joined(separator: " or ")
    if !algorithms.isEmpty {
      throw Unwritten(
        """
        \(name): is left unchanged, since no file has its digest by \(algorithms); name the \
        algorithm with -a, or add --accept-rot to replace all digests
        """)
    }
    guard let loss = try changes.firstLoss(unread: delivery.unread) else { return }
    var advice = "name the PATHs as before"
    let reason: Message
    switch loss {
    case .renamed(let gone, let new):
      reason = "\(gone): is the file \(new), and would be gone and new"
    case .rotten(let file, nil):
      reason = "\(file): is rotten, and its record would be gone, although the file is there"
    case .rotten(let file, let error?):
      reason = "\(file): is rotten and cannot be examined (\(error)), and its record would be gone"
    case .rot(let rotten, let file):
      reason = "\(file): may be the rotten file \(rotten), whose size and time it has"
      advice = "touch it"
    }
    throw Unwritten(
      "\(reason); \(name) is left unchanged; \(advice), or add --accept-rot")
  }
}
