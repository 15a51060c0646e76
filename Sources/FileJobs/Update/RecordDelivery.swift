// From the results of a recording run to the lines of its records.

internal import Glibc
internal import SystemPackage
package import Weir

/// Makes lines of what a ``RecordJob`` delivers, and counts.
///
/// @unchecked Sendable: batches are delivered one at a time.
package final class RecordDelivery: @unchecked Sendable {
  /// What became of the files.
  package struct Counts: Sendable {
    /// Files whose record was taken over without reading them.
    package var unread: UInt64 = 0
    /// Files that were read.
    package var read: UInt64 = 0
    /// Files by how they differ from the manifest that is brought up to date.
    package var changes: [RecordChange: UInt64] = [:]
    /// Files that are there and could not be read: what was recorded of them stays.
    package var kept: UInt64 = 0
  }

  private let output: OutputFile
  private let base: RecordBase?
  private let acceptsRot: Bool
  /// Called with the name of each file that differs.
  private let tell: (UnsafeRawBufferPointer, RecordChange) throws -> Void
  private var frame = MtreeWriter()
  private var source: Int?
  private var lines: [UInt8] = []
  /// Up to where the manifest was found again.
  private var passed = RecordPlace()
  /// What could not be read: what is below it is not gone.
  private var unreadable: Set<[UInt8]> = []
  /// Standard output, where that is a file: nobody records it.
  private let standardOutput = RecordDelivery.standardOutput()
  /// Where records end that were found out of their turn: they are not gone.
  private var aside: Set<Int64> = []
  private var statistics = Counts()

  /// - Parameters:
  ///   - output: Where the lines go.
  ///   - base: The manifest that is brought up to date.
  ///   - acceptsRot: As of the job.
  ///   - tell: Called in the order of the run.
  package init(
    _ output: OutputFile, base: RecordBase?, acceptsRot: Bool,
    tell: @escaping (UnsafeRawBufferPointer, RecordChange) throws -> Void
  ) {
    self.output = output
    self.base = base
    self.acceptsRot = acceptsRot
    self.tell = tell
  }

  package var counts: Counts { statistics }

  /// Records a batch: `say` is called with each result, in its place.
  package func take(_ batch: borrowing FileBatch, say: (FileResult) -> Void) throws {
    lines.removeAll(keepingCapacity: true)
    for index in 0..<batch.count {
      let result = batch[index]
      try pass(result)
      try append(result)
      say(result)
    }
    try output.append(lines)
  }

  /// Tells what is left of the manifest at the end of a run that is whole.
  package func finish() throws {
    lines.removeAll(keepingCapacity: true)
    try settle(until: .max)
    try output.append(lines)
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
      if verdict.wasRead { statistics.read += 1 } else { statistics.unread += 1 }
      if verdict.change != .none { try tell(result, verdict.change) }
    case .directory:
      begin(result, isDirectory: true)
    case .link:
      begin(result)
      appendLink(result)
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

  private func appendLink(_ result: FileResult) {
    let (name, target) = (result.path, result.output)
    let capacity = MtreeLine.capacity(linkName: name.count, targetCount: target.count)
    lines += [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      count = MtreeLine.write(
        link: name, target: target, to: UnsafeMutableRawBufferPointer(memory))
    }
  }

  private func tell(_ result: FileResult, _ change: RecordChange) throws {
    statistics.changes[change, default: 0] += 1
    try tell(result.path, change)
  }

  // MARK: What is not found, or not read

  /// Goes past what the manifest has before a result, and what it has of it.
  private func pass(_ result: FileResult) throws {
    guard let base else { return }
    let old = result.note.isEmpty ? nil : RecordNotes(note: result.note).old
    if let old, old.isAside { return passAside(result, old, base) }
    if let old { try settle(until: old.begin) }
    switch result.outcome {
    case .done:
      if let old, old.after.offset > passed.offset { passed = old.after }
    case .failed(let error), .changed(let error?):
      // What is not there any more is told with what follows.
      if error != .noSuchFileOrDirectory && error != .notDirectory {
        try keep(result, old, base)
      }
    case .changed: try keep(result, old, base)
    case .directory, .link, .special, .noted: break
    }
  }

  /// What was found out of its turn is where it is; the place in the manifest stays.
  private func passAside(_ result: FileResult, _ old: RecordNote, _ base: RecordBase) {
    switch result.outcome {
    case .done: break
    case .failed(let error), .changed(let error?):
      if error == .noSuchFileOrDirectory || error == .notDirectory { return }
      keepAside(result, old, base)
    case .changed: keepAside(result, old, base)
    case .directory, .link, .special, .noted: return
    }
    aside.insert(old.after.offset)
  }

  private func keepAside(_ result: FileResult, _ old: RecordNote, _ base: RecordBase) {
    var place = old.after
    place.offset = old.begin
    if let file = try? base.reader(from: place).next() { keep(file, of: result.source) }
    if result.type != .file { unreadable.insert(Array(result.path)) }
  }

  /// Keeps what was recorded of what could not be read.
  private func keep(_ result: FileResult, _ old: RecordNote?, _ base: RecordBase) throws {
    let reader = base.reader(from: passed)
    if let old {
      guard passed.offset < old.after.offset, let file = try reader.next() else { return }
      keep(file, of: result.source)
      passed = reader.place
    }
    if result.type == .file { return }
    unreadable.insert(Array(result.path))
    // At once, so that the records stay in the order of the walk.
    guard base.isOrdered(result.source) else { return }
    while let file = try reader.next() {
      guard let source = file.source ?? base.onlySource, source <= result.source else { return }
      if source == result.source && !isBelow(result.path, file.entry.name)
        && WalkOrder.compare(file.entry.name, result.path) > 0
      {
        return
      }
      try settle(file)
      passed = file.after
    }
  }

  /// Goes on to a place in the manifest, over what nobody has found.
  private func settle(until offset: Int64) throws {
    guard passed.offset < offset, let reader = base?.reader(from: passed) else { return }
    while reader.place.offset < offset, let file = try reader.next() { try settle(file) }
    passed = reader.place
  }

  private func settle(_ file: FileRecord) throws {
    if aside.remove(file.after.offset) != nil { return }
    let name = file.entry.name
    if isUnreadable(name), let number = file.source ?? base?.onlySource ?? source, number >= 0 {
      return keep(file, of: number)
    }
    if isStandardOutput(name) { return }
    statistics.changes[.gone, default: 0] += 1
    try tell(name, .gone)
  }

  private func keep(_ file: FileRecord, of number: Int) {
    statistics.kept += 1
    begin(file.entry.name, of: number)
    if file.isRotten { lines += Array("\(RecordReader.rot)\n".utf8) }
    let entry = file.entry
    RecordText.append(
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

  private static func standardOutput() -> (device: dev_t, inode: ino_t)? {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return (status.st_dev, status.st_ino)
  }

  private func isStandardOutput(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let standardOutput,
      let status = try? LongPath.status(Array(name) + [0], followsLinks: false)
    else { return false }
    return (status.st_dev, status.st_ino) == standardOutput
  }
}
