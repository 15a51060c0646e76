// The reading of files whose content decides.
//
// DESIGN. The findings are the feed of a file processor: one that needs no reading passes as a note,
// so that the order is kept, and one that does has an item for each side to be read. A file that one
// side alone has is read only if a file of the other side alone has the same size or no known one
// (``CompareSizes``).

internal import SystemPackage
internal import Weir

/// The digests of the files that have to be read, added to the findings.
///
/// @unchecked Sendable: the feed is used by the thread that walks, and the rest by one thread at a
/// time, the one that delivers.
final class CompareReading: @unchecked Sendable {
  private let store: CompareStore
  private let roots: CompareSides<[UInt8]?>
  private let result: CompareStore
  private let check: () throws -> Void
  private let report: (FileResult) -> Void

  /// - Parameters:
  ///   - store: The findings.
  ///   - roots: The paths of the sides that are read, each with a slash at its end.
  ///   - result: An empty store for the findings with digests.
  init(
    _ store: CompareStore, roots: CompareSides<[UInt8]?>, result: CompareStore,
    check: @escaping () throws -> Void, report: @escaping (FileResult) -> Void
  ) {
    (self.store, self.roots, self.result) = (store, roots, result)
    (self.check, self.report) = (check, report)
    reader = store.makeReader()
  }

  /// Makes the processor that reads.
  static func makeProcessor(
    _ algorithms: [DigestAlgorithm], _ options: FileProcessorOptions
  ) throws(Errno) -> FileProcessor<DigestSet, Void> {
    var options = options
    options.order = .input
    options.filters = []
    let helpers = HelperLanes(options)
    return try FileProcessor(
      options,
      context: { () throws(Errno) -> DigestSet in try DigestSet(algorithms, helpers: helpers) },
      job: { (file, set) throws(Errno) -> Void in
        try set.compute(file)
        var digests: [UInt8] = []
        for (algorithm, digest) in zip(algorithms, set.digests) {
          digests.append(CompareDigest(algorithm, digest.bytes))
        }
        var entry = CompareEntry(.file)
        entry.size = set.size
        let bytes = digests.withUnsafeBytes { entry.bytes(digests: $0) }
        try file.write(capacity: bytes.count) { memory in
          memory.copyBytes(from: bytes)
          return bytes.count
        }
      })
  }

  func run(_ processor: FileProcessor<DigestSet, Void>, on storage: StorageReaders?) throws {
    let source = FileSource.items { [self] in nextItem() }
    try processor.run([storage.map { source.on($0) } ?? source]) { batch in
      for index in 0..<batch.count { try self.take(batch[index]) }
    }
    if let failure { throw failure }
    try result.finish()
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
      return try reader.next().map { item(of: CompareFinding($0)) }
    } catch {
      failure = error
      return nil
    }
  }

  private func item(of finding: CompareFinding) -> FileItem {
    let reads = sides(of: finding)
    if reads.a && reads.b { second = item(of: finding, .b, isLast: true) }
    if reads.a { return item(of: finding, .a, isLast: !reads.b) }
    return item(of: finding, reads.b ? .b : nil, isLast: true)
  }

  /// Returns the sides that have to be read.
  private func sides(of finding: CompareFinding) -> CompareSides<Bool> {
    if let side = finding.onlySide {
      let entry = finding.onlyEntry
      let other = store.only[side == .a ? .b : .a]
      var reads = CompareSides(false, false)
      reads[side] =
        roots[side] != nil && !entry.isOther && !entry.flags.contains(.unreadable)
        && other.sizes.mayContain(entry.size)
      return reads
    }
    let (a, b) = (CompareEntry(finding.entries.a), CompareEntry(finding.entries.b))
    let isRead = CompareReading.decides(a, b)
    return CompareSides(
      isRead && roots.a != nil && (roots.b != nil || !b.digests.isEmpty),
      isRead && roots.b != nil && (roots.a != nil || !a.digests.isEmpty))
  }

  /// Returns true if the content decides on two entries.
  static func decides(_ a: CompareEntry, _ b: CompareEntry) -> Bool {
    if a.isOther || b.isOther { return false }
    switch CompareVerdict(a, b) {
    case .same(.digest, _), .differs(.digest), .differs(.size): return false
    case .unknown(let doubt): return doubt == .nothingShared
    default: return true
    }
  }

  /// Makes the item of a side, or the note of a finding that needs no reading. The note is a byte
  /// with the side, and the finding.
  private func item(of finding: CompareFinding, _ side: CompareSide?, isLast: Bool) -> FileItem {
    let note = LineWriter.bytes(capacity: 1 + finding.capacity) { line in
      let place: UInt8 = side.map { $0 == .a ? 1 : 2 } ?? 0
      line.append(isLast ? place : place + 4)
      finding.write(to: &line)
    }
    guard let side, let root = roots[side] else { return .note(note) }
    let name = CompareEntry(finding.entries[side]).target
    return FileItem(
      path: root + (name.isEmpty ? finding.name : Array(name)), note: note, isWalked: false)
  }

  // MARK: Delivery

  /// The entry of side A of the next result's finding, with digests.
  private var readA: [UInt8]?

  private func take(_ file: FileResult) throws {
    let note = file.note
    let finding = CompareFinding(UnsafeRawBufferPointer(rebasing: note[1...]))
    if note[0] == 0 { return try result.append(finding) }
    let side: CompareSide = note[0] & 1 != 0 ? .a : .b
    let new = entry(CompareEntry(finding.entries[side]), read: file)
    if note[0] & 4 != 0 { return readA = new }
    let first = readA.take() ?? (side == .a ? new : Array(finding.entries.a))
    let last = side == .b ? new : Array(finding.entries.b)
    try first.withUnsafeBytes { a in
      try last.withUnsafeBytes { b in
        try result.append(CompareFinding(finding.key, a: a, b: b))
      }
    }
  }

  /// Returns an entry with the digests and the size that were read.
  private func entry(_ old: CompareEntry, read file: FileResult) -> [UInt8] {
    var entry = old
    if case .done = file.outcome, !file.output.isEmpty {
      let read = CompareEntry(file.output)
      entry.size = read.size
      return entry.bytes(digests: read.digests)
    }
    report(file)
    entry.flags.insert(.unreadable)
    return entry.bytes(digests: entry.digests)
  }
}
