// One run of a comparison.
//
// DESIGN. The sides are read in step, as the walk orders names, and a name of which nothing more can
// become known is settled at once. The rest is kept in order: a file that one side alone has may
// have moved, and one without a digest may have to be read. Reading adds digests, a search finds the
// moves, and the last pass delivers what was kept beside the moves. So the order of the output is
// fixed, and the memory is that of a few sorts, if every file has moved too.
//
// A manifest that is a file is taken to be in order until a line shows that it is not: then
// it is sorted, and the reading of both sides begins again. Directories and pipes, which cannot be
// read again, are kept; since they come in order, or are sorted in any case, this costs one pass.

internal import SystemPackage
internal import Weir

/// @unchecked Sendable: one thread at a time uses it, the calling thread or the one that delivers.
final class CompareRun: @unchecked Sendable {
  /// The records of a side that were kept.
  private struct Kept {
    let runs: SortedRuns
    let hasTypes: Bool
  }

  private let job: CompareJob
  private let inputs: CompareSides<CompareInput>
  private let deliver: ([UInt8], CompareVerdict) throws -> Void
  private let report: @Sendable (FileResult) -> Void
  private var kept = CompareSides<Kept?>(nil, nil)
  private(set) var counts = CompareCounts()
  /// The algorithms of the digests that manifests have.
  private var algorithms: Set<UInt8> = []
  private var (steps, names): (UInt64, UInt64) = (0, 0)

  init(
    _ job: CompareJob, _ inputs: CompareSides<CompareInput>,
    deliver: @escaping ([UInt8], CompareVerdict) throws -> Void,
    report: @escaping @Sendable (FileResult) -> Void
  ) {
    (self.job, self.inputs, self.deliver, self.report) = (job, inputs, deliver, report)
  }

  func run() throws {
    var store = try merge()
    kept = CompareSides(nil, nil)
    if job.options.reads { store = try read(store) }
    let moves = try CompareMoves.find(
      in: store, makeRuns: { self.makeRuns(eighths: 1) }, check: { try self.step() })
    try finish(store, moves)
  }

  private func makeRuns(eighths: Int) -> SortedRuns {
    let memory = Int(clamping: job.options.memory) / 8 * eighths
    return SortedRuns(memory: memory, in: job.options.temporary)
  }

  /// Counts names that were compared. Throws `canceled` soon after a cancel.
  private func step(names count: UInt64 = 0) throws(Errno) {
    (steps, names) = (steps + 1, names + count)
    if steps & 0xFFF == 0 { try job.show(names: names) }
  }

  // MARK: Sides

  /// Returns the records of a side from the first one on.
  private func records(of side: CompareSide) throws -> CompareRecords {
    if let kept = kept[side] {
      return try CompareRecords(.sorted(kept.runs.makeReader(), hasTypes: kept.hasTypes))
    }
    switch inputs[side] {
    case .directory(let source, let stripped):
      kept[side] = Kept(runs: try walk(source, stripping: stripped, side), hasTypes: true)
    case .manifest(let manifest, let stripped):
      if case .path = manifest.source {
        let reader = try CompareManifestReader(manifest, stripping: stripped, job.options)
        return try CompareRecords(.manifest(reader))
      }
      try sort(manifest, stripping: stripped, side)
    }
    return try records(of: side)
  }

  /// Sorts the records of a manifest.
  private func sort(
    _ manifest: CheckManifest, stripping stripped: Int, _ side: CompareSide
  ) throws {
    let reader = try CompareManifestReader(manifest, stripping: stripped, job.options)
    let (runs, buffer) = (makeRuns(eighths: 2), CompareBuffer())
    while try reader.read(to: buffer) {
      try step()
      try runs.append(writing: buffer.count) { $0.append(buffer.bytes) }
    }
    try runs.finish()
    kept[side] = Kept(runs: runs, hasTypes: reader.hasTypes)
    counts.faults[side] = reader.faults
  }

  /// Walks a directory.
  private func walk(
    _ source: FileSource, stripping stripped: Int, _ side: CompareSide
  ) throws -> SortedRuns {
    let plan = try PlanJob(options: job.processorOptions)
    let runs = makeRuns(eighths: 2)
    let root = source.nameBytes.count
    try job.begin(plan.control)
    defer { job.endStage() }
    // One delivery comes at a time, and nothing else uses the buffer meanwhile.
    nonisolated(unsafe) let buffer = CompareBuffer()
    try plan.run([source], lists: []) { [self] record, _ in
      guard var entry = CompareEntry(record) else { return }
      let name = UnsafeRawBufferPointer(
        rebasing: record.path[min(root, record.path.count)...].drop { $0 == UInt8(ascii: "/") })
      if stripped > 0 && !entry.isOther { entry.target = name }
      if !buffer.put(name, stripping: stripped, entry) { return }
      if buffer.keyCount == 0 {
        counts.faults[side].addShortName(entry)
      } else {
        try runs.append(writing: buffer.count) { $0.append(buffer.bytes) }
      }
    } report: { [self] result in
      switch result.outcome {
      case .failed, .changed:
        counts.unreadable += 1  // also the directory itself, which has no entry
        report(result)
      default: break
      }
    }
    try runs.finish()
    return runs
  }

  // MARK: Both sides in step

  /// Compares the entries of each name, and returns those that are not settled.
  private func merge() throws -> CompareStore {
    while true {
      let store = CompareStore(makeRuns(eighths: 1))
      let sides = CompareSides(try records(of: .a), try records(of: .b))
      try merge(sides.a, sides.b, into: store)
      let unordered = [CompareSide.a, .b].filter { sides[$0].isOutOfOrder }
      if unordered.isEmpty {
        for side in [CompareSide.a, .b] {
          counts.faults[side] = sides[side].faults ?? counts.faults[side]
        }
        try store.finish()
        return store
      }
      counts = CompareCounts(unreadable: counts.unreadable, faults: counts.faults)
      names = 0
      for side in unordered {
        guard case .manifest(let manifest, let stripped) = inputs[side] else { continue }
        try sort(manifest, stripping: stripped, side)
      }
    }
  }

  private func merge(_ a: CompareRecords, _ b: CompareRecords, into store: CompareStore) throws {
    var (headA, headB) = (try a.next(), try b.next())
    // The last directory of each side that could not be read. Names below it follow at once.
    var unread = CompareSides<[UInt8]?>(nil, nil)
    while headA != nil || headB != nil {
      if a.isOutOfOrder || b.isOutOfOrder { return }
      try step(names: 1)
      if let one = headA, one.entry.flags.contains(.unreadable) { unread.a = Array(one.key) }
      if let other = headB, other.entry.flags.contains(.unreadable) { unread.b = Array(other.key) }
      let order = headA.map { one in headB.map { one.key.order(to: $0.key) } ?? -1 } ?? 1
      if let one = headA, let other = headB, order == 0 {
        try pair(one, other, into: store)
      } else if let one = headA, order < 0 {
        try only(one, .a, isKept: b.hasTypes, besides: unread.b, into: store)
      } else if let other = headB {
        try only(other, .b, isKept: a.hasTypes, besides: unread.a, into: store)
      }
      if order <= 0 { headA = try a.next() }
      if order >= 0 { headB = try b.next() }
    }
  }

  private func pair(_ one: CompareBuffer, _ other: CompareBuffer, into store: CompareStore) throws {
    let (a, b) = (one.entry, other.entry)
    noteAlgorithms(a)
    noteAlgorithms(b)
    let needsReading = job.options.reads && CompareReading.decides(a, b)
    let verdict = CompareVerdict(a, b)
    if case .same = verdict, !job.options.listsSame && !needsReading {
      counts.count(verdict)
    } else {
      try store.append(CompareFinding(one.key, a: one.payload, b: other.payload))
    }
  }

  /// - Parameters:
  ///   - isKept: True if the other side would have the entry of a directory or a link.
  ///   - unread: The directory of the other side that could not be read.
  private func only(
    _ record: CompareBuffer, _ side: CompareSide, isKept: Bool, besides unread: [UInt8]?,
    into store: CompareStore
  ) throws {
    let entry = record.entry
    if entry.isOther && !isKept || entry.flags.contains(.optional) { return }
    noteAlgorithms(entry)
    var entries = CompareSides(UnsafeRawBufferPointer.empty, .empty)
    entries[side] = record.payload
    let isHidden =
      unread.map { CompareKey.isBelow(record.key, $0) } ?? false
      || entry.flags.contains(.unreadable) && !isKept
    try CompareRun.unreadable.withUnsafeBytes { unreadable in
      if isHidden { entries[side == .a ? .b : .a] = unreadable }
      try store.append(CompareFinding(record.key, a: entries.a, b: entries.b))
    }
  }

  /// The entry of a name that the other side may have.
  private static let unreadable = {
    var entry = CompareEntry(nil)
    entry.flags = .unreadable
    return entry.bytes(digests: .empty)
  }()

  private func noteAlgorithms(_ entry: CompareEntry) {
    if job.options.reads { algorithms.insert(algorithmsOf: entry) }
  }

  // MARK: Reading

  /// Returns the findings with the digests of the files that have to be read.
  private func read(_ store: CompareStore) throws -> CompareStore {
    func root(_ input: CompareInput) -> [UInt8]? {
      guard let name = input.directory?.nameBytes else { return nil }
      return name.last == UInt8(ascii: "/") ? name : name + [UInt8(ascii: "/")]
    }
    let storage = [inputs.a, inputs.b].compactMap(\.directory?.storage).first
    let indices = algorithms.isEmpty ? [UInt8(DigestAlgorithm.xxh128.index)] : algorithms.sorted()
    let processor = try CompareReading.makeProcessor(
      indices.map { DigestAlgorithm(index: Int($0)) }, job.processorOptions)
    try job.begin(JobControl(processor))
    defer { job.endStage() }
    let result = CompareStore(makeRuns(eighths: 1))
    let reading = CompareReading(
      store, roots: CompareSides(root(inputs.a), root(inputs.b)), result: result,
      check: { try self.step() }
    ) { [self] result in
      counts.unreadable += 1
      report(result)
    }
    try reading.run(processor, on: storage)
    return result
  }

  // MARK: Delivery

  private func finish(_ store: CompareStore, _ moves: SortedRuns?) throws {
    var lookup = try moves.map { try CompareLookup($0) }
    try store.forEach { finding in
      try step()
      let verdict: CompareVerdict
      if let side = finding.onlySide {
        let move = try lookup?.find(finding.key)
        // The new name of a file that has moved.
        if move != nil && side == .b { return }
        verdict = move.map { .moved(to: CompareKey.name(of: $0)) } ?? .only(side)
      } else {
        verdict = CompareVerdict(CompareEntry(finding.entries.a), CompareEntry(finding.entries.b))
      }
      counts.count(verdict)
      if case .same = verdict, !job.options.listsSame { return }
      try deliver(finding.name, verdict)
    }
  }
}

extension CompareEntry {
  /// Makes the entry of a walk; `nil` for the root.
  init?(_ record: PlanRecord) {
    switch record.kind {
    case .named: return nil
    case .file:
      self.init(.file)
      size = record.size
      let (seconds, rest) = record.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
      time = FileTime(
        seconds: rest < 0 ? seconds - 1 : seconds,
        nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest))
    case .directory: self.init(.directory)
    case .link:
      self.init(.symbolicLink)
      target = record.target
    case .special(let type): self.init(type == .unknown ? nil : type)
    case .unreadable:
      self.init(nil)
      flags.insert(.unreadable)
    }
  }
}
