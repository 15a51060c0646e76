// The plan of an update: the names that a walk has found, joined with the ledger.
//
// DESIGN. An update first looks at the status of every file and compares it with the ledger. That is
// the plan: what is unchanged, what is read, what is gone, with true totals before a byte is read. It
// is kept in the order of the new ledger in sorted runs, which hold what comes in order without
// sorting it: memory does not grow with the number of files. Three streams are joined by key: the
// walk, the ledger, and the records of an interrupted run that this one continues. These are facts
// about contents, not verdicts: of each file they have the size, the time and the digests that were
// read, so that a verdict never depends on where a run was interrupted. (Rejected: one pass, in which
// lanes looked records up and the end of the run decided what had become of the rest. Its totals
// were guesses, and moved files had to be found by their status.)

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The counts of a plan.
package struct UpdateTotals: Sendable {
  /// Files that have the size and the time of their record.
  package var unchanged: UInt64 = 0
  /// Files that are read, and their sizes together.
  package var toRead: UInt64 = 0
  package var bytesToRead: UInt64 = 0
  /// Files that the run which this one continues has read.
  package var known: UInt64 = 0
  /// Records whose file cannot be examined.
  package var kept: UInt64 = 0
  /// Files that the run itself writes, and that have a record.
  package var written: [[UInt8]] = []
  /// Records that have no file, and those of them that had one before.
  package var gone: UInt64 = 0
  package var newlyGone: UInt64 = 0
  /// Files without a record.
  package var new: UInt64 = 0
  /// Files of the ledger.
  package var former: UInt64 = 0
  /// All files of the run.
  package var files: UInt64 { unchanged + known + toRead }
  /// Lines of another program's manifest that have no digest.
  package var useless: UInt64 = 0
  /// True if there is a directory.
  package var hasDirectories = false
  /// By source: the number of results, and of files that are gone.
  var results: [Int: UInt64] = [:]
  var goneBySource: [Int: UInt64] = [:]

  /// A source in which nothing was found, although the ledger has files there, and the number of
  /// those. An empty directory has one result, itself.
  package var emptied: (source: Int, files: UInt64)? {
    goneBySource.filter { results[$0.key, default: 0] <= 1 && $0.value > 0 }
      .min { $0.key < $1.key }
      .map { (source: $0.key, files: $0.value) }
  }
}

/// Builds a plan from the results of a walk, in their order.
///
/// @unchecked Sendable: the results are delivered one batch at a time.
final class UpdatePlan: @unchecked Sendable {
  let keys: LedgerKeys
  private let manifest: FormerManifest?
  private let algorithms: [DigestAlgorithm]
  private let accepts: Acceptance
  private let former: FormerEntries?
  private let known: KnownEntries?
  private let makeRuns: () -> SortedRuns
  /// The items by their place in the new ledger, after ``finish()``.
  let items: SortedRuns
  /// The files of the walk by their keys, if they are not in step.
  private let walked: SortedRuns?
  private(set) var totals = UpdateTotals()
  /// The names of directories and lists that could not be read.
  private(set) var unreadable: Set<[UInt8]> = []
  private var key = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private var place = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private let (keyWriter, placeWriter) = (KeyWriter(), KeyWriter())
  private var order: UInt64 = 0
  private var rootCount = 0
  /// The key of the directory that could not be read last, with its end.
  private var hidden: [UInt8] = []
  /// True if the file, and the link, of the present entry of the ledger are there.
  private var (isMatched, isLinkMatched) = (false, false)
  private var hasFormer = false
  /// The files that the run writes: standard output, its trace and the like.
  private let written: [FileIdentity]

  init(
    _ manifest: FormerManifest?, partial: FileDescriptor?, _ keys: LedgerKeys,
    _ algorithms: [DigestAlgorithm], _ accepts: Acceptance, written: [FileDescriptor],
    makeRuns: @escaping () -> SortedRuns, check: () throws -> Void
  ) throws {
    (self.keys, self.manifest, self.algorithms, self.accepts) = (
      keys, manifest, algorithms, accepts
    )
    self.written = written.compactMap { try? FileIdentity(stat(of: $0)) }
    self.makeRuns = makeRuns
    items = makeRuns()
    walked = keys.isInStep ? nil : makeRuns()
    former = try manifest.map { try FormerEntries($0, keys, runs: makeRuns, check: check) }
    known = try partial.map { try KnownEntries($0, keys, makeRuns(), check) }
    hasFormer = try former?.advance() ?? false
  }

  deinit {
    key.deallocate()
    place.deallocate()
  }

  // MARK: The walk

  /// Takes in a result of the walk.
  func take(_ result: FileResult, followsLinks: Bool) throws {
    totals.results[result.source, default: 0] += 1
    guard let header = header(of: result, followsLinks: followsLinks) else { return }
    // A descriptor has its name as its note.
    let path = header.isDescriptor ? result.note : result.path
    let name = DashFile.isDash(path) && !header.isDescriptor ? DashFile.name : path
    guard
      let count = keys.write(name, source: result.source, of: keys.names, by: keyWriter, to: &key)
    else {
      return
    }
    let isLink = header.step == .link
    let target = isLink ? result.output : UnsafeRawBufferPointer.empty
    if let walked {
      let capacity = count + UpdateItem.capacity(path, target)
      try walked.append(writing: capacity) { line in
        line.append(UnsafeRawBufferPointer(rebasing: key[..<count]))
        UpdateItem.write(header, path, target: target, to: &line)
      }
    } else {
      let key = UnsafeRawBufferPointer(rebasing: key[..<count])
      try join(key, header, path, target)
    }
  }

  /// Returns the header of the item of a result; `nil` for one that is in no ledger.
  private func header(of result: FileResult, followsLinks: Bool) -> UpdateItem.Header? {
    var header: UpdateItem.Header
    switch result.outcome {
    case .done:
      header = UpdateItem.Header(.read)
      let output = result.output
      header.size = output.littleEndian(at: 0)
      header.time = FileTime(
        seconds: output.littleEndian(at: 8), nanoseconds: output.littleEndian(at: 16))
    case .noted:
      header = UpdateItem.Header(.read)
      header.isDescriptor = true
    case .directory:
      if result.isNamed { rootCount = followsLinks ? 0 : result.path.count }
      header = UpdateItem.Header(.directory)
      totals.hasDirectories = true
    case .link: header = UpdateItem.Header(.link)
    case .failed, .changed:
      if result.outcome.isMissing { return nil }
      header = UpdateItem.Header(.kept)
      // Below it nothing is known.
      if result.type != .file {
        unreadable.insert(Array(result.path))
        header.isDirectory = true
      }
    case .special: return nil
    }
    header.source = Int32(clamping: result.source)
    header.isNamed = result.isNamed
    header.rootCount = result.isNamed ? 0 : UInt32(rootCount)
    header.order = order
    order += 1
    return header
  }

  /// Ends the plan, after the walk.
  func finish() throws {
    if let walked {
      try walked.finish()
      let reader = walked.makeReader()
      while let record = try reader.next() {
        let count = LedgerKeys.count(in: record)
        let item = UpdateItem(UnsafeRawBufferPointer(rebasing: record[count...]))
        try join(
          UnsafeRawBufferPointer(rebasing: record[..<count]), item.header, item.name, item.target)
      }
    }
    while hasFormer { try leave() }
    totals.former = former?.count ?? 0
    totals.useless = former?.uselessCount ?? 0
    try items.finish()
  }

  // MARK: The join

  /// Joins a name of the walk with the records of its key.
  private func join(
    _ key: UnsafeRawBufferPointer, _ header: UpdateItem.Header, _ name: UnsafeRawBufferPointer,
    _ target: UnsafeRawBufferPointer
  ) throws {
    var order = 1
    while hasFormer, let former {
      order = former.key.withUnsafeBytes { $0.order(to: key) }
      if order >= 0 { break }
      try leave()
    }
    if header.isDirectory { hidden = Array(key) }
    let read = try known?.find(key)
    guard order == 0, let former else {
      return try place(header, name, target, nil, nil, read, at: key)
    }
    try former.withEntry { file, link in
      switch header.step {
      case .directory: break
      case .link: isLinkMatched = true
      default: isMatched = isMatched || file != nil
      }
      try place(header, name, target, file, link, read, at: key)
    }
  }

  /// Leaves the present entry of the ledger: without a file, its record is gone.
  private func leave() throws {
    guard let former else { return }
    try former.withEntry { file, link in
      if let link, !isLinkMatched { try lose(link, former.key) }
      if let file, !isMatched { try lose(file, former.key) }
    }
    (isMatched, isLinkMatched) = (false, false)
    hasFormer = try former.advance()
  }

  /// Places the record of a file or a link that the walk has not found.
  private func lose(_ record: LedgerEntry, _ key: [UInt8]) throws {
    guard let present = manifest?.presentName(of: record) else { return }
    let isWritten = !record.isLink && isWritten(present.name)
    if isWritten { totals.written.append(present.name) }
    let isHidden =
      isWritten || !hidden.isEmpty && key.withUnsafeBytes { LedgerKeys.isBelow($0, hidden) }
    let step: UpdateItem.Step =
      record.isLink ? isHidden ? .link : .unlinked : isHidden ? .kept : .gone
    var header = UpdateItem.Header(step)
    header.source = Int32(clamping: present.sources.first ?? record.source ?? 0)
    if step == .kept {
      totals.kept += 1
    } else if step == .gone {
      totals.gone += 1
      if record.open?.kind != .gone { totals.newlyGone += 1 }
      for source in present.sources { totals.goneBySource[source, default: 0] += 1 }
    }
    try present.name.withUnsafeBytes { name in
      try key.withUnsafeBytes {
        try append(
          header, name, order: nil, step == .link ? record.target : .empty, record, nil, at: $0)
      }
    }
  }

  private func isWritten(_ name: [UInt8]) -> Bool {
    guard let status = try? LongPath.status(name + [0], followsLinks: false) else { return false }
    return written.contains(FileIdentity(status))
  }

  /// Decides what is done for a name, and places it.
  private func place(
    _ found: UpdateItem.Header, _ name: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer,
    _ file: LedgerEntry?, _ link: LedgerEntry?, _ known: LedgerEntry?,
    at key: UnsafeRawBufferPointer
  ) throws {
    var header = found
    switch header.step {
    case .directory: return try append(header, name, order: header.order, .empty, nil, nil, at: key)
    case .link: return try append(header, name, order: header.order, target, link, nil, at: key)
    case .kept:
      guard let file else { return }
      totals.kept += 1
      return try append(header, name, order: header.order, .empty, file, nil, at: key)
    case .read, .unchanged, .known, .gone, .unlinked: break
    }
    if file == nil { totals.new += 1 }
    let isUnchanged =
      !header.isDescriptor && file.map { isReusable($0, header) && $0.open == nil } ?? false
    if isUnchanged, !accepts.reads(name), let file {
      totals.unchanged += 1
      return try append(unchanged: header, name, file.digests, at: key)
    }
    if !header.isDescriptor, let known, isReusable(known, header),
      file.map({ agrees($0, with: known, header) }) ?? true
    {
      header.step = .known
      totals.known += 1
      return try append(header, name, order: header.order, .empty, file, known, at: key)
    } else {
      totals.toRead += 1
      totals.bytesToRead += header.size
    }
    try append(header, name, order: header.order, .empty, file, nil, at: key)
  }

  private func isReusable(_ entry: LedgerEntry, _ header: UpdateItem.Header) -> Bool {
    entry.matches(header.size, header.time) && entry.hasAll(algorithms)
  }

  /// Returns true if the content that an interrupted run has read gives the verdict on a record: they
  /// have an algorithm in common, and it is not rot, which may have been mended meanwhile under the
  /// same time.
  private func agrees(
    _ record: LedgerEntry, with known: LedgerEntry, _ header: UpdateItem.Header
  ) -> Bool {
    let shared = known.digests.algorithms.filter(record.digests.has)
    if shared.isEmpty || !record.matches(header.size, header.time) { return !shared.isEmpty }
    return shared.allSatisfy { algorithm in
      known.digests.digest(algorithm).map { record.digests.permits(algorithm, $0) } ?? true
    }
  }

  private func append(
    unchanged header: UpdateItem.Header, _ name: UnsafeRawBufferPointer, _ digests: RecordDigests,
    at key: UnsafeRawBufferPointer
  ) throws {
    guard let place = place(of: name, header, order: header.order, key) else { return }
    try items.append(
      writing: place.count + UpdateItem.capacity(unchanged: name, digests)
    ) { line in
      line.append(place)
      UpdateItem.write(unchanged: name, source: header.source, digests, to: &line)
    }
  }

  private func append(
    _ header: UpdateItem.Header, _ name: UnsafeRawBufferPointer, order: UInt64?,
    _ target: UnsafeRawBufferPointer, _ record: LedgerEntry?, _ known: LedgerEntry?,
    at key: UnsafeRawBufferPointer
  ) throws {
    guard let place = place(of: name, header, order: order, key) else { return }
    try items.append(
      writing: place.count + UpdateItem.capacity(name, target, record, known)
    ) { line in
      line.append(place)
      UpdateItem.write(header, name, target: target, record, known, to: &line)
    }
  }

  /// Returns the key of the place of a name in the new ledger, with its end: in step, the one by which
  /// it was joined.
  private func place(
    of name: UnsafeRawBufferPointer, _ header: UpdateItem.Header, order: UInt64?,
    _ key: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    if keys.isInStep { return key }
    let lineName = DashFile.isDash(name) && !header.isDescriptor ? DashFile.name : name
    return keys.writePlace(
      lineName, source: Int(header.source), order: order, by: placeWriter, to: &place
    )
    .map { UnsafeRawBufferPointer(rebasing: place[..<$0]) }
  }
}

/// The records of the run that this one continues, by their keys: of several of one name the last.
final class KnownEntries {
  private let reader: SortedRuns.Reader
  private var head: UnsafeRawBufferPointer?
  /// The key that was found last, and its entry.
  private var foundKey: [UInt8] = []
  private var found = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private var foundCount = 0

  init(
    _ partial: FileDescriptor, _ keys: LedgerKeys, _ runs: SortedRuns, _ check: () throws -> Void
  ) throws {
    let records = RecordReader(partial, unreadable: .end)
    let (memory, writer) = (GrowingMemory(), KeyWriter())
    var number: UInt32 = 0
    while let record = try records.next() {
      try check()
      // A record with a mark is none of a content that was read.
      guard record.open == nil,
        let count = keys.write(
          record.name, source: record.source ?? 0, of: keys.names, by: writer,
          to: &memory.bytes)
      else { continue }
      let bytes = memory.append(record, after: count)
      try runs.append(writing: bytes.count + 4) { line in
        line.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        line.append(littleEndian: number.bigEndian)
        line.append(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      }
      number += 1
    }
    try runs.finish()
    reader = runs.makeReader()
    head = try reader.next()
  }

  deinit { found.deallocate() }

  /// Returns the last record of a key, valid until the next call; `nil` if there is none. Keys are
  /// asked for in their order.
  func find(_ key: UnsafeRawBufferPointer) throws -> LedgerEntry? {
    while let record = head {
      let count = LedgerKeys.count(in: record)
      let order = UnsafeRawBufferPointer(rebasing: record[..<count]).order(to: key)
      if order > 0 { break }
      if order == 0 { keep(record, keyCount: count) }
      head = try reader.next()
    }
    guard foundKey.withUnsafeBytes({ $0.hasSameBytes(as: key) }) else { return nil }
    return LedgerEntry(UnsafeRawBufferPointer(rebasing: found[..<foundCount]))
  }

  private func keep(_ record: UnsafeRawBufferPointer, keyCount: Int) {
    foundKey.removeAll(keepingCapacity: true)
    foundKey.append(contentsOf: record[..<keyCount])
    let entry = UnsafeRawBufferPointer(rebasing: record[(keyCount + 4)...])
    found.ensure(entry.count)
    found.copyMemory(from: entry)
    foundCount = entry.count
  }
}

extension FileOutcome {
  /// True if the job of the file has succeeded.
  var isDone: Bool { if case .done = self { true } else { false } }

  /// True if the file does not exist any more.
  var isMissing: Bool {
    switch self {
    case .failed(let error as Errno), .changed(let error?): error.isMissing
    default: false
    }
  }
}
