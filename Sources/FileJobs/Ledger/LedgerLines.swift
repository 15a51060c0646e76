// Each file gives its record and its lines of the manifest at the same time. `OutputFile.swift`
// explains why the two need not agree after a crash.

internal import Weir

/// The form of the manifest that a run makes beside its records.
package struct ManifestForm: Sendable {
  let algorithms: [DigestAlgorithm]
  private let format: ManifestFormat
  private let version: String
  /// The lines of the run's algorithms, and those of any algorithm.
  private let lines: [ChecksumLine]
  private let others: [ChecksumLine]

  /// - Parameter format: Text, tagged or mtree.
  package init(
    _ algorithms: [DigestAlgorithm], format: ManifestFormat, isZeroTerminated: Bool,
    version: String
  ) {
    let algorithms = algorithms.withoutDuplicates
    let isTagged = format.isTagged(algorithms)
    self.algorithms = algorithms
    self.format = format
    self.version = version
    lines = algorithms.map {
      ChecksumLine($0, isTagged: isTagged, isZeroTerminated: isZeroTerminated)
    }
    others = DigestAlgorithm.allCases.map {
      ChecksumLine($0, isTagged: true, isZeroTerminated: isZeroTerminated)
    }
  }

  /// True if the manifest is mtree(5): its lines are those of the records.
  var isMtree: Bool { format == .mtree }

  /// Returns the beginning of the manifest of a run. `header` ends in a newline.
  package func beginning(_ header: LedgerHeader) -> [UInt8] {
    guard isMtree else { return [] }
    return MtreeWriter.header(version: version) + header.sourceComment
  }

  // MARK: Lines of text

  func capacity(nameCount: Int, _ record: InventoryEntry) -> Int {
    let nameCount = max(nameCount, DashFile.name.count)
    return EntryDigests(record.digests).reduce(0) {
      $0 + others[Int($1.index)].capacity(nameCount: nameCount)
    }
  }

  /// Writes the lines of a file to memory of ``capacity(nameCount:_:)`` bytes. Returns their
  /// number. A rotten or unreadable file has only the digests that it had before. If the run has
  /// none of their algorithms, the lines have tags, so that the manifest does not lose the file.
  func write(
    name: UnsafeRawBufferPointer, _ record: InventoryEntry, to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var count = 0
    func write(_ line: ChecksumLine, _ digest: UnsafeRawBufferPointer?) {
      guard let digest else { return }
      count += line.write(name: name, digest: digest, to: out[count...].rebased)
    }
    for (algorithm, line) in zip(algorithms, lines) { write(line, record.digest(algorithm)) }
    if count == 0 {
      for (algorithm, line) in zip(DigestAlgorithm.allCases, others) {
        write(line, record.digest(algorithm))
      }
    }
    return count
  }
}

/// Lines of the ledger and of the manifest, with the lines between files.
///
/// @unchecked Sendable: deliveries follow each other, and so do the stages of a run.
final class LedgerLines: @unchecked Sendable {
  private let (ledger, manifest) = (ByteBuffer(), ByteBuffer())
  private var source: Int?
  private let form: ManifestForm
  private let mtree: MtreeLine
  private var frame = MtreeWriter()
  private var frameLines: [UInt8] = []

  init(_ form: ManifestForm) { (self.form, mtree) = (form, MtreeLine(form.algorithms)) }

  var ledgerLines: UnsafeRawBufferPointer { ledger.bytes }
  var manifestLines: UnsafeRawBufferPointer { form.isMtree ? ledger.bytes : manifest.bytes }

  var count: Int { ledger.count + manifest.count }

  /// Removes the lines so far; what follows continues them.
  func removeAll() { (ledger.count, manifest.count) = (0, 0) }

  /// Begins lines that follow others in a file of records: their form of names is not known.
  func continueFile() {
    ledger.append(Array("#weir dotted\n".utf8))
  }

  /// Appends the lines that precede the record of a name; for a directory, its own too.
  func begin(_ name: UnsafeRawBufferPointer, of number: Int, isDirectory: Bool = false) {
    if number != source {
      source = number
      ledger.append(Array("\(MtreeParser.sourceMark)\(number)\n".utf8))
    }
    frameLines.removeAll(keepingCapacity: true)
    frame.append(before: name, isDirectory: isDirectory, to: &frameLines)
    if !frameLines.isEmpty { ledger.append(frameLines) }
  }

  func append(link name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) {
    var line: [UInt8] = []
    MtreeLine.append(link: name, target: target, to: &line)
    ledger.append(line)
  }

  /// Appends the record of a file, and its lines. `isWhole` keeps the open point, and digests of
  /// other algorithms than the run's.
  func append(_ name: UnsafeRawBufferPointer, _ record: InventoryEntry, isWhole: Bool = false) {
    if isWhole {
      if let open = record.open { ledger.append(open.line) }
      let digests = EntryDigests(record.digests).map(\.bytes)
      append(name, record, MtreeLine(record.algorithms), digests)
    } else if form.algorithms.count == 1, let digest = record.digest(form.algorithms[0]) {
      append(name, record, mtree, CollectionOfOne(digest))
    } else {
      append(name, record, mtree, form.algorithms.compactMap { record.digest($0) })
    }
    if form.isMtree { return }
    manifest.append(capacity: form.capacity(nameCount: name.count, record)) {
      form.write(name: name, record, to: $0)
    }
  }

  @inline(__always)
  private func append(
    _ name: UnsafeRawBufferPointer, _ record: InventoryEntry, _ line: MtreeLine,
    _ digests: some Sequence<UnsafeRawBufferPointer>
  ) {
    ledger.append(capacity: line.capacity(nameCount: name.count)) {
      line.write(
        name: name, type: record.type ?? .file, size: record.size, time: record.time,
        digests: digests, to: $0)
    }
  }
}
