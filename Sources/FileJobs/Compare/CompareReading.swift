// The reading of files whose content decides.
//
// DESIGN. The findings are the feed of a file processor: one that needs no reading passes as a note,
// so that the order is kept, and one that does has an item for each side to be read. A file that one
// side alone has is read only if a file of the other side alone has the same size or no known one.

internal import SystemPackage
internal import Weir

/// The digests of the files that have to be read, added to the findings.
///
/// @unchecked Sendable: the feed is used by the thread that walks, and the rest by one thread at a
/// time, the one that delivers.
final class CompareReading: @unchecked Sendable {
  private let store: CompareStore
  private let roots: (a: [UInt8]?, b: [UInt8]?)
  private let result: CompareStore
  private let check: () throws -> Void
  private let report: (FileResult) -> Void

  /// - Parameters:
  ///   - store: The findings.
  ///   - roots: The paths of the sides that are read, each with a slash at its end.
  ///   - result: An empty store for the findings with digests.
  init(
    _ store: CompareStore, roots: (a: [UInt8]?, b: [UInt8]?), result: CompareStore,
    check: @escaping () throws -> Void, report: @escaping (FileResult) -> Void
  ) {
    self.store = store
    self.roots = roots
    self.result = result
    self.check = check
    self.report = report
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
        var entry = CompareEntry(.file)
        entry.size = set.size
        let capacity = entry.capacity + set.digests.reduce(0) { $0 + 3 + $1.byteCount }
        try file.write(capacity: capacity) { memory in
          CompareEntry.write(entry, to: memory) { line in
            for (algorithm, digest) in zip(algorithms, set.digests) {
              line.append(CompareDigest(algorithm, digest.bytes))
            }
          }
        }
      })
  }

  func run(
    _ processor: FileProcessor<DigestSet, Void>, on storage: StorageReaders?,
    makeRuns: () -> SortedRuns
  ) throws {
    let wanted = try onlyWanted(makeRuns)
    reader = store.makeReader()
    lookup = wanted.map { CompareLookup($0) }
    let source = FileSource.items { [self] in nextItem() }
    try processor.run([storage.map { source.on($0) } ?? source]) { batch in
      for index in 0..<batch.count { try self.take(batch[index]) }
    }
    if let failure { throw failure }
    try result.finish()
  }

  // MARK: Files of one side

  /// Returns the keys of the files that one side alone has and that may have moved; `nil` for all.
  private func onlyWanted(_ makeRuns: () -> SortedRuns) throws -> SortedRuns? {
    let wanted = makeRuns()
    if store.onlyA.count > 0 && store.onlyB.count > 0 {
      let (a, b) = (makeRuns(), makeRuns())
      var hasSizes = true
      try store.forEach { finding in
        try check()
        guard let side = finding.onlySide, !finding.onlyEntry.isOther else { return }
        guard let size = finding.onlyEntry.size else { return hasSizes = false }
        try (side == .a ? a : b).append(capacity: 8 + finding.key.count) { memory in
          memory.storeBytes(of: size.bigEndian, as: UInt64.self)
          UnsafeMutableRawBufferPointer(rebasing: memory[8...]).copyMemory(from: finding.key)
          return 8 + finding.key.count
        }
      }
      if !hasSizes { return nil }
      try a.finish()
      try b.finish()
      try intersect(a, b, into: wanted)
    }
    try wanted.finish()
    return wanted
  }

  /// Appends the keys of all files that have the size of a file of the other side.
  private func intersect(
    _ a: SortedRuns, _ b: SortedRuns, into wanted: SortedRuns
  ) throws {
    func size(_ record: UnsafeRawBufferPointer) -> UInt64 {
      UInt64(bigEndian: record.loadUnaligned(as: UInt64.self))
    }
    let (readerA, readerB) = (a.makeReader(), b.makeReader())
    var (headA, headB) = (try readerA.next(), try readerB.next())
    while let one = headA, let other = headB {
      try check()
      let shared = size(one)
      if shared == size(other) {
        for (reader, head) in [(readerA, one), (readerB, other)] {
          var next: UnsafeRawBufferPointer? = head
          while let record = next, size(record) == shared {
            try wanted.append(
              key: UnsafeRawBufferPointer(rebasing: record[8...]), .empty)
            next = try reader.next()
          }
          if reader === readerA { headA = next } else { headB = next }
        }
      } else if shared < size(other) {
        headA = try readerA.next()
      } else {
        headB = try readerB.next()
      }
    }
  }

  // MARK: Feed

  private var reader: SortedRuns.Reader?
  /// The names of one side to read; `nil` for all.
  private var lookup: CompareLookup?
  private var failure: (any Error)?
  /// The item of side B that follows the one of side A.
  private var second: FileItem?

  private func nextItem() -> FileItem? {
    if let item = second.take() { return item }
    do {
      try check()
      return try reader?.next().map { try item(of: CompareFinding($0)) }
    } catch {
      failure = error
      return nil
    }
  }

  private func item(of finding: CompareFinding) throws -> FileItem {
    let (readsA, readsB) = try sides(of: finding)
    if readsA && readsB { second = item(of: finding, .b, isLast: true) }
    if readsA { return item(of: finding, .a, isLast: !readsB) }
    return item(of: finding, readsB ? .b : nil, isLast: true)
  }

  /// Returns the sides that have to be read.
  private func sides(of finding: CompareFinding) throws -> (a: Bool, b: Bool) {
    if let side = finding.onlySide {
      let entry = finding.onlyEntry
      let isWanted = try lookup?.find(finding.key) != nil || lookup == nil
      let isRead = isWanted && !entry.isOther && !entry.flags.contains(.unreadable)
      return (isRead && side == .a && roots.a != nil, isRead && side == .b && roots.b != nil)
    }
    let (a, b) = (CompareEntry(finding.a), CompareEntry(finding.b))
    let isRead = CompareReading.decides(a, b)
    return (
      isRead && roots.a != nil && (roots.b != nil || !b.digests.isEmpty),
      isRead && roots.b != nil && (roots.a != nil || !a.digests.isEmpty)
    )
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
  private func item(
    of finding: CompareFinding, _ side: CompareSide?, isLast: Bool
  ) -> FileItem {
    let note = LineWriter.bytes(capacity: 1 + finding.capacity) { line in
      let place: UInt8 = side.map { $0 == .a ? 1 : 2 } ?? 0
      line.append(isLast ? place : place + 4)
      finding.write(to: &line)
    }
    guard let side, let root = side == .a ? roots.a : roots.b else { return .note(note) }
    return FileItem(path: root + finding.name, note: note, isWalked: false)
  }

  // MARK: Delivery

  /// The entry of side A of the next result's finding, with digests.
  private var readA: [UInt8]?

  private func take(_ file: FileResult) throws {
    let note = file.note
    let finding = CompareFinding(UnsafeRawBufferPointer(rebasing: note[1...]))
    let side: CompareSide? = note[0] == 0 ? nil : note[0] & 1 != 0 ? .a : .b
    guard let side else { return try result.append(finding) }
    let old = CompareEntry(side == .a ? finding.a : finding.b)
    let new = entry(old, read: file)
    if note[0] & 4 != 0 {
      readA = new
      return
    }
    let first = readA.take() ?? (side == .a ? new : Array(finding.a))
    let last = side == .b ? new : Array(finding.b)
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
      (entry.size, entry.digests) = (read.size, read.digests)
    } else {
      report(file)
      entry.flags.insert(.unreadable)
    }
    return [UInt8](unsafeUninitializedCapacity: entry.capacity) { memory, count in
      count = entry.write(to: UnsafeMutableRawBufferPointer(memory))
    }
  }
}
