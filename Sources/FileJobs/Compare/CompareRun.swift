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
  private let inputs: (a: CompareInput, b: CompareInput)
  private let deliver: ([UInt8], CompareVerdict) throws -> Void
  private let report: @Sendable (FileResult) -> Void
  private var kept: (a: Kept?, b: Kept?)
  private(set) var counts = CompareCounts()
  private(set) var samples = CompareSamples()
  /// The algorithms of the digests that manifests have.
  private var algorithms: Set<UInt8> = []
  private var steps: UInt64 = 0

  init(
    _ job: CompareJob, _ inputs: (CompareInput, CompareInput),
    deliver: @escaping ([UInt8], CompareVerdict) throws -> Void,
    report: @escaping @Sendable (FileResult) -> Void
  ) {
    self.job = job
    self.inputs = inputs
    self.deliver = deliver
    self.report = report
  }

  func run() throws {
    var store = try merge()
    kept = (nil, nil)
    if job.options.reads { store = try read(store) }
    let moves = try CompareMoves.find(
      in: store, makeRuns: { self.makeRuns(eighths: 1) }, check: step)
    try finish(store, moves)
  }

  private func makeRuns(eighths: Int) -> SortedRuns {
    let memory = Int(clamping: job.options.memory) / 8 * eighths
    return SortedRuns(memory: memory, in: job.options.temporary)
  }

  /// Throws `canceled` soon after a cancel.
  @Sendable private func step() throws(Errno) {
    steps += 1
    if steps & 0xFFF == 0 { try job.add(names: 0) }
  }

  // MARK: Sides

  /// Returns the records of a side from the first one on.
  private func records(of side: CompareSide) throws -> CompareRecords {
    if let kept = side == .a ? kept.a : kept.b {
      return CompareRecords(.sorted(kept.runs.makeReader(), hasTypes: kept.hasTypes))
    }
    let input = side == .a ? inputs.a : inputs.b
    switch input.source {
    case .directory(let source):
      try keep(Kept(runs: walk(source, stripping: input.stripped), hasTypes: true), side)
      return try records(of: side)
    case .manifest(let manifest):
      let file = try CompareFile(manifest)
      if file.canRepeat {
        let reader = makeReader(file, input.stripped)
        return CompareRecords(.manifest(reader, name: file.name))
      }
      try sort(side)
      return try records(of: side)
    }
  }

  private func keep(_ records: Kept, _ side: CompareSide) {
    if side == .a { kept.a = records } else { kept.b = records }
  }

  private func makeReader(_ file: CompareFile, _ stripped: Int) -> CompareManifestReader {
    let isZeroTerminated = job.options.isZeroTerminated
    return CompareManifestReader(
      file, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"),
      ManifestParser(untagged: job.options.untagged, isZeroTerminated: isZeroTerminated),
      stripping: stripped)
  }

  /// Sorts the records of a manifest.
  private func sort(_ side: CompareSide) throws {
    let input = side == .a ? inputs.a : inputs.b
    guard case .manifest(let manifest) = input.source else { return }
    let file = try CompareFile(manifest)
    let reader = makeReader(file, input.stripped)
    let (runs, buffer) = (makeRuns(eighths: 2), CompareBuffer())
    while try Fault.of(file.name, try reader.read(to: buffer)) {
      try step()
      try runs.append(buffer.bytes)
    }
    try runs.finish()
    keep(Kept(runs: runs, hasTypes: reader.hasTypes), side)
    if side == .a { counts.faults.a = reader.faults } else { counts.faults.b = reader.faults }
  }

  /// Walks a directory.
  private func walk(_ source: FileSource, stripping stripped: Int) throws -> SortedRuns {
    let plan = try PlanJob(options: job.processorOptions)
    let (runs, buffer) = (makeRuns(eighths: 2), CompareBuffer())
    let root = source.nameBytes.count
    try job.begin(plan.control)
    defer { job.endStage() }
    // One delivery comes at a time, and nothing else uses the buffer meanwhile.
    nonisolated(unsafe) let memory = buffer
    try plan.run([source], lists: []) { [self] record, _ in
      guard let entry = CompareEntry(record) else { return }
      let name = UnsafeRawBufferPointer(rebasing: record.path[min(root, record.path.count)...])
      let relative = UnsafeRawBufferPointer(
        rebasing: name[(name.firstIndex { $0 != UInt8(ascii: "/") } ?? name.count)...])
      if memory.put(relative, stripping: stripped, entry), memory.keyCount > 0 {
        try runs.append(memory.bytes)
      }
      if case .unreadable = record.kind { counts.unreadable += 1 }
    } report: { [report] result in
      switch result.outcome {
      case .failed, .changed: report(result)
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
      let unordered = try merge(into: store)
      if unordered.isEmpty {
        try store.finish()
        return store
      }
      for side in unordered { try sort(side) }
      let (faults, unreadable) = (counts.faults, counts.unreadable)
      counts = CompareCounts()
      (counts.faults, counts.unreadable) = (faults, unreadable)
      samples = CompareSamples()
    }
  }

  /// Returns the sides that are out of order; if there are none, the store is complete.
  private func merge(into store: CompareStore) throws -> [CompareSide] {
    let (a, b) = (try records(of: .a), try records(of: .b))
    try merge(a, b, into: store)
    if a.isOutOfOrder || b.isOutOfOrder {
      return (a.isOutOfOrder ? [.a] : []) + (b.isOutOfOrder ? [.b] : [])
    }
    if let faults = a.faults { counts.faults.a = faults }
    if let faults = b.faults { counts.faults.b = faults }
    return []
  }

  private func merge(_ a: CompareRecords, _ b: CompareRecords, into store: CompareStore) throws {
    try a.begin()
    try b.begin()
    var (headA, headB) = (try a.next(), try b.next())
    var names: UInt64 = 0
    while headA != nil || headB != nil {
      if a.isOutOfOrder || b.isOutOfOrder { return }
      names += 1
      if names & 0xFFF == 0 { try job.add(names: 0x1000) }
      let order = headA.map { one in headB.map { one.key.order(to: $0.key) } ?? -1 } ?? 1
      if let one = headA, let other = headB, order == 0 {
        try pair(one, other, into: store)
      } else if let one = headA, order < 0 {
        try only(one, .a, isKept: b.hasTypes, into: store)
      } else if let other = headB {
        try only(other, .b, isKept: a.hasTypes, into: store)
      }
      if order <= 0 { headA = try a.next() }
      if order >= 0 { headB = try b.next() }
    }
    try job.add(names: names & 0xFFF)
  }

  private func pair(_ one: CompareBuffer, _ other: CompareBuffer, into store: CompareStore) throws {
    let (a, b) = (one.entry, other.entry)
    noteAlgorithms(a, b)
    let needsReading = job.options.reads && CompareReading.decides(a, b)
    let verdict = CompareVerdict(a, b)
    if case .same = verdict, !job.options.listsSame && !needsReading {
      counts.count(verdict)
    } else {
      try store.append(CompareFinding(one.key, a: one.payload, b: other.payload))
    }
  }

  /// - Parameter isKept: True if the other side would have the entry of a directory or a link.
  private func only(
    _ record: CompareBuffer, _ side: CompareSide, isKept: Bool, into store: CompareStore
  ) throws {
    let entry = record.entry
    if entry.isOther && !isKept || entry.flags.contains(.optional) { return }
    noteAlgorithms(entry, entry)
    let (key, payload) = (record.key, record.payload)
    if !entry.isOther { samples.add(CompareKey.name(of: key), side) }
    try store.append(
      CompareFinding(key, a: side == .a ? payload : .empty, b: side == .b ? payload : .empty))
  }

  private func noteAlgorithms(_ entries: CompareEntry...) {
    if !job.options.reads { return }
    for digest in entries.lazy.flatMap({ CompareDigests($0.digests) }) {
      algorithms.insert(digest.algorithm)
      if digest.alternative != CompareDigest.none { algorithms.insert(digest.alternative) }
    }
  }

  // MARK: Reading

  /// Returns the findings with the digests of the files that have to be read.
  private func read(_ store: CompareStore) throws -> CompareStore {
    func root(_ input: CompareInput) -> [UInt8]? {
      guard let source = input.directory else { return nil }
      let slash = UInt8(ascii: "/")
      let name = source.nameBytes
      return name.last == slash ? name : name + [slash]
    }
    let roots = (a: root(inputs.a), b: root(inputs.b))
    let storage = [inputs.a, inputs.b].compactMap(\.directory?.storage).first
    let indices = algorithms.isEmpty ? [UInt8(DigestAlgorithm.xxh128.index)] : algorithms.sorted()
    let processor = try CompareReading.makeProcessor(
      indices.map { DigestAlgorithm(index: Int($0)) }, job.processorOptions)
    try job.begin(JobControl(processor))
    defer { job.endStage() }
    let result = CompareStore(makeRuns(eighths: 1))
    let reading = CompareReading(
      store, roots: roots, result: result, check: { try self.step() }
    ) { [self] result in
      counts.unreadable += 1
      report(result)
    }
    try reading.run(processor, on: storage) { self.makeRuns(eighths: 1) }
    return result
  }

  // MARK: Delivery

  private func finish(_ store: CompareStore, _ moves: SortedRuns?) throws {
    var lookup = moves.map { CompareLookup($0) }
    try store.forEach { finding in
      try step()
      let verdict: CompareVerdict
      if let side = finding.onlySide {
        let move = try lookup?.find(finding.key)
        // The new name of a file that has moved.
        if move != nil && side == .b { return }
        verdict = move.map { .moved(to: CompareKey.name(of: $0)) } ?? .only(side)
      } else {
        verdict = CompareVerdict(CompareEntry(finding.a), CompareEntry(finding.b))
      }
      counts.count(verdict)
      if case .same = verdict, !job.options.listsSame { return }
      try deliver(finding.name, verdict)
    }
  }
}

/// A manifest that is open, closed with the last reference unless the caller has opened it.
final class CompareFile {
  let descriptor: FileDescriptor
  private let isOwned: Bool
  /// True if it is a regular file, which can be read from its beginning again.
  let canRepeat: Bool

  let name: [UInt8]

  init(_ manifest: CheckManifest) throws(Fault) {
    switch manifest.source {
    case .descriptor(let given): (descriptor, isOwned, name) = (given, false, Array("-".utf8))
    case .path(let path, let directory):
      descriptor = try Fault.of(path, try CheckManifest.open(path, from: directory))
      (isOwned, name) = (true, path)
    }
    canRepeat = isOwned
  }

  deinit { if isOwned { try? descriptor.close() } }
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
