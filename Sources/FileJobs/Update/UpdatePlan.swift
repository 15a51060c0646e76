// The plan of an update: the names that a walk has found, joined with the ledger.
//
// DESIGN. An update first reads the status of every file and compares it with the ledger. That is
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
  package var hasDirectories = false
  /// By source: the number of results, and the records that have no file or link.
  var results: [UInt64] = []
  var lost: [Int: LostRecords] = [:]

  /// A source in which nothing was found, although the ledger has files or links there, and the
  /// numbers of those. An empty directory has one result, itself.
  package var emptied: (source: Int, lost: LostRecords)? {
    lost.filter { results.dropFirst($0.key).first ?? 0 <= 1 }.min { $0.key < $1.key }
      .map { (source: $0.key, lost: $0.value) }
  }
}

/// The numbers of the files and links of the ledger that were not found.
package struct LostRecords: Sendable {
  package var files: UInt64 = 0
  package var links: UInt64 = 0
}

/// Builds a plan from the results of a walk, in their order.
///
/// @unchecked Sendable: the results are delivered one batch at a time.
final class UpdatePlan: @unchecked Sendable {
  private let keys: LedgerKeys
  private let manifest: FormerManifest?
  private let algorithms: [DigestAlgorithm]
  private let accepts: Acceptance
  private let former: LedgerEntries?
  private let known: LedgerEntries?
  /// The items by their place in the new ledger, after ``finish()``: the names after the unchanged
  /// lines at its beginning.
  let items: SortedRuns
  /// The files of the walk by their keys, if they are not in step.
  private let walked: SortedRuns?
  let unchanged: UnchangedLines?
  private let followsLinks: Bool
  private(set) var totals = UpdateTotals()
  /// The results that were reported, with the one at which the ledger was out of step, by ``key(of:)``.
  var reported: Set<Int> = []
  /// The names of directories and lists that could not be read.
  private(set) var unreadable: Set<[UInt8]> = []
  private let (walkKeys, placeKeys) = (LedgerKeyWriter(), LedgerKeyWriter())
  private var order: UInt64 = 0
  private var rootCount = 0
  /// The key of the directory that could not be read last.
  private var hidden: [UInt8]?
  /// True if the file, and the link, of the present entry of the ledger are there.
  private var (isMatched, isLinkMatched) = (false, false)
  /// The files that the run writes: standard output, its trace and the like.
  private let written: [FileIdentity]

  init(
    _ manifest: FormerManifest?, partial: FileDescriptor?, _ keys: LedgerKeys,
    _ options: UpdateJob.Options, written: [FileDescriptor], makeRuns: () -> SortedRuns,
    check: () throws -> Void
  ) throws {
    (self.keys, self.manifest) = (keys, manifest)
    (algorithms, accepts) = (options.algorithms, options.accepts)
    followsLinks = options.processor.followsSymbolicLinks
    unchanged =
      keys.isInStep && partial == nil
      ? try manifest.flatMap { try UnchangedLines($0, options.form, options.header) } : nil
    self.written = written.compactMap { try? FileIdentity(stat(of: $0)) }
    items = makeRuns()
    walked = keys.isInStep ? nil : makeRuns()
    former = try manifest.map { try LedgerEntries($0, keys, runs: makeRuns, check: check) }
    known = try partial.map { try LedgerEntries($0, keys, makeRuns(), check) }
  }

  // MARK: The walk

  /// Returns a hash of the source and the name of a result that has a message; `nil` for any other. In
  /// step no two results have the same.
  static func key(of result: FileResult) -> Int? {
    switch result.outcome {
    case .done, .noted, .directory, .link: return nil
    case .failed, .changed, .special:
      var hasher = Hasher()
      hasher.combine(result.source)
      hasher.combine(bytes: result.path)
      return hasher.finalize()
    }
  }

  func take(_ result: FileResult) throws {
    while totals.results.count <= result.source { totals.results.append(0) }
    totals.results[result.source] += 1
    guard let header = header(of: result) else { return }
    // A descriptor has its name as its note.
    let path = header.isDescriptor ? result.note : result.path
    let (name, found) = (header.lineName(of: path), InventoryEntry(result))
    if isMatched, known == nil, header.step == .read, !header.isDescriptor,
      let record = former?.skip(name, of: result.source)
    {
      return try place(header, path, found, record, nil, nil, at: nil)
    }
    guard keys.write(name, source: result.source, of: keys.names, by: walkKeys) else { return }
    if let walked {
      try UpdateItem.append(header, path, found, nil, nil, at: walkKeys.key, to: walked)
    } else {
      try join(walkKeys.key, header, path, found)
    }
  }

  /// Returns the header of the item of a result; `nil` for one that is in no ledger.
  private func header(of result: FileResult) -> UpdateItem.Header? {
    var header: UpdateItem.Header
    switch result.outcome {
    case .done: header = UpdateItem.Header(.read)
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
      if result.type == .symbolicLink && !followsLinks {
        header.step = .link
      } else if result.type != .file {
        // Below it nothing is known.
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

  func finish() throws {
    if let walked {
      try walked.finish()
      let reader = walked.makeReader()
      while let record = try reader.next() {
        let item = UpdateItem(record)
        try join(item.place, item.header, item.name, item.found)
      }
    }
    while former?.hasEntry == true { try leave() }
    totals.former = former?.count ?? 0
    totals.useless = former?.uselessCount ?? 0
    try items.finish()
    try unchanged?.finish()
  }

  // MARK: The join

  /// Joins a name of the walk with the records of its key.
  private func join(
    _ key: UnsafeRawBufferPointer, _ header: UpdateItem.Header, _ name: UnsafeRawBufferPointer,
    _ found: InventoryEntry?
  ) throws {
    while let former, former.hasEntry, former.key.order(to: key) < 0 { try leave() }
    if header.isDirectory && !isHidden(key) { hidden = Array(key) }
    let read = try known?.find(key)
    guard let former, former.hasEntry, former.key.hasSameBytes(as: key) else {
      return try place(header, name, found, nil, nil, read, at: key)
    }
    switch header.step {
    case .directory: break
    case .link: isLinkMatched = true
    default: isMatched = isMatched || former.file != nil
    }
    try place(header, name, found, former.file, former.link, read, at: key)
  }

  /// Leaves the present entry of the ledger: without a file, its record is gone.
  private func leave() throws {
    guard let former else { return }
    if let link = former.link, !isLinkMatched { try lose(link, former.key) }
    if let file = former.file, !isMatched { try lose(file, former.key) }
    (isMatched, isLinkMatched) = (false, false)
    try former.advance()
  }

  /// Returns true if a key is that of a name below the directory that could not be read last.
  private func isHidden(_ key: UnsafeRawBufferPointer) -> Bool {
    hidden.map { LedgerKeys.isBelow(key, $0) } ?? false
  }

  /// Places the record of a file or a link that the walk has not found.
  private func lose(_ record: InventoryEntry, _ key: UnsafeRawBufferPointer) throws {
    guard let present = manifest?.presentName(of: record) else { return }
    unchanged?.end()
    let status = try? LongPath.status(present.name + [0], followsLinks: false)
    let isWritten = !record.isLink && status.map { written.contains(FileIdentity($0)) } == true
    if isWritten { totals.written.append(present.name) }
    let isHidden = isWritten || isHidden(key)
    let step: UpdateItem.Step =
      record.isLink ? isHidden ? .link : .unlinked : isHidden ? .kept : .gone
    // A link that is there has been left out of the walk.
    if step == .unlinked && manifest?.isLinkThere(present, followsLinks: followsLinks) == true {
      return
    }
    var header = UpdateItem.Header(step)
    header.source = Int32(clamping: present.sources.first ?? record.source ?? 0)
    if step == .kept {
      totals.kept += 1
    } else if step == .gone {
      totals.gone += 1
      if record.open?.kind != .gone { totals.newlyGone += 1 }
    }
    if !isHidden {
      let count: WritableKeyPath<LostRecords, UInt64> = record.isLink ? \.links : \.files
      for source in present.sources {
        totals.lost[source, default: LostRecords()][keyPath: count] += 1
      }
    }
    let link = step == .link ? UpdatePlan.foundLink(record) : nil
    try present.name.withUnsafeBytes { name in
      try append(header, name, order: nil, link, record, nil, at: key)
    }
  }

  /// Returns the entry of a link that cannot be read, and stays as it was recorded.
  private static func foundLink(_ record: InventoryEntry) -> InventoryEntry {
    var link = InventoryEntry(.symbolicLink)
    link.text = record.recordTarget
    return link
  }

  /// Decides what is done for a name, and places it: at the key of the name if none is given.
  private func place(
    _ found: UpdateItem.Header, _ name: UnsafeRawBufferPointer, _ entry: InventoryEntry?,
    _ file: InventoryEntry?, _ link: InventoryEntry?, _ known: InventoryEntry?,
    at key: UnsafeRawBufferPointer?
  ) throws {
    var (header, entry) = (found, entry)
    let (size, time) = (entry?.size, entry?.time)
    var (record, read): (InventoryEntry?, InventoryEntry?) = (file, nil)
    switch header.step {
    case .directory: record = nil
    case .link:
      record = link
      if entry?.text.isEmpty ?? true {
        guard let link else { return }
        entry = UpdatePlan.foundLink(link)
      }
    case .kept:
      if file == nil { return }
      totals.kept += 1
    case .read, .unchanged, .known, .gone, .unlinked:
      if file == nil { totals.new += 1 }
      if !header.isDescriptor, let file, file.open == nil, !accepts.reads(name),
        isReusable(file, size, time)
      {
        header.step = .unchanged
        totals.unchanged += 1
      } else if !header.isDescriptor, let known, isReusable(known, size, time),
        file.map({ agrees($0, with: known, size, time) }) ?? true
      {
        (header.step, read) = (.known, known)
        totals.known += 1
      } else {
        totals.toRead += 1
        totals.bytesToRead += size ?? 0
      }
    }
    if try unchanged?.take(header.lineName(of: name), header, entry, record) == true { return }
    try append(
      header, name, order: header.order, header.step == .link ? entry : nil, record, read, at: key)
  }

  private func isReusable(_ record: InventoryEntry, _ size: UInt64?, _ time: FileTime?) -> Bool {
    record.matches(size, time) && record.hasAll(algorithms)
  }

  /// Returns true if the content that an interrupted run has read gives the verdict on a record: they
  /// have an algorithm in common, and it is not rot, which may have been mended meanwhile under the
  /// same time.
  private func agrees(
    _ record: InventoryEntry, with known: InventoryEntry, _ size: UInt64?, _ time: FileTime?
  ) -> Bool {
    record.hasContent(of: known)
      || !record.matches(size, time) && known.algorithms.contains { record.digest($0) != nil }
  }

  /// Appends an item at the place of its name in the new ledger: in step, the key by which it was joined.
  private func append(
    _ header: UpdateItem.Header, _ name: UnsafeRawBufferPointer, order: UInt64?,
    _ found: InventoryEntry?, _ record: InventoryEntry?, _ known: InventoryEntry?,
    at key: UnsafeRawBufferPointer?
  ) throws {
    var place = key ?? placeKeys.key
    if !keys.isInStep || key == nil {
      let (lineName, source) = (header.lineName(of: name), Int(header.source))
      guard keys.writePlace(lineName, source: source, order: order, by: placeKeys) else { return }
      place = placeKeys.key
    }
    try UpdateItem.append(header, name, found, record, known, at: place, to: items)
  }
}

extension FileOutcome {
  var isDone: Bool { if case .done = self { true } else { false } }

  var isMissing: Bool {
    switch self {
    case .failed(let error as Errno), .changed(let error?): error.isMissing
    default: false
    }
  }
}
