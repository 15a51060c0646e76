internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The results of a run in their order, beside the records of the manifest that the run brings
/// up to date: each result gives lines and counts, and each record that no result has matched
/// is reported.
///
/// DESIGN. Records that are in step with the run are read beside its results, so that a missing
/// file is reported in its place. Of other records a set remembers which have a file, by their
/// offsets, and the rest is reported at the end. Kept records are in the order of the walk in
/// either case: the next update may be in step with them.
struct RecordMatching {
  private let manifest: PreviousManifest?
  private let acceptsRot: Bool
  private let changes: RecordChanges?
  private(set) var lines: RecordLines
  private(set) var counts = RecordDelivery.Counts()
  private(set) var hasDirectories = false
  /// The position up to which records in step are matched with files.
  private var matched = RecordPosition()
  /// The matched records of a manifest that is not in step.
  private var matches = RecordMatches()
  /// An index of such a manifest, once a directory could not be read.
  private var index: RecordIndex?
  /// The names of directories and lists that could not be read, and of files that could not be
  /// examined.
  private(set) var unreadable: Set<[UInt8]> = []
  /// Files without a record that could not be read, as of ``RecordChanges/firstLoss(unread:)``.
  private(set) var unread: [Int64: [UInt8]] = [:]
  /// Standard output if it is a file: no run records it.
  private let standardOutput = RecordMatching.standardOutput()
  /// By source: the number of results, and of files that are gone.
  private var results: [Int: UInt64] = [:]
  private var gone: [Int: UInt64] = [:]
  private var copies: MovedCopies
  /// A file that a record has told, and which has other content; `nil` if there is none.
  private(set) var mistaken: [UInt8]?
  /// The links of a manifest in step.
  private var links: RecordedLinks?

  init(
    _ form: RecordManifest, manifest: PreviousManifest?, acceptsRot: Bool,
    changes: RecordChanges?
  ) {
    lines = RecordLines(form)
    self.manifest = manifest
    self.acceptsRot = acceptsRot
    self.changes = changes
    copies = MovedCopies(manifest)
    if let manifest, manifest.isInStep { links = RecordedLinks(manifest.descriptor) }
  }

  /// Makes the lines of a batch, and calls `report` with each result in its turn, and the error for
  /// which a copy that had to be read could not be.
  mutating func record(_ batch: borrowing FileBatch, report: (FileResult, Fault?) -> Void) throws {
    lines.removeAll()
    var source = 0
    var count: UInt64 = 0
    for index in 0..<batch.count {
      let result = batch[index]
      if result.source != source {
        results[source, default: 0] += count
        (source, count) = (result.source, 0)
      }
      count += 1
      if let manifest { try match(result, manifest) }
      report(result, try append(result))
    }
    results[source, default: 0] += count
  }

  /// Reports the records that remain when a run is complete.
  mutating func finish() throws {
    lines.removeAll()
    guard let manifest else { return }
    if manifest.isInStep {
      try reportUnmatched(until: .max, manifest)
    } else {
      try reportUnmatchedByName(manifest)
    }
    for (place, name) in try changes?.firstTold(copies.contested) ?? [] where mistaken == nil {
      if try !copies.hasContent(name, of: place) { mistaken = name }
    }
    guard let moves = try changes?.assignMoves() else { return }
    counts.changes[.new, default: 0] -= moves.intact
    counts.changes[.moved] = moves.intact
    counts.changes[.gone, default: 0] -= moves.all - moves.linked
    counts.changes[.linked, default: 0] -= moves.linked
    for (source, count) in moves.bySource { gone[source, default: 0] -= count }
  }

  /// As of ``RecordDelivery``.
  var emptied: (source: Int, files: UInt64)? {
    gone.filter { results[$0.key, default: 0] <= 1 && $0.value > 0 }.min { $0.key < $1.key }
      .map { (source: $0.key, files: $0.value) }
  }

  /// Returns the error for which a copy could not be read: it then has no lines.
  private mutating func append(_ result: FileResult) throws -> Fault? {
    switch result.outcome {
    case .done:
      guard let output = RecordOutput(result.output) else { return nil }
      let verdict: RecordVerdict
      do throws(Fault) {
        verdict = try self.verdict(result, output)
      } catch {
        counts.unreadable += 1
        return error
      }
      lines.begin(result.path, of: result.source)
      if verdict.change.isRot && !acceptsRot { lines.appendRot() }
      lines.append(record: output.record, manifest: output.text)
      if verdict.wasRead { counts.read += 1 } else { counts.unread += 1 }
      if verdict.change == .none { return nil }
      // Whether it has moved is known at the end.
      counts.changes[verdict.change == .moved ? .new : verdict.change, default: 0] += 1
      if verdict.change == .edited, let old = RecordNote(result.note).manifest, old.isRotten {
        try changes?.append(result.path, editedSince: old)
      } else if output.places.isEmpty {
        try changes?.append(result.path, verdict.change)
      } else {
        try changes?.append(
          result.path, verdict.change, of: output.places, isTold: verdict.isTold)
      }
    case .directory:
      hasDirectories = true
      lines.begin(result.path, of: result.source, isDirectory: true)
    case .link:
      lines.begin(result.path, of: result.source)
      lines.append(link: result.path, target: result.output)
      guard let known = try links?.target(of: result.path, source: result.source),
        !result.output.elementsEqual(known)
      else { return nil }
      counts.changes[.relinked, default: 0] += 1
      try changes?.append(result.path, .relinked)
    case .failed, .changed, .special, .noted:
      break
    }
    return nil
  }

  /// Returns the verdict on a file, which is read if it is a copy of one that was moved.
  private mutating func verdict(
    _ result: FileResult, _ output: RecordOutput
  ) throws(Fault) -> RecordVerdict {
    let verdict = output.verdict
    guard verdict.change == .moved, verdict.isTold, !verdict.wasRead,
      copies.isCopy(of: output.places)
    else { return verdict }
    counts.copies += 1
    let isIntact = try copies.hasContent(Array(result.path), of: output.places[0])
    counts.copyBytes += result.size
    return RecordVerdict(isIntact ? .moved : .movedRot, wasRead: true, isTold: true)
  }

  // MARK: Results

  /// Matches a result with its record. Keeps the record of an unreadable file, and the records of
  /// the files below an unreadable directory.
  private mutating func match(_ result: FileResult, _ manifest: PreviousManifest) throws {
    let note = RecordNote(result.note)
    let old = note.manifest
    if manifest.isInStep, let old { try reportUnmatched(until: old.begin, manifest) }
    switch result.outcome {
    case .done:
      if let old { insert(old, manifest) }
    // A missing file is reported with the records after it.
    case _ where result.outcome.isMissing: break
    case .failed, .changed:
      let isDashFile = DashFile.isDash(result.path) && !note.isDescriptor
      let name = isDashFile ? DashFile.name : result.path
      if let old {
        insert(old, manifest)
        keep(name, old, of: result.source)
      }
      if result.type == .file {
        if old == nil { noteUnread(result.path) }
        return
      }
      unreadable.insert(Array(result.path))
      // Now and not later, so that the records stay in the order of the walk.
      if manifest.isInStep {
        try keepNext(name, of: result.source, manifest)
      } else {
        try keepAll(name, of: result.source, manifest)
      }
    case .directory, .link, .special, .noted: break
    }
  }

  /// Notes a file that could not be read, since a rotten one may have its name.
  private mutating func noteUnread(_ name: UnsafeRawBufferPointer) {
    guard let file = (try? RecordChanges.status(of: name)) ?? nil else { return }
    unread[RecordChanges.hash(of: file)] = Array(name)
  }

  private mutating func insert(_ record: PackedRecord, _ manifest: PreviousManifest) {
    if !manifest.isInStep {
      matches.insert(record.begin..<record.after.offset)
    } else if record.after.offset > matched.offset {
      matched = record.after
      counts.former += 1
    }
  }

  private mutating func keep(
    _ name: UnsafeRawBufferPointer, _ record: PackedRecord, of source: Int
  ) {
    counts.kept += 1
    lines.begin(name, of: source)
    if record.isRotten { lines.appendRot() }
    lines.append(kept: name, record.digests)
  }

  /// Keeps the next records if they are of a name or below it.
  private mutating func keepNext(
    _ name: UnsafeRawBufferPointer, of source: Int, _ manifest: PreviousManifest
  ) throws {
    let reader = manifest.reader(from: matched)
    while let record = try reader.next() {
      guard let its = record.source, its <= source else { return }
      let isKept = its == source && RecordMatching.isBelow(name, record.name)
      if its == source && !isKept && WalkOrder.compare(record.name, name) > 0 { return }
      matched = record.after
      counts.former += 1
      if isKept {
        PackedRecord.bytes(of: record).withUnsafeBytes {
          keep(record.name, PackedRecord($0), of: source)
        }
      } else {
        try reportGone(record, manifest)
      }
    }
  }

  /// Keeps all records of a name and below it that have no file.
  private mutating func keepAll(
    _ name: UnsafeRawBufferPointer, of source: Int, _ manifest: PreviousManifest
  ) throws {
    let reader = manifest.reader()
    let index = try index ?? RecordIndex(reader, manifest.names, hasDirectories: true)
    self.index = index
    let top = manifest.now.path(ofDirectory: Array(name))
    let slash = UInt8(ascii: "/")
    let parent = Array(name) + (name.last == slash ? [] : [slash])
    var kept: [(name: [UInt8], record: [UInt8])] = []
    matches.sort()
    for position in index.positions(of: top) where !matches.contains(position.offset) {
      reader.move(to: position)
      guard let record = try reader.next() else { break }
      let path = manifest.names.path(of: record.name)
      let rest = RecordNames.directories(of: path).first { $0.path == top }?.rest
      guard rest != nil || path == top else { continue }
      kept.append((rest.map { parent + $0 } ?? Array(name), PackedRecord.bytes(of: record)))
    }
    kept.sort { left, right in
      left.name.withUnsafeBytes { name in
        right.name.withUnsafeBytes { WalkOrder.compare(name, $0) < 0 }
      }
    }
    for (name, record) in kept {
      record.withUnsafeBytes { record in
        insert(PackedRecord(record), manifest)
        name.withUnsafeBytes { keep($0, PackedRecord(record), of: source) }
      }
    }
  }

  private static func isBelow(
    _ directory: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
  ) -> Bool {
    let slash = UInt8(ascii: "/")
    return name.starts(with: directory)
      && (directory.last == slash || name.count == directory.count
        || name[directory.count] == slash)
  }

  // MARK: Records without a file

  /// Moves on to an offset in the manifest, over records that no file has matched.
  private mutating func reportUnmatched(until offset: Int64, _ manifest: PreviousManifest) throws {
    guard matched.offset < offset else { return }
    let reader = manifest.reader(from: matched)
    while reader.position.offset < offset, let record = try reader.next() {
      counts.former += 1
      try reportGone(record, manifest)
    }
    matched = reader.position
  }

  /// Reports each record whose name no file has. A name can have several records.
  private mutating func reportUnmatchedByName(_ manifest: PreviousManifest) throws {
    matches.sort()
    var unmatched: Set<[UInt8]> = []
    let first = manifest.reader()
    while let record = try first.next() {
      if matches.contains(record.before.offset) {
        counts.former += 1
      } else {
        unmatched.insert(manifest.names.path(of: record.name))
      }
    }
    if unmatched.isEmpty { return }
    let second = manifest.reader()
    while let record = try second.next() {
      if matches.contains(record.before.offset) {
        unmatched.remove(manifest.names.path(of: record.name))
      }
    }
    let third = manifest.reader()
    while let record = try third.next() {
      guard unmatched.remove(manifest.names.path(of: record.name)) != nil else { continue }
      counts.former += 1
      try reportGone(record, manifest)
    }
  }

  private mutating func reportGone(_ record: FileRecord, _ manifest: PreviousManifest) throws {
    let (name, sources) = manifest.presentName(of: record)
    if isStandardOutput(name) { return }
    for source in sources { gone[source, default: 0] += 1 }
    let status = try? LongPath.status(name + [0], followsLinks: false)
    let isLink = status.map { EntryType(mode: $0.st_mode) == .symbolicLink } ?? false
    let change: RecordChange = isLink ? .linked : .gone
    counts.changes[change, default: 0] += 1
    try name.withUnsafeBytes { try changes?.append(change, $0, record, sources: sources) }
  }

  // MARK: Standard output

  private static func standardOutput() -> FileIdentity? {
    guard let status = try? stat(of: .standardOutput), status.isRegularFile else { return nil }
    return FileIdentity(status)
  }

  private func isStandardOutput(_ name: [UInt8]) -> Bool {
    guard let standardOutput,
      let status = try? LongPath.status(name + [0], followsLinks: false)
    else { return false }
    return FileIdentity(status) == standardOutput
  }
}

/// A set of records by their offsets. Records in a row take the memory of one.
struct RecordMatches {
  private var ranges: [Range<Int64>] = []

  /// Inserts the record between two offsets.
  mutating func insert(_ record: Range<Int64>) {
    if let last = ranges.last, last.upperBound == record.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound..<record.upperBound
    } else {
      ranges.append(record)
    }
  }

  /// Orders the records, before ``contains(_:)``.
  mutating func sort() {
    let all = ranges.sorted { $0.lowerBound < $1.lowerBound }
    ranges.removeAll()
    for range in all {
      // Several files may have one record.
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        ranges[ranges.count - 1] =
          last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
  }

  /// Returns true if the record that begins at an offset was inserted.
  func contains(_ offset: Int64) -> Bool {
    let next = ranges.indices.binarySearch { ranges[$0].lowerBound > offset }
    return next > 0 && ranges[next - 1].contains(offset)
  }
}

extension FileResult.Outcome {
  /// True if the file does not exist any more.
  fileprivate var isMissing: Bool {
    switch self {
    case .failed(let error as Errno), .changed(let error?): error.isMissing
    default: false
    }
  }
}
