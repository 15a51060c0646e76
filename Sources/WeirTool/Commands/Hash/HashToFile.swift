internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A run of `weir hash` whose manifest goes to a file, which appears when it is
/// complete.
struct HashToFile {
  var request: HashVerb
  let operands: Operands
  /// Other operands with which the interrupted run may have begun: those without files that are links
  /// now, and all.
  private let otherOperands: [Operands]
  let session: Session
  let output: OutputFile
  let input: FileInput
  let sources: [FileSource]
  let selection: ShardSelection?
  let reportsJSON: Bool
  /// The working directory of the names; empty if it is unknown.
  let directory: [UInt8]

  var options: OutputOptions { request.outputOptions }
  var console: Console { session.console }

  init(
    _ request: HashVerb, _ operands: Operands, _ session: Session, _ name: RawArgument,
    _ selection: ShardSelection?
  ) throws {
    self.request = request
    var distinct = operands
    var withoutLinks = operands
    let walk = request.walkOptions
    // Each file that is named is recorded once. What a filter or a limit leaves out below one PATH is
    // found below the other.
    if operands.filters.isEmpty && walk.maxDepth == nil && !walk.oneFileSystem {
      distinct.removeCoveredFiles(followsLinks: walk.follow)
      withoutLinks.removeCoveredFiles(followsLinks: walk.follow, areLinks: true)
    }
    otherOperands = [withoutLinks, operands]
    self.operands = distinct
    self.session = session
    self.selection = selection
    input = FileInput(
      distinct, request.sourceOptions, request.walkOptions, request.commonOptions)
    output = try OutputFile(name.bytes)
    reportsJSON = request.outputFormat == .json
    if reportsJSON { self.request.format = nil }
    try operands.expectInputs { [output] in HashToFile.isOutput($0, operands, output) }
    sources = try input.sources()
    directory = try HashToFile.currentDirectory()
    if request.outputOptions.update { try prepareUpdate() }
    if self.request.outputFormat == .mtree && request.zero {
      throw FileError(
        "\(name): is mtree(5), whose lines end in a newline; omit --zero, or add --format text")
    }
  }

  /// Makes the run an update, which keeps the form of its manifest.
  private mutating func prepareUpdate() throws {
    request.outputOptions.update = true
    if !request.isFormGiven {
      if try FormerManifest.isMtree(output) {
        request.format = .mtree
      } else if let former = try FormerManifest.header(of: output) {
        request.tag = !former.values(of: "tag").isEmpty
        request.plain = !former.values(of: "plain").isEmpty
      }
    }
    try HashToFile.checkExistence(of: operands, output)
  }

  /// An unknown working directory would be taken for another argument by a run that resumes.
  private static func currentDirectory() throws(FileError) -> [UInt8] {
    if let path = workingDirectory() { return path }
    let error = Errno(rawValue: errno)
    if error == .noSuchFileOrDirectory { return [] }
    throw FileError(RawArgument("."), error)
  }

  /// All recorded files below a mistyped PATH would be gone. Files of a list may come and go.
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
    var locked = self
    let partial = try locked.lock()
    try locked.run(from: partial)
  }

  private func run(from partial: FileDescriptor?) throws {
    var former: FormerManifest?
    defer { former?.close() }
    if options.update {
      former = try FormerManifest.find(
        output, header: header, request.algorithms, isResumed: partial != nil)
      if let former { try checkAlgorithms(of: former) }
      if former == nil && FormerManifest.exists(output) {
        try output.expectManifest(of: request.algorithms)
        if !options.accept.acceptsRot {
          throw FileError(
            "\(output.path): is left unchanged, since no line can be compared; \(HashToFile.mend)")
        }
      }
    }
    if former == nil && partial == nil && !options.dryRun { return try runFirst() }
    try update(former, partial)
  }

  static let mend = "mend them, or add --accept-rot to replace them"

  // MARK: Start

  /// The arguments that the manifest depends on.
  var header: LedgerHeader { header(of: operands) }

  private func header(of operands: Operands) -> LedgerHeader {
    LedgerHeader(
      version: WeirVersion.description, words: choices + filters + HashToFile.inputs(operands))
  }

  private var choices: [LedgerHeader.Word] {
    let walk = request.walkOptions
    var words = [
      LedgerHeader.Word("directory", directory),
      LedgerHeader.Word("algorithms", request.algorithms.map(\.name).joined(separator: ",").utf8),
      LedgerHeader.Word("format", request.outputFormat.rawValue.utf8),
    ]
    let flags = [
      ("tag", request.tag), ("plain", request.plain), ("zero", request.zero),
      ("follow", walk.follow),
      ("one-file-system", walk.oneFileSystem), ("update", options.update),
      ("accept-rot", options.accept.acceptsRot),
    ]
    for (name, isGiven) in flags where isGiven { words.append(LedgerHeader.Word(name, "yes".utf8)) }
    if let shard = request.shardOptions.shard {
      words.append(LedgerHeader.Word("shard", shard.bytes))
    }
    if let depth = walk.maxDepth { words.append(LedgerHeader.Word("max-depth", "\(depth)".utf8)) }
    return words
  }

  private var filters: [LedgerHeader.Word] {
    operands.filters.map { LedgerHeader.Word($0.name, $0.pattern) }
  }

  private static func inputs(_ operands: Operands) -> [LedgerHeader.Word] {
    operands.inputs.map { input in
      switch input {
      case .path(let name): LedgerHeader.Word("path", name.bytes)
      case .list(let name, let separator):
        LedgerHeader.Word(separator == 0 ? "files0-from" : "files-from", name.bytes)
      }
    }
  }

  var keepsRecords: Bool { request.outputFormat == .text }

  /// Locks the output, and begins to record. Returns the records of the run that this one continues;
  /// `nil` if there are none.
  ///
  /// With `--resume` alone, what an update has begun goes on as one, and so does a manifest that is
  /// complete: to begin anew would forget what is open.
  private mutating func lock() throws -> FileDescriptor? {
    // An update says itself what it cannot compare.
    if !options.update { try output.expectManifest(of: request.algorithms) }
    if options.dryRun {
      try output.check(keepsRecords: keepsRecords, keepsFormer: true)
      if try output.isUnfinished && !request.shardOptions.resume {
        throw output.error(.unfinished)
      }
      return nil
    }
    // A later update needs the names of the former files.
    let isUnfinished = try output.lock(keepsRecords: keepsRecords, keepsFormer: true)
    if isUnfinished && !request.shardOptions.resume { throw output.error(.unfinished) }
    let keepsIt = options.update || options.replace || request.shardOptions.resume
    if !keepsIt, let former = try FormerManifest.path(of: output, keepsRecords: keepsRecords) {
      let role = former == output.path ? "a manifest" : "the ledger of a manifest"
      throw FileError(
        """
        \(former): is \(role) and is left unchanged; add --update to bring it up to date, or \
        --replace to forget what it says
        """)
    }
    guard isUnfinished, let previous = try output.previousHeaderLine() else {
      // An incomplete first line was cut off before anything was recorded.
      if isUnfinished, try !output.isPreviousHeaderCut() { throw output.error(.notOurs) }
      if try !options.update && !options.replace
        && FormerManifest.path(of: output, keepsRecords: keepsRecords) != nil
      {
        try becomeUpdate()
      }
      return nil
    }
    guard let before = LedgerHeader(line: previous) else { throw output.error(.notOurs) }
    if !options.update && !before.values(of: "update").isEmpty { try becomeUpdate() }
    let differences = header.differences(from: before)
    let isOfOthers = otherOperands.contains { header(of: $0).differences(from: before).isEmpty }
    if !differences.isEmpty && !isOfOthers {
      throw output.error(.refused(OutputMessages.other(differences)))
    }
    // Reading the records may take long, and a signal meanwhile leaves them intact.
    session.signals.unblock()
    defer { session.signals.block() }
    return try output.resume()
  }

  private mutating func becomeUpdate() throws {
    try prepareUpdate()
    try output.check(keepsRecords: keepsRecords, keepsFormer: true)
  }

  /// An update must not silently replace the digests of a manifest by those of the default
  /// algorithm.
  private func checkAlgorithms(of manifest: FormerManifest) throws {
    let recorded = try manifest.firstAlgorithms()
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

  var form: ManifestForm {
    ManifestForm(
      request.algorithms, format: request.manifestFormat, isZeroTerminated: request.zero,
      version: WeirVersion.description)
  }

  /// The job reads no file of the output. `opened` is a descriptor that may be open on one.
  func makeJob<Job>(
    besides opened: FileDescriptor?, _ make: (UpdateJob.Options) throws(Errno) -> Job
  ) throws(FileError) -> Job {
    var job = UpdateJob.Options(
      request.algorithms, form, header, temporary: output.path.directory,
      processor: try input.processorOptions(session))
    job.select = selection?.selector
    job.accepts = accept
    return try request.withAlgorithms { () throws(Errno) in
      try output.withOwnFiles(besides: opened) { own throws(Errno) in
        job.excluded = own
        return try make(job)
      }
    }
  }

  var accept: Acceptance {
    var accept = options.accept
    accept.paths = operands.names.map(\.bytes)
    return accept
  }

  var resumption: Session.Resumption {
    Session.Resumption(
      "\(output.partial) has the records so far; to continue:",
      command: CommandText.ofProcess(
        adding: request.shardOptions.resume ? nil : ShardOptions.resumeName))
  }

  // MARK: The first run

  private func runFirst() throws {
    try output.beginOutput(with: form.beginning(header), ledger: nil)
    let job = try makeJob(besides: nil) { (options) throws(Errno) in try FirstRun(options) }
    // From here on the run can be resumed.
    try output.begin(with: header.line)
    let reporter = FileReporter(console: console, verb: "hash")
    session.resumption = resumption
    let ending = session.perform(job, expected: input.expected) {
      try job.run(sources, into: output) { reporter.report($0) }
    }
    try conclude(ending) { [options] in
      let counts = job.counts
      try expectFiles(counts, ending)
      let tree = FormerManifest.exists(output) ? nil : operands.tree(of: output.path)
      try replace()
      if let tree, ending.statistics.excluded > 0 {
        console.report("\(output.path): lies in the tree of \(tree), and is left out of it")
      }
      if options.update {
        let files = Quantities.count(counts.read, "file is", "files are")
        console.report("\(output.path): \(files) recorded for the first time")
      }
      return counts
    }
  }

  /// Throws `Unwritten` rather than replacing an output that has files by one that has none, because
  /// nothing could be read.
  func expectFiles(_ counts: UpdateCounts, _ ending: Session.Ending) throws {
    let files = counts.read + counts.unread + counts.kept
    if FormerManifest.exists(output) && files == 0 && !counts.hasDirectories
      && ending.statistics.failed > 0
    {
      throw Unwritten(
        "\(output.path): is left unchanged, since nothing could be read", .unreadable)
    }
  }

  // MARK: End

  func replace() throws {
    try output.finish(
      keepsRecords: keepsRecords, keepsFormer: options.update,
      willReplace: { session.enter(.replacing) })
    noteComplete()
  }

  /// Ends the run without a new output, and removes its records.
  func keepOutput() throws {
    session.enter(.replacing)
    try output.discard()
    noteComplete()
  }

  private func noteComplete() {
    session.report?.add(manifest: output.path)
    session.resumption = Session.Resumption(
      "\(output.path) is complete, the rest of the output is not")
  }

  /// Calls `complete`, which replaces the output and reports, if the run is complete.
  func conclude(_ ending: Session.Ending, _ complete: () throws -> UpdateCounts) throws {
    var (ending, counts) = (ending, UpdateCounts())
    do {
      if ending.isComplete {
        session.enter(.repeatable)
        counts = try complete()
      } else if !options.dryRun {
        session.enter(.replacing)
        // Without records there is nothing to continue after an error.
        if ending.failure == nil || output.hasRecords { try output.suspend() }
      }
    } catch {
      if ending.failure == nil { ending.failure = error }
    }
    session.enter(.lastLines)
    if let failure = ending.failure { ending.failure = report(failure, &ending) }
    try session.conclude(ending) { ending in
      var summary = Session.Summary(ending, listsLinks: request.outputFormat == .mtree)
      if counts.open > 0 { summary.status = .difference }
      if options.update {
        summary.counts = counts.byKind
        if counts.open > 0 && options.quiet { summary.remark = counts.summary }
      }
      return summary
    }
  }

  private func report(_ failure: any Error, _ ending: inout Session.Ending) -> any Error {
    if !(failure is ExitStatus) {
      console.report(failure)
      ending.message = Message(failure)
    }
    if options.dryRun {
    } else if failure is Unwritten || !output.hasRecords {
      try? output.discard()
    } else {
      let resumption = session.resumption ?? resumption
      console.report(paragraph: resumption.text, command: resumption.command)
    }
    return (failure as? Unwritten)?.status ?? failure as? ExitStatus ?? .usage
  }

  /// The reason for which a complete run does not replace the output.
  struct Unwritten: ReportedError {
    let text: Message
    let status: ExitStatus

    init(_ text: Message, _ status: ExitStatus = .usage) {
      (self.text, self.status) = (text, status)
    }
  }
}
