// DESIGN. The findings are the feed of a file processor: one that needs no reading passes as a
// note, to keep the order; another has an item for each side to be read. A file of one side alone
// is read only if one of the other side alone has the same size or no known one (``SizeSet``).

internal import SystemPackage
internal import Weir

/// The digests of the files that have to be read, added to the findings.
///
/// @unchecked Sendable: the feed is used by the thread that walks, and the rest by one thread at a
/// time, the one that delivers.
final class ContentReading: @unchecked Sendable {
  private let findings: Findings
  private let roots: Sides<[UInt8]?>
  private let result: Findings
  private let processor: FileProcessor<DigestSet, Void>
  private let check: () throws -> Void
  private let report: (FileResult) -> Void

  /// - Parameter roots: The path before the names of each side whose files are read; `nil` for a
  ///   manifest. `report` is called with each result of a file that could not be read.
  init(
    _ findings: Findings, roots: Sides<[UInt8]?>, by algorithms: [DigestAlgorithm],
    _ options: FileProcessorOptions, _ space: SortSpace, check: @escaping () throws -> Void,
    report: @escaping (FileResult) -> Void = { _ in }
  ) throws(Errno) {
    (self.findings, self.roots) = (findings, roots)
    result = Findings(in: space, digestsOnly: findings.digestsOnly)
    (self.check, self.report) = (check, report)
    reader = findings.makeReader()
    var options = options
    options.order = .input
    options.filters = []
    let helpers = HelperLanes(options)
    processor = try FileProcessor(
      options,
      context: { () throws(Errno) -> DigestSet in try DigestSet(algorithms, helpers: helpers) },
      job: { (file, set) throws(Errno) -> Void in
        try set.compute(file)
        var digests: [UInt8] = []
        for (algorithm, digest) in zip(algorithms, set.digests) {
          digests.append(EntryDigest(algorithm, digest.bytes))
        }
        var entry = InventoryEntry(.file)
        entry.size = set.size
        let bytes = digests.withUnsafeBytes { digests in
          entry.digests = digests
          return entry.bytes
        }
        try file.write(bytes)
      })
  }

  var control: JobControl { JobControl(processor) }

  func run(on storage: StorageReaders?) throws -> Findings {
    let source = FileSource.items { [self] in nextItem() }
    try processor.run([storage.map { source.on($0) } ?? source]) { batch in
      for index in 0..<batch.count { try self.take(batch[index]) }
    }
    if let failure { throw failure }
    try result.finish()
    return result
  }

  // MARK: Feed

  private let reader: SortedRuns.Reader
  private var failure: (any Error)?
  /// The item of side B that follows the one of side A.
  private var second: FileItem?

  private func nextItem() -> FileItem? {
    if let item = second.take() { return item }
    do {
      try check()
      return try reader.next().map { item(of: Finding($0)) }
    } catch {
      failure = error
      return nil
    }
  }

  private func item(of finding: Finding) -> FileItem {
    let reads = sides(of: finding)
    if reads.a && reads.b { second = item(of: finding, .b, isLast: true) }
    if reads.a { return item(of: finding, .a, isLast: !reads.b) }
    return item(of: finding, reads.b ? .b : nil, isLast: true)
  }

  private func sides(of finding: Finding) -> Sides<Bool> {
    if let side = finding.onlySide {
      let entry = finding.onlyEntry
      var reads = Sides(false, false)
      reads[side] =
        roots[side] != nil && !entry.isOther && !entry.isUnreadable
        && findings.only[side.other].sizes.mayContain(entry.size)
      return reads
    }
    let (a, b) = (InventoryEntry(finding.entries.a), InventoryEntry(finding.entries.b))
    let isRead = EntryVerdict.needsContent(a, b)
    return Sides(
      isRead && roots.a != nil && (roots.b != nil || !b.digests.isEmpty),
      isRead && roots.b != nil && (roots.a != nil || !a.digests.isEmpty))
  }

  /// Makes the item of a side, or the note of a finding that needs no reading. The note is a byte
  /// with the side, and the finding.
  private func item(of finding: Finding, _ side: Side?, isLast: Bool) -> FileItem {
    let note = LineWriter.bytes(capacity: 1 + finding.capacity) { line in
      let place: UInt8 = side.map { $0 == .a ? 1 : 2 } ?? 0
      line.append(isLast ? place : place + 4)
      finding.write(to: &line)
    }
    guard let side, let root = roots[side] else { return .note(note) }
    let name = InventoryEntry(finding.entries[side]).text
    return FileItem(
      path: root + (name.isEmpty ? EntryKey.name(of: finding.key) : Array(name)), note: note,
      isWalked: false)
  }

  // MARK: Delivery

  /// The entry of side A of the next result's finding, with digests.
  private var readA: [UInt8]?

  private func take(_ file: FileResult) throws {
    let note = file.note
    let finding = Finding(note[1...].rebased)
    if note[0] == 0 { return try result.append(finding) }
    let side: Side = note[0] & 1 != 0 ? .a : .b
    let new = entry(InventoryEntry(finding.entries[side]), read: file)
    if note[0] & 4 != 0 { return readA = new }
    let first = readA.take() ?? (side == .a ? new : Array(finding.entries.a))
    let last = side == .b ? new : Array(finding.entries.b)
    try first.withUnsafeBytes { a in
      try last.withUnsafeBytes { b in try result.append(Finding(finding.key, a: a, b: b)) }
    }
  }

  private func entry(_ old: InventoryEntry, read file: FileResult) -> [UInt8] {
    var entry = old
    if case .done = file.outcome, !file.output.isEmpty {
      let read = InventoryEntry(file.output)
      (entry.size, entry.digests) = (read.size, read.digests)
    } else {
      report(file)
      entry.failure = FileFailure(file) ?? .changed
    }
    return entry.bytes
  }
}
