// The job of `weir compare`.
//
// DESIGN. The sides are read in step, as the walk orders names, and a settled name is delivered at
// once. The rest is kept in order: a file of one side may have moved, and one without a digest may
// have to be read. Reading adds digests, a search finds the moves, and the last pass delivers the
// kept names beside the moves. So the output has a fixed order in the memory of a few sorts.
//
// A manifest that is a file is taken to be in order until a line shows that it is not: then it is
// sorted, and both sides begin again. Directories and pipes, which cannot be read again, are kept.

internal import SystemPackage
package import Weir

/// A job that compares two sides, each a manifest or a directory, by name. It runs once.
///
/// @unchecked Sendable: one thread at a time uses it, the calling thread or the one that delivers; the
/// stages have locks.
package final class CompareJob: FileJob, @unchecked Sendable {
  package struct Options: Sendable {
    /// The algorithms of lines that name none; empty for those of the usual lengths.
    package var untagged: [DigestAlgorithm] = []
    package var isZeroTerminated = false
    package var listsSame = false
    /// True if files of directories are read.
    package var reads = false
    package var rules = EntryRules()
    package var space = SortSpace()

    package init() {}
  }

  private struct Kept {
    let runs: SortedRuns
    let hasTypes: Bool
  }

  private let inputs: Sides<CompareInput>
  private let options: Options
  private let processorOptions: FileProcessorOptions
  private var report: @Sendable (FileResult) -> Void = { _ in }
  private let stages = JobStages()
  private var kept = Sides<Kept?>(nil, nil)
  /// The counts of the run, when it has ended.
  package private(set) var counts = CompareCounts()
  private var algorithms: Set<UInt8> = []
  private var (steps, stepNames): (UInt64, UInt64) = (0, 0)

  package init(
    _ a: CompareInput, _ b: CompareInput, _ options: Options, processorOptions: FileProcessorOptions
  ) {
    inputs = Sides(a, b)
    (self.options, self.processorOptions) = (options, processorOptions)
  }

  /// Compares the sides; returns when all verdicts are delivered.
  ///
  /// - Parameters:
  ///   - deliver: Called with each name and its verdict, in the order of the walk, one call at a
  ///     time. A moved file comes at its old name.
  ///   - report: Called with each result of a file or directory that could not be read.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    deliver: (_ name: [UInt8], EntryVerdict) throws -> Void,
    report: @escaping @Sendable (FileResult) -> Void
  ) throws {
    self.report = report
    defer { self.report = { _ in } }
    var findings = try join()
    kept = Sides(nil, nil)
    if options.reads { findings = try read(findings) }
    let moves = try Moves.find(in: findings, space, check: { try self.step() })
    try finish(findings, moves, deliver)
    if counts.sharesNone { counts.strip = try StripSearch.find(in: findings) }
  }

  private var space: SortSpace { options.space }

  package var names: UInt64 { stages.names }

  package var control: JobControl { stages.control }

  /// Counts names that were compared. Throws `canceled` soon after a cancel.
  private func step(names count: UInt64 = 0) throws(Errno) {
    (steps, stepNames) = (steps + 1, stepNames + count)
    if steps & 0xFFF == 0 { try stages.show(names: stepNames) }
  }

  // MARK: Sides

  private func inventory(of side: Side) throws -> Inventory {
    if let kept = kept[side] {
      return try Inventory(.sorted(kept.runs.makeReader(), hasTypes: kept.hasTypes))
    }
    switch inputs[side] {
    case .directory(let source, let stripped):
      kept[side] = Kept(runs: try walk(source, stripping: stripped, side), hasTypes: true)
    case .manifest(let manifest, let stripped):
      if case .path = manifest.source {
        return try Inventory(.manifest(try lines(of: manifest, stripping: stripped)))
      }
      try sort(manifest, stripping: stripped, side)
    }
    return try inventory(of: side)
  }

  private func lines(
    of manifest: CheckManifest, stripping stripped: Int
  ) throws(Fault) -> ManifestInventory {
    try ManifestInventory(
      manifest, stripping: stripped, untagged: options.untagged,
      isZeroTerminated: options.isZeroTerminated)
  }

  private func sort(
    _ manifest: CheckManifest, stripping stripped: Int, _ side: Side
  ) throws {
    let lines = try lines(of: manifest, stripping: stripped)
    let (runs, record) = (space.makeRuns(eighths: 2), EntryBuffer())
    while try lines.read(to: record) {
      try step()
      try runs.append(record.bytes)
    }
    try runs.finish()
    kept[side] = Kept(runs: runs, hasTypes: lines.hasTypes)
    counts.faults[side] = lines.faults
  }

  private func walk(
    _ source: FileSource, stripping stripped: Int, _ side: Side
  ) throws -> SortedRuns {
    let rules = options.rules
    let walk = try TreeInventory(
      processorOptions, readsRights: rules.comparesOwner || rules.comparesMode)
    let runs = space.makeRuns(eighths: 2)
    try stages.run(walk.control) {
      let (root, keys) = (source.nameBytes.count, KeyWriter(stripping: stripped))
      try walk.run(source, root: root, keys, to: runs) { [self] entry in
        counts.faults[side].addShortName(entry)
      } report: { [self] result in
        if FileFailure(result) == nil { return }
        counts.unreadable += 1  // also the directory itself, which has no entry
        report(result)
      }
    }
    return runs
  }

  // MARK: Both sides in step

  private func join() throws -> Findings {
    while true {
      let join = Join(try inventory(of: .a), try inventory(of: .b))
      let findings = Findings(in: space)
      while let records = try join.next() {
        try step(names: 1)
        switch (records.a, records.b) {
        case (let a?, let b?): try pair(a, b, in: findings)
        case (let a?, nil): try only(a, .a, join, in: findings)
        case (nil, let b?): try only(b, .b, join, in: findings)
        case (nil, nil): break
        }
      }
      if !join.isOutOfOrder {
        for side in [Side.a, .b] {
          counts.faults[side] = join.sides[side].faults ?? counts.faults[side]
        }
        try findings.finish()
        return findings
      }
      counts = CompareCounts(unreadable: counts.unreadable, faults: counts.faults)
      stepNames = 0
      for side in [Side.a, .b] where join.sides[side].isOutOfOrder {
        guard case .manifest(let manifest, let stripped) = inputs[side] else { continue }
        try sort(manifest, stripping: stripped, side)
      }
    }
  }

  private func pair(_ one: EntryBuffer, _ other: EntryBuffer, in findings: Findings) throws {
    let (a, b) = (one.entry, other.entry)
    noteAlgorithms(a)
    noteAlgorithms(b)
    let verdict = EntryVerdict(a, b, options.rules)
    if case .same = verdict, !options.listsSame,
      !(options.reads && EntryVerdict.needsContent(a, b))
    {
      counts.count(verdict)
    } else {
      try findings.append(Finding(one.key, a: one.payload, b: other.payload))
    }
  }

  private func only(
    _ record: EntryBuffer, _ side: Side, _ join: Join, in findings: Findings
  ) throws {
    let entry = record.entry
    // True if the other side would have the entry of a directory or a link.
    let isKept = join.sides[side.other].hasTypes
    if entry.isOther && !isKept || entry.flags.contains(.optional) { return }
    noteAlgorithms(entry)
    var entries = Sides(UnsafeRawBufferPointer.empty, .empty)
    entries[side] = record.payload
    let isHidden = join.isHidden(record, of: side) || entry.isUnreadable && !isKept
    try CompareJob.unreadable.withUnsafeBytes { unreadable in
      if isHidden { entries[side.other] = unreadable }
      try findings.append(Finding(record.key, a: entries.a, b: entries.b))
    }
  }

  /// The entry of a name that the other side may have.
  private static let unreadable = {
    var entry = InventoryEntry(nil)
    entry.failure = .failed(.noSuchFileOrDirectory)
    return entry.bytes
  }()

  private func noteAlgorithms(_ entry: InventoryEntry) {
    if options.reads { algorithms.insert(algorithmsOf: entry.digests) }
  }

  // MARK: Reading

  private func read(_ findings: Findings) throws -> Findings {
    let storage = [inputs.a, inputs.b].compactMap(\.directory?.storage).first
    let indices = algorithms.isEmpty ? [UInt8(DigestAlgorithm.xxh128.index)] : algorithms.sorted()
    let reading = try ContentReading(
      findings, roots: Sides(inputs.a.root, inputs.b.root),
      by: indices.map { DigestAlgorithm(index: Int($0)) }, processorOptions, space,
      check: { try self.step() }
    ) { [self] result in
      counts.unreadable += 1
      report(result)
    }
    return try stages.run(reading.control) { try reading.run(on: storage) }
  }

  // MARK: Delivery

  private func finish(
    _ findings: Findings, _ moves: Moves?, _ deliver: ([UInt8], EntryVerdict) throws -> Void
  ) throws {
    try findings.forEach(moves) { finding, part in
      try step()
      let verdict: EntryVerdict
      switch (part, finding.onlySide) {
      case (.pair(let name), _): verdict = .moved(to: name)
      case (.partner, _): return
      case (.none, let side?), (.suspect, let side?): verdict = .only(side)
      case (.none, nil), (.suspect, nil):
        verdict = EntryVerdict(
          InventoryEntry(finding.entries.a), InventoryEntry(finding.entries.b), options.rules)
      }
      counts.count(verdict)
      if case .same = verdict, !options.listsSame { return }
      try deliver(finding.shownName, verdict)
    }
  }
}
