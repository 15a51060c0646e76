// The manifest of a run, which is made while its records are.
//
// DESIGN. Every file of a run passes through the lanes and the delivery, also one whose
// earlier record is reused. So the lane that writes the record of a file writes the file's
// lines of the manifest too, and the delivery appends both. (Rejected: to make the manifest
// from the records when they are complete. It is a second pass over all of them on one
// thread, and took a fifth of an update without changes. `OutputFile.swift` explains why the
// two need not agree after a crash.)

/// The form of the manifest that a run makes beside its records.
package struct RecordManifest: Sendable {
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
  package func beginning(_ header: RecordHeader) -> [UInt8] {
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

/// The lines of a batch, those of the records and those of the manifest, with the lines
/// between files: sources, directories, and the form of names.
struct RecordLines {
  private(set) var records: [UInt8] = []
  private(set) var manifest: [UInt8] = []
  private(set) var source: Int?
  private let form: RecordManifest
  private var frame = MtreeWriter()

  init(_ form: RecordManifest) {
    self.form = form
  }

  /// Removes the lines of the batch before.
  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    manifest.removeAll(keepingCapacity: true)
  }

  /// Appends the lines that precede the record of a name; for a directory, its own too.
  mutating func begin(_ name: UnsafeRawBufferPointer, of number: Int, isDirectory: Bool = false) {
    if number != source {
      source = number
      let comment = Array("\(RecordReader.source)\(number)\n".utf8)
      records += comment
      if form.isMtree { manifest += comment }
    }
    appendingToBoth { frame, records in
      frame.append(before: name, isDirectory: isDirectory, to: &records)
    }
  }

  /// Appends the mark of a rotten file, before its record.
  mutating func appendRot() {
    appendingToBoth { _, records in records += Array("\(RecordReader.rot)\n".utf8) }
  }

  mutating func append(link name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) {
    appendingToBoth { _, records in MtreeLine.append(link: name, target: target, to: &records) }
  }

  /// Appends the lines that a lane has written for a file.
  mutating func append(record: UnsafeRawBufferPointer, manifest text: UnsafeRawBufferPointer) {
    records.append(contentsOf: record)
    manifest.append(contentsOf: form.isMtree ? record : text)
  }

  /// Appends an earlier record of a file that the run cannot read.
  mutating func append(kept name: UnsafeRawBufferPointer, _ digests: RecordDigests) {
    func bytes(_ capacity: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
        count = write(UnsafeMutableRawBufferPointer(memory))
      }
    }
    let capacity = MtreeLine.capacity(nameCount: name.count, restCount: digests.rest.count)
    appendingToBoth { _, records in
      records += bytes(capacity) { MtreeLine.write(name: name, rest: digests.rest, to: $0) }
    }
    manifest += bytes(form.capacity(nameCount: name.count, digests)) {
      form.write(name: name, digests, to: $0)
    }
  }

  /// Appends lines to the records, and to the manifest if that is mtree(5).
  private mutating func appendingToBoth(
    _ body: (inout MtreeWriter, inout [UInt8]) -> Void
  ) {
    let begin = records.count
    body(&frame, &records)
    if form.isMtree { manifest += records[begin...] }
  }
}
