// The job of `weir hash --output`: an update of a manifest, or its first run.
//
// DESIGN. An update has four stages. The walk reads the status of each file, and is joined with the
// ledger: the plan. Then what differs is read. Then gone records and new files are joined by
// content. Then the ledger and the manifest are written, in one pass. A run that continues another
// one is an update against what that has read. The records of a first run, which reads all files at
// once, are its ledger.

package import SystemPackage
package import Weir

/// The counts of a run.
package struct UpdateCounts: Sendable {
  /// Files that were not read, and files that were.
  package var unread: UInt64 = 0
  package var read: UInt64 = 0
  package var hasDirectories = false
  /// Files by their verdict.
  package var verdicts: [LedgerVerdict: UInt64] = [:]
  /// Files of the former ledger.
  package var former: UInt64 = 0
  /// Files that could not be read and whose record stays.
  package var kept: UInt64 = 0
  /// Open points that were accepted, by their kinds.
  package var accepted: [OpenPoint.Kind: UInt64] = [:]
  package init() {}

  package mutating func count(_ verdict: LedgerVerdict, isAccepted: Bool) {
    if isAccepted {
      accepted[verdict == .rot ? .rot : .gone, default: 0] += 1
    } else {
      verdicts[verdict, default: 0] += 1
    }
  }

  package var open: UInt64 { verdicts[.rot, default: 0] + verdicts[.gone, default: 0] }
}

/// A name of the report of an update.
package struct UpdateChange {
  package let name: UnsafeRawBufferPointer
  package let verdict: LedgerVerdict
  /// The former name of a file that has moved.
  package let former: [UInt8]?
  /// The time since when an open point is known, or one that has ended was, in seconds since 1970; 0
  /// if this run has found it.
  package let since: UInt32
  package let isAccepted: Bool
  /// True if a file was gone that is there again, with another size or time.
  package let wasGone: Bool
  /// True if a file that is gone was rotten, or a new file has its size, its time and its last
  /// component, and another content.
  package let wasRotten: Bool
}

/// An update of a manifest.
///
/// @unchecked Sendable: the stages follow each other, and the deliveries of a stage.
package final class UpdateJob: FileJob, @unchecked Sendable {
  /// The parts of an update that the user decides.
  package struct Options: Sendable {
    package var algorithms: [DigestAlgorithm]
    package var form: ManifestForm
    package var header: LedgerHeader
    package var accepts = Acceptance()
    package var temporary: [UInt8]
    package var processor: FileProcessorOptions
    package var select: FileSelector?
    /// Descriptors of files that are not read, open until the job is made.
    package var excluded: [FileDescriptor] = []

    package init(
      _ algorithms: [DigestAlgorithm], _ form: ManifestForm, _ header: LedgerHeader,
      temporary: [UInt8], processor: FileProcessorOptions
    ) {
      self.algorithms = algorithms.withoutDuplicates
      (self.form, self.header, self.temporary) = (form, header, temporary)
      self.processor = processor
    }
  }

  private let options: Options
  private let manifest: FormerManifest?
  private let partial: FileDescriptor?
  private let names: LedgerNames
  private let walk: FileProcessor<Void, Void>
  private let stages = JobStages()
  private let found = Locked<UpdateTotals?>(nil)
  private var plan: UpdatePlan?
  private var results: SortedRuns
  private var readCount: UInt64 = 0

  private static let memory = (inStep: 3 << 20, sorted: 12 << 20)

  /// - Parameter partial: The records of the run that this one continues.
  /// - Throws: `invalidArgument` if there is no algorithm or too many.
  package init(
    _ options: Options, _ manifest: FormerManifest?, partial: FileDescriptor?, directory: [UInt8]
  ) throws(Errno) {
    guard (1...DigestAlgorithm.countMax).contains(options.algorithms.count) else {
      throw .invalidArgument
    }
    (self.options, self.manifest, self.partial) = (options, manifest, partial)
    names = LedgerNames(directory: directory)
    results = SortedRuns(memory: UpdateJob.memory.inStep, in: options.temporary)
    var processor = options.processor
    processor.excluded += options.excluded
    walk = try TreeInventory.makeProcessor(processor, select: options.select) {
      InventoryEntry(of: $0)
    }
  }

  private func makeRuns(isInStep: Bool) -> SortedRuns {
    let memory = isInStep ? UpdateJob.memory.inStep : UpdateJob.memory.sorted
    return SortedRuns(memory: memory, in: options.temporary)
  }

  // MARK: The plan

  /// Looks at the status of all files, and joins them with the ledger.
  ///
  /// Blocks: yes, as a run of a file processor does.
  ///
  /// - Parameter report: Called with each result that has a message, in its turn. If the walk begins
  ///   again, since the ledger is not in step, for no name twice, also if the tree has changed.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func makePlan(
    _ sources: [FileSource], report: @escaping @Sendable (FileResult) -> Void
  ) throws -> UpdateTotals {
    // With an overlap a file has one verdict, whatever names it has.
    let header = options.header
    let isInStep = header.hasPathsOnly && !header.hasOverlap && manifest?.isInStep ?? true
    do {
      return try makePlan(sources, isInStep: isInStep, report: report)
    } catch is LedgerEntries.OutOfStep {
      let reported = plan?.reported ?? []
      try stages.beginAgain()
      return try makePlan(sources, isInStep: false, reported: reported, report: report)
    }
  }

  /// - Parameter reported: The keys of results that were reported before.
  private func makePlan(
    _ sources: [FileSource], isInStep: Bool, reported: Set<Int> = [],
    report: @escaping @Sendable (FileResult) -> Void
  ) throws -> UpdateTotals {
    let keys = LedgerKeys(
      isInStep: isInStep, hasPathsOnly: options.header.hasPathsOnly, names: names)
    let plan = try UpdatePlan(
      manifest, partial: partial, keys, options, written: options.processor.excluded,
      makeRuns: { makeRuns(isInStep: isInStep) }, check: { try stages.check() })
    self.plan = plan
    try stages.run(JobControl(walk)) {
      try walk.run(sources.map(UpdateJob.withoutDescriptor)) { batch in
        for index in 0..<batch.count {
          let result = batch[index]
          if result.outcome.isDone && result.output.isEmpty { continue }
          if let key = UpdatePlan.key(of: result) {
            if isInStep { plan.reported.insert(key) }
            if !reported.contains(key) { report(result) }
          }
          try plan.take(result)
        }
      }
      try plan.finish()
    }
    found.with { $0 = plan.totals }
    return plan.totals
  }

  /// Returns a source that gives the name of a descriptor, which is not read yet, as a note.
  private static func withoutDescriptor(_ source: FileSource) -> FileSource {
    guard source.openDescriptor != nil else { return source }
    let name = source.nameBytes
    let isNext = Locked(true)
    return .items {
      isNext.with { isNext in
        defer { isNext = false }
        return isNext ? .note(name) : nil
      }
    }
  }

  /// The totals of the plan; `nil` as long as there is none.
  package var totals: UpdateTotals? { found.with { $0 } }

  /// True if the manifest and its ledger, as they are, are those that the update would write.
  package var changesNothing: Bool { plan?.unchanged?.coversFormer ?? false }

  package func isUnreadable(list name: [UInt8]) -> Bool { plan?.unreadable.contains(name) ?? false }

  // MARK: Reading

  /// Reads what the plan says, and appends the records to the output.
  ///
  /// Blocks: yes, as a run of a file processor does.
  ///
  /// - Parameter report: Called with each result in its turn.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func read(
    _ sources: [FileSource], into output: OutputFile,
    report: @escaping @Sendable (FileResult) -> Void
  ) throws {
    guard let plan else { fatalError("an update reads what its plan says") }
    let lines = LedgerLines(options.form)
    if partial != nil { lines.continueFile() }
    if plan.totals.toRead == 0 { return try results.finish() }
    let processor = try UpdateJob.makeProcessor(options)
    let feed = UpdateFeed(plan.items)
    _ = try stages.run(JobControl(processor)) {
      try processor.run(feed.sources(sources)) { [self] batch in
        for index in 0..<batch.count {
          let result = batch[index]
          report(result)
          try take(result, lines)
        }
        try output.append(records: lines.ledgerLines)
        lines.removeAll()
      }
    }
    if let failure = feed.failure { throw failure }
    try results.finish()
  }

  static func makeProcessor(
    _ options: Options, select: FileSelector? = nil
  ) throws(Errno) -> FileProcessor<UpdateLane, Void> {
    var processor = options.processor
    (processor.order, processor.deliversWithGaps) = (.input, true)
    let helpers = HelperLanes(processor)
    let algorithms = options.algorithms
    return try FileProcessor(
      processor, select: select,
      context: { () throws(Errno) -> UpdateLane in
        try UpdateLane(algorithms, helpers: helpers)
      }, job: { (file, lane) throws(Errno) in try lane.read(file) })
  }

  /// Keeps the content of a file for the ledger.
  private func take(_ result: FileResult, _ lines: LedgerLines) throws {
    guard let item = UpdateItem(note: result.note) else { return }
    func append(_ kind: UInt8, _ content: UnsafeRawBufferPointer) throws {
      try results.append(writing: item.place.count + 2 + content.count) { line in
        line.append(item.place)
        line.append(UInt8(0))
        line.append(kind)
        line.append(content)
      }
    }
    guard result.outcome.isDone, let content = ReadContent(result.output) else {
      let isMissing = result.outcome.isMissing
      return try append(isMissing ? UpdateOutcomes.missing : UpdateOutcomes.failed, .empty)
    }
    readCount += 1
    try append(UpdateOutcomes.read, result.output)
    let name = content.isDashFile ? DashFile.name : result.path
    lines.begin(name, of: result.source)
    lines.append(name, content.entry)
  }

  // MARK: Writing

  /// The changes of the update, in the order of the ledger, after ``write(into:now:)``.
  private var changes: SortedRuns?

  /// Joins what is gone with what is new by content, and writes the ledger and the manifest.
  ///
  /// - Parameter now: The time that open points of this run get, in seconds since 1970. The output
  ///   has been begun unless the update changes nothing.
  package func write(into output: OutputFile, now: UInt32) throws -> UpdateCounts {
    guard let plan else { fatalError("an update writes what its plan says") }
    var counts = UpdateCounts()
    if !changesNothing { counts = try write(plan, into: output, now) }
    counts.former = plan.totals.former
    counts.hasDirectories = plan.totals.hasDirectories
    counts.read = readCount
    counts.unread = plan.totals.unchanged + plan.totals.known
    return counts
  }

  private func write(
    _ plan: UpdatePlan, into output: OutputFile, _ now: UInt32
  ) throws -> UpdateCounts {
    let outcomes = UpdateOutcomes(items: plan.items, results: results)
    let writer = try UpdateWriter(
      options, after: plan.unchanged, try findMoves(outcomes), now: now, output: output,
      changes: makeRuns(isInStep: true), check: { [stages] in try stages.check() })
    try outcomes.forEach { try writer.write($0, $1, $2) }
    try writer.finish()
    changes = writer.changes
    return writer.counts
  }

  /// Pairs new files with records that are gone.
  private func findMoves(_ outcomes: UpdateOutcomes) throws -> Moves? {
    guard let totals, totals.new > 0, totals.gone > 0 || totals.toRead > readCount else {
      return nil
    }
    var space = SortSpace()
    (space.memory, space.directory) = (UInt64(UpdateJob.memory.inStep) * 8, options.temporary)
    let findings = Findings(in: space, digestsOnly: true, hasNames: true)
    try outcomes.forEach { item, step, content in
      guard let side = UpdateWriter.side(of: item, step),
        let known = content?.entry ?? item.record
      else { return }
      var entry = InventoryEntry(.file)
      (entry.size, entry.digests, entry.text) = (known.size, known.digests, item.name)
      entry.time = content?.isTimed == false ? nil : known.time
      let bytes = entry.bytes
      try bytes.withUnsafeBytes { bytes in
        try findings.append(
          Finding(item.place, a: side == .a ? bytes : .empty, b: side == .b ? bytes : .empty))
      }
    }
    try findings.finish()
    return try Moves.find(
      in: findings, space, findsSuspects: true, check: { [stages] in try stages.check() })
  }

  package func forEachChange(_ body: (UpdateChange) throws -> Void) throws {
    guard let reader = changes?.makeReader() else { return }
    while let record = try reader.next() { try body(UpdateWriter.change(record)) }
  }

  /// Calls a closure with what the plan says of each name that is not unchanged.
  package func forEachStep(
    _ body: (
      _ name: UnsafeRawBufferPointer, UpdateStep, _ since: UInt32, _ isAccepted: Bool
    ) throws -> Void
  ) throws {
    guard let reader = plan?.items.makeReader() else { return }
    while let record = try reader.next() {
      let item = UpdateItem(record)
      let open = item.record?.open
      let step: UpdateStep? =
        switch item.step {
        case .read, .known: item.record == nil ? .new : open?.kind == .rot ? .rot : .changed
        case .gone: .gone
        case .unlinked: .unlinked
        case .kept: open.map { $0.kind == .rot ? .rot : .gone } ?? .kept
        case .directory, .link, .unchanged: nil
        }
      guard let step else { continue }
      // What was rotten stays so when it is gone.
      let kind: OpenPoint.Kind? = step == .gone ? open?.kind ?? .gone : step == .rot ? .rot : nil
      let isAccepted =
        item.step != .kept && kind.map { options.accepts.accepts($0, item.name) } ?? false
      try body(item.lineName, step, open?.since ?? 0, isAccepted)
    }
  }

  // MARK: Progress

  package var control: JobControl {
    stages.control { [found] stages in UpdateJob.statistics(stages, found.with { $0 }) }
  }

  /// Returns the statistics of both stages: the files that are read count when they are.
  private static func statistics(
    _ stages: [FileStatistics], _ totals: UpdateTotals?
  ) -> FileStatistics {
    guard let walk = stages.first else { return .none }
    guard let totals else { return walk }
    let reading = stages.count > 1 ? stages[1] : .none
    var all = walk + reading
    let unread = walk.files - min(totals.toRead, walk.files)
    (all.files, all.unread) = (unread + reading.files, unread + reading.unread)
    (all.found, all.opened) = (walk.found, reading.opened)
    (all.bytesExpected, all.bytes) = (totals.bytesToRead, reading.bytes)
    return all
  }
}

/// The word of a plan for a name.
package enum UpdateStep: String, Sendable {
  case new, changed, rot, gone, unlinked, kept
}
