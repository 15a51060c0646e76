// The lines of a ledger, and those of the manifest that it belongs to.
//
// Each file gives its record and its lines of the manifest at the same time. `OutputFile.swift`
// explains why the two need not agree after a crash.

internal import Weir

/// The form of the manifest that a run makes beside its records.
package struct ManifestForm: Sendable {
  private let algorithms: [DigestAlgorithm]
  private let format: ManifestFormat
  private let version: String
  /// The lines of the run's algorithms, and those of any algorithm.
  private let lines: [ChecksumLine]
  private let others: [ChecksumLine]

  /// - Parameters:
  ///   - format: Text, tagged or mtree.
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

  /// Returns the beginning of the manifest of a run.
  ///
  /// - Parameter header: The first line of the records, with its newline.
  package func beginning(_ header: LedgerHeader) -> [UInt8] {
    guard isMtree else { return [] }
    return MtreeWriter.header(version: version) + header.sourceComment
  }

  // MARK: Lines of text

  /// Returns the maximum number of bytes that the lines of a file take.
  func capacity(nameCount: Int, _ digests: RecordDigests) -> Int {
    if isMtree { return 0 }
    let nameCount = max(nameCount, DashFile.name.count)
    return digests.indices.reduce(0) { $0 + others[Int($1)].capacity(nameCount: nameCount) }
  }

  /// Writes the lines of a file. Returns the number of bytes.
  ///
  /// A rotten or unreadable file has only the digests that it had before. If the run has none
  /// of their algorithms, the lines have tags, so that the manifest does not lose the file.
  ///
  /// - Parameters:
  ///   - out: Memory of at least ``capacity(nameCount:_:)`` bytes.
  func write(
    name: UnsafeRawBufferPointer, _ digests: RecordDigests, to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    if isMtree { return 0 }
    var count = 0
    func write(_ line: ChecksumLine, _ digits: UnsafeRawBufferPointer?) {
      guard let digits else { return }
      count += line.write(
        name: name, digits: digits, to: UnsafeMutableRawBufferPointer(rebasing: out[count...]))
    }
    for (algorithm, line) in zip(algorithms, lines) { write(line, digests.digits(of: algorithm)) }
    if count == 0 {
      let known = DigestAlgorithm.allCases.filter(digests.has)
      for algorithm in known { write(others[algorithm.index], digests.digits(of: algorithm)) }
    }
    return count
  }
}

/// Lines of the ledger and of the manifest, with the lines between files: sources, directories, the
/// form of names, and open points.
///
/// @unchecked Sendable: deliveries follow each other, and so do the stages of a run.
final class LedgerLines: @unchecked Sendable {
  /// Memory that lines are appended to.
  private struct Buffer {
    var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    @inline(__always)
    mutating func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
      if memory.count - count < capacity { grow(by: capacity) }
      count += body(UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
      append(capacity: bytes.count) { memory in
        memory.copyMemory(from: bytes)
        return bytes.count
      }
    }

    private mutating func grow(by capacity: Int) {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: (count + capacity) * 2, alignment: 1)
      larger.copyMemory(from: bytes)
      memory.deallocate()
      memory = larger
    }
  }

  private var ledger = Buffer()
  private var manifest = Buffer()
  private var source: Int?
  private let form: ManifestForm
  private var frame = MtreeWriter()
  private var frameLines: [UInt8] = []

  init(_ form: ManifestForm) { self.form = form }

  deinit {
    ledger.memory.deallocate()
    manifest.memory.deallocate()
  }

  /// The lines of the ledger, and those of a manifest of text.
  var ledgerLines: UnsafeRawBufferPointer { ledger.bytes }
  var manifestLines: UnsafeRawBufferPointer { form.isMtree ? ledger.bytes : manifest.bytes }

  /// The number of bytes of all lines.
  var count: Int { ledger.count + manifest.count }

  /// Removes the lines so far; what follows continues them.
  func removeAll() { (ledger.count, manifest.count) = (0, 0) }

  /// Begins lines that follow others in a file of records: their form of names is not known.
  func continueFile() {
    let lines = Array("#weir dotted\n".utf8)
    lines.withUnsafeBytes { ledger.append($0) }
  }

  /// Appends the lines that precede the record of a name; for a directory, its own too.
  func begin(_ name: UnsafeRawBufferPointer, of number: Int, isDirectory: Bool = false) {
    if number != source {
      source = number
      Array("\(RecordReader.source)\(number)\n".utf8).withUnsafeBytes { ledger.append($0) }
    }
    frameLines.removeAll(keepingCapacity: true)
    frame.append(before: name, isDirectory: isDirectory, to: &frameLines)
    if !frameLines.isEmpty { frameLines.withUnsafeBytes { ledger.append($0) } }
  }

  /// Appends the mark of an open point, before its record.
  func append(_ open: OpenPoint) { open.line.withUnsafeBytes { ledger.append($0) } }

  func append(link name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) {
    var line: [UInt8] = []
    MtreeLine.append(link: name, target: target, to: &line)
    line.withUnsafeBytes { ledger.append($0) }
  }

  /// Appends the record of a file, and its lines of the manifest.
  func append(_ name: UnsafeRawBufferPointer, _ digests: RecordDigests) {
    let capacity = MtreeLine.capacity(nameCount: name.count, restCount: digests.rest.count)
    ledger.append(capacity: capacity) {
      MtreeLine.write(name: name, rest: digests.rest, to: $0)
    }
    if form.isMtree { return }
    manifest.append(capacity: form.capacity(nameCount: name.count, digests)) {
      form.write(name: name, digests, to: $0)
    }
  }
}
