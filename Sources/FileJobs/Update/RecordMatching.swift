// The results of a recording run, matched with the manifest that is brought up to date.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The results of a run in their order, beside the records of the manifest that the run brings
/// up to date: each result gives lines and counts, and each record that no result has matched
/// is reported.
struct RecordMatching {
  private let manifest: PreviousManifest?
  private let acceptsRot: Bool
  private let changes: RecordChanges?
  private(set) var lines: RecordLines
  private(set) var counts = RecordDelivery.Counts()
  private(set) var hasDirectories = false
  /// The position up to which the records of the manifest are matched with files.
  private var matched = RecordPosition()
  /// Unreadable directories and lists: the files below them are not gone.
  private var unreadable: Set<[UInt8]> = []
  /// Standard output if it is a file: no run records it.
  private let standardOutput = RecordMatching.standardOutput()
  /// The matched records of a manifest that is not in step.
  private var matches = RecordMatches()
  /// By source: the number of results, and of files that are gone.
  private var results: [Int: UInt64] = [:]
  private var gone: [Int: UInt64] = [:]

  init(
    _ form: RecordManifest, manifest: PreviousManifest?, acceptsRot: Bool,
    changes: RecordChanges?
  ) {
    lines = RecordLines(form)
    self.manifest = manifest
    self.acceptsRot = acceptsRot
    self.changes = changes
  }

  /// Makes the lines of a batch, and calls `report` with each result in its turn.
  mutating func record(_ batch: borrowing FileBatch, report: (FileResult) -> Void) throws {
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
      try match(result)
      try append(result)
      report(result)
    }
    results[source, default: 0] += count
  }

  /// Makes the lines that remain when a run is complete.
  mutating func finish() throws {
    lines.removeAll()
    if manifest?.isInStep == false {
      try reportUnmatchedByName()
    } else {
      try reportUnmatched(until: .max)
    }
  }

  /// As of ``RecordDelivery``.
  var emptied: (source: Int, files: UInt64)? {
    gone.filter { results[$0.key, default: 0] <= 1 }.min { $0.key < $1.key }
      .map { (source: $0.key, files: $0.value) }
  }

  private mutating func append(_ result: FileResult) throws {
    switch result.outcome {
    case .done:
      guard let output = RecordOutput(result.output) else { return }
      let verdict = output.verdict
      lines.begin(result.path, of: result.source)
      if verdict.change == .rot && !acceptsRot { lines.appendRot() }
      lines.append(record: output.record, manifest: output.text)
      if verdict.wasRead { counts.read += 1 } else { counts.unread += 1 }
      if verdict.change != .none { try report(result.path, verdict.change) }
    case .directory:
      hasDirectories = true
      lines.begin(result.path, of: result.source, isDirectory: true)
    case .link:
      lines.begin(result.path, of: result.source)
      lines.append(link: result.path, target: result.output)
    case .failed, .changed, .special, .noted:
      break
    }
  }

  private mutating func report(_ name: UnsafeRawBufferPointer, _ change: RecordChange) throws {
    counts.changes[change, default: 0] += 1
    try changes?.append(name, change)
  }

  // MARK: Records of missing and unreadable files

  /// Moves on in the manifest to the record of a result and past it.
  private mutating func match(_ result: FileResult) throws {
    guard let manifest else { return }
    let old = result.note.isEmpty ? nil : RecordNote(result.note).manifest
    if !manifest.isInStep { return try matchByName(result, old, manifest) }
    if let old { try reportUnmatched(until: old.begin) }
    switch result.outcome {
    case .done:
      if let old, old.after.offset > matched.offset {
        matched = old.after
        counts.former += 1
      }
    case _ where result.outcome.isMissing: break  // reported with the records after it
    case .failed, .changed: try keep(result, old, manifest)
    case .directory, .link, .special, .noted: break
    }
  }

  /// Keeps the records of an unreadable file, or of the files below an unreadable
  /// directory.
  private mutating func keep(
    _ result: FileResult, _ old: PackedRecord?, _ manifest: PreviousManifest
  ) throws {
    let reader = manifest.reader(from: matched)
    if let old {
      guard matched.offset < old.after.offset, let file = try reader.next() else { return }
      counts.former += 1
      keep(file, of: result.source)
      matched = reader.position
    }
    if result.type == .file { return }
    insertUnreadable(result, manifest)
    // Now and not later, so that the records stay in the order of the walk.
    while let file = try reader.next() {
      guard let source = file.source, source <= result.source else { return }
      if source == result.source && !isBelow(result.path, file.name)
        && WalkOrder.compare(file.name, result.path) > 0
      {
        return
      }
      try reportUnmatched(file)
      matched = file.after
    }
  }

  /// Moves on to an offset in the manifest, over records that no file has matched.
  private mutating func reportUnmatched(until offset: Int64) throws {
    guard matched.offset < offset, let reader = manifest?.reader(from: matched) else { return }
    while reader.position.offset < offset, let file = try reader.next() {
      try reportUnmatched(file)
    }
    matched = reader.position
  }

  private mutating func reportUnmatched(_ file: FileRecord) throws {
    counts.former += 1
    let name = file.name
    let source = manifest?.isInStep == true ? file.source : lines.source
    if isUnreadable(name), let source, source >= 0 { return keep(file, of: source) }
    if isStandardOutput(name) { return }
    if manifest?.isInStep == true, let source, source >= 0 { gone[source, default: 0] += 1 }
    counts.changes[.gone, default: 0] += 1
    try changes?.append(name, .gone, wasRotten: file.isRotten)
  }

  private mutating func keep(_ file: FileRecord, of number: Int) {
    counts.kept += 1
    lines.begin(file.name, of: number)
    if file.isRotten { lines.appendRot() }
    lines.append(file)
  }

  private mutating func insertUnreadable(_ result: FileResult, _ manifest: PreviousManifest) {
    // A directory of a list can be called `-`, which is standard input as the name of a file.
    unreadable.insert(manifest.names.path(of: Array(result.path) + "/.".utf8))
  }

  private func isUnreadable(_ name: UnsafeRawBufferPointer) -> Bool {
    guard !unreadable.isEmpty, let names = manifest?.names else { return false }
    return RecordNames.directories(of: names.path(of: name)).contains { directory in
      unreadable.contains(directory.path)
    }
  }

  private func isBelow(
    _ directory: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
  ) -> Bool {
    let slash = UInt8(ascii: "/")
    return name.starts(with: directory)
      && (directory.last == slash
        || (name.count > directory.count && name[directory.count] == slash))
  }

  // MARK: Records in no order

  /// Marks the record of a result.
  private mutating func matchByName(
    _ result: FileResult, _ old: PackedRecord?, _ manifest: PreviousManifest
  ) throws {
    switch result.outcome {
    case .done: break
    case _ where result.outcome.isMissing: return
    case .failed, .changed:
      if result.type != .file { insertUnreadable(result, manifest) }
      if let old { try keep(old, of: result.source, manifest) }
    case .directory, .link, .special, .noted: return
    }
    if let old { matches.insert(old.begin..<old.after.offset) }
  }

  private mutating func keep(
    _ old: PackedRecord, of source: Int, _ manifest: PreviousManifest
  ) throws {
    let reader = manifest.reader(from: old.before)
    // The record points into the memory of the reader.
    try withExtendedLifetime(reader) {
      if let file = try reader.next() { keep(file, of: source) }
    }
  }

  /// Reports each record whose name no file has. A name can have several records.
  private mutating func reportUnmatchedByName() throws {
    guard let manifest else { return }
    matches.sort()
    var unmatched: Set<[UInt8]> = []
    let first = manifest.reader()
    while let file = try first.next() {
      if matches.contains(file.before.offset) {
        counts.former += 1
      } else {
        unmatched.insert(manifest.names.path(of: file.name))
      }
    }
    if unmatched.isEmpty { return }
    let second = manifest.reader()
    while let file = try second.next() {
      if matches.contains(file.before.offset) {
        unmatched.remove(manifest.names.path(of: file.name))
      }
    }
    let third = manifest.reader()
    while let file = try third.next() {
      if unmatched.remove(manifest.names.path(of: file.name)) != nil { try reportUnmatched(file) }
    }
  }

  // MARK: Standard output

  private static func standardOutput() -> FileIdentity? {
    guard let status = try? stat(of: .standardOutput), status.isRegularFile else { return nil }
    return FileIdentity(status)
  }

  private func isStandardOutput(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let standardOutput,
      let status = try? LongPath.status(Array(name) + [0], followsLinks: false)
    else { return false }
    return FileIdentity(status) == standardOutput
  }
}

/// A set of records by their offsets. Records in a row take the memory of one.
private struct RecordMatches {
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
    case .failed(Errno.noSuchFileOrDirectory), .failed(Errno.notDirectory): true
    case .changed(.noSuchFileOrDirectory), .changed(.notDirectory): true
    default: false
    }
  }
}
