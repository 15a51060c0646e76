// The results of a recording run: lines of the records, counts and reported changes.

internal import WeirLibC
internal import SystemPackage
package import Weir

/// Writes the records of the files that a ``RecordJob`` delivers, and reports changes.
///
/// @unchecked Sendable: batches are delivered one at a time.
package final class RecordDelivery: @unchecked Sendable {
  /// Counts of a run.
  package struct Counts: Sendable {
    /// Files whose earlier record was reused without reading them.
    package var unread: UInt64 = 0
    /// Files that were read.
    package var read: UInt64 = 0
    /// Files by their difference from the manifest that is brought up to date.
    package var changes: [RecordChange: UInt64] = [:]
    /// Files that could not be read and whose earlier record stays.
    package var kept: UInt64 = 0
  }

  private let output: OutputFile
  private let manifest: PreviousManifest?
  private let acceptsRot: Bool
  private let reportChange: (UnsafeRawBufferPointer, RecordChange) throws -> Void
  private var frame = MtreeWriter()
  private var source: Int?
  private var lines: [UInt8] = []
  /// The position up to which the records of the manifest are matched with files.
  private var matched = RecordPosition()
  /// Unreadable directories and lists: the files below them are not gone.
  private var unreadable: Set<[UInt8]> = []
  /// Standard output if it is a file: no run records it.
  private let standardOutput = RecordDelivery.standardOutput()
  /// The ends of records that were found out of order: their files are not gone.
  private var outOfOrder: Set<Int64> = []
  package private(set) var counts = Counts()
  /// By source: the number of results, and of files that are gone.
  private var results: [Int: UInt64] = [:]
  private var gone: [Int: UInt64] = [:]
  private var hasDirectories = false

  /// - Parameters:
  ///   - output: The file that the lines are appended to.
  ///   - manifest: The manifest that is brought up to date.
  ///   - acceptsRot: As of the job.
  ///   - reportChange: Called with the name of each changed file, in the order of the
  ///     run.
  package init(
    _ output: OutputFile, manifest: PreviousManifest?, acceptsRot: Bool,
    reportChange: @escaping (UnsafeRawBufferPointer, RecordChange) throws -> Void
  ) {
    self.output = output
    self.manifest = manifest
    self.acceptsRot = acceptsRot
    self.reportChange = reportChange
  }

  /// Records a batch, and calls `report` with each result in its turn.
  package func record(
    _ batch: borrowing FileBatch, report: (FileResult) -> Void
  ) throws {
    lines.removeAll(keepingCapacity: true)
    for index in 0..<batch.count {
      let result = batch[index]
      results[result.source, default: 0] += 1
      try match(result)
      try append(result)
      report(result)
    }
    try output.append(lines)
  }

  /// Reports the files of the manifest that a complete run has not found.
  package func finish() throws {
    lines.removeAll(keepingCapacity: true)
    try reportUnmatched(until: .max)
    try output.append(lines)
  }

  /// A source below which nothing was found, although the manifest has files there, and the
  /// number of those. An empty directory has one result, itself.
  package var emptied: (source: Int, files: UInt64)? {
    gone.filter { results[$0.key, default: 0] <= 1 }.min { $0.key < $1.key }
      .map { (source: $0.key, files: $0.value) }
  }

  /// True if there is nothing to write: no file, no directory, and no earlier record.
  package var isEmpty: Bool {
    counts.read + counts.unread + counts.kept == 0 && !hasDirectories
  }

  private func append(_ result: FileResult) throws {
    switch result.outcome {
    case .done:
      let output = result.output
      guard let first = output.first else { return }
      let verdict = RecordVerdict(byte: first)
      begin(result)
      if verdict.change == .rot && !acceptsRot { lines += Array("\(RecordReader.rot)\n".utf8) }
      lines.append(contentsOf: output.dropFirst())
      if verdict.wasRead { counts.read += 1 } else { counts.unread += 1 }
      if verdict.change != .none { try report(result.path, verdict.change) }
    case .directory:
      hasDirectories = true
      begin(result, isDirectory: true)
    case .link:
      begin(result)
      MtreeLine.append(link: result.path, target: result.output, to: &lines)
    case .failed, .changed, .special, .noted:
      break
    }
  }

  private func begin(_ result: FileResult, isDirectory: Bool = false) {
    begin(result.path, of: result.source, isDirectory: isDirectory)
  }

  private func begin(_ name: UnsafeRawBufferPointer, of number: Int, isDirectory: Bool = false) {
    if number != source {
      source = number
      lines += Array("\(RecordReader.source)\(number)\n".utf8)
    }
    frame.append(before: name, isDirectory: isDirectory, to: &lines)
  }

  private func report(_ name: UnsafeRawBufferPointer, _ change: RecordChange) throws {
    counts.changes[change, default: 0] += 1
    try reportChange(name, change)
  }

  // MARK: Records of missing and unreadable files

  /// Moves on in the manifest to the record of a result and past it.
  private func match(_ result: FileResult) throws {
    guard let manifest else { return }
    let old = result.note.isEmpty ? nil : RecordNote(result.note).manifest
    if let old, old.isOutOfOrder { return matchOutOfOrder(result, old, manifest) }
    if let old { try reportUnmatched(until: old.begin) }
    switch result.outcome {
    case .done:
      if let old, old.after.offset > matched.offset { matched = old.after }
    case _ where result.outcome.isMissing: break  // reported with the records after it
    case .failed, .changed: try keep(result, old, manifest)
    case .directory, .link, .special, .noted: break
    }
  }

  /// Matches a record that was found out of order, without moving on in the manifest.
  private func matchOutOfOrder(
    _ result: FileResult, _ old: PackedRecord, _ manifest: PreviousManifest
  ) {
    switch result.outcome {
    case .done: break
    case _ where result.outcome.isMissing: return
    case .failed, .changed: keepOutOfOrder(result, old, manifest)
    case .directory, .link, .special, .noted: return
    }
    outOfOrder.insert(old.after.offset)
  }

  private func keepOutOfOrder(
    _ result: FileResult, _ old: PackedRecord, _ manifest: PreviousManifest
  ) {
    var position = old.after
    position.offset = old.begin
    if let file = try? manifest.reader(from: position).next() { keep(file, of: result.source) }
    if result.type != .file { unreadable.insert(Array(result.path)) }
  }

  /// Keeps the records of an unreadable file, or of the files below an unreadable
  /// directory.
  private func keep(
    _ result: FileResult, _ old: PackedRecord?, _ manifest: PreviousManifest
  ) throws {
    let reader = manifest.reader(from: matched)
    if let old {
      guard matched.offset < old.after.offset, let file = try reader.next() else { return }
      keep(file, of: result.source)
      matched = reader.position
    }
    if result.type == .file { return }
    unreadable.insert(Array(result.path))
    // Now and not later, so that the records stay in the order of the walk.
    guard manifest.isOrdered(result.source) else { return }
    while let file = try reader.next() {
      guard let source = file.source ?? manifest.onlySource, source <= result.source else {
        return
      }
      if source == result.source && !isBelow(result.path, file.entry.name)
        && WalkOrder.compare(file.entry.name, result.path) > 0
      {
        return
      }
      try reportUnmatched(file)
      matched = file.after
    }
  }

  /// Moves on to an offset in the manifest, over records that no file has matched.
  private func reportUnmatched(until offset: Int64) throws {
    guard matched.offset < offset, let reader = manifest?.reader(from: matched) else { return }
    while reader.position.offset < offset, let file = try reader.next() {
      try reportUnmatched(file)
    }
    matched = reader.position
  }

  private func reportUnmatched(_ file: FileRecord) throws {
    if outOfOrder.remove(file.after.offset) != nil { return }
    let name = file.entry.name
    if isUnreadable(name), let number = file.source ?? manifest?.onlySource ?? source,
      number >= 0
    {
      return keep(file, of: number)
    }
    if isStandardOutput(name) { return }
    if let number = file.source ?? manifest?.onlySource { gone[number, default: 0] += 1 }
    try report(name, .gone)
  }

  private func keep(_ file: FileRecord, of number: Int) {
    counts.kept += 1
    begin(file.entry.name, of: number)
    if file.isRotten { lines += Array("\(RecordReader.rot)\n".utf8) }
    let entry = file.entry
    RecordLineWriter.append(
      entry.name, size: entry.size, time: entry.time,
      entry.digests.map { ($0.algorithm, $0.bytes) }, to: &lines)
  }

  private func isUnreadable(_ name: UnsafeRawBufferPointer) -> Bool {
    if unreadable.isEmpty { return false }
    let slash = UInt8(ascii: "/")
    return name.indices.contains { end in
      name[end] == slash
        && (unreadable.contains(Array(name[..<end]))
          || unreadable.contains(Array(name[...end])))
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
