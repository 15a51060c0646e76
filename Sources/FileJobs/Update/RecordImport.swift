// The conversion of a manifest to records in the order of this run.
//
// DESIGN. A run reads records in step with its walk, and resumes reading at any record. The
// records of a run with other paths, in another order or spelling, do not permit that. Nor do
// manifests of other programs: their names come in the order of a shell or of a directory, the
// digests of one file are on several lines, and mtree(8) has names relative to others and
// `/set`. So such a manifest is first converted to records, with the names and in the order
// of this run, in a file without a name. Sorting takes eight bytes of memory for
// each digest; the rest is in the file system. (Rejected: to follow each form with the
// join. It would need all names in memory, or miss names that are in another order, and
// the digest of a missed name is replaced without a report.)

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A conversion of any manifest to records.
struct RecordImport {
  /// Counts of a manifest.
  struct Counts {
    /// Digests that can be compared.
    var digests: UInt64 = 0
    /// Lines without such a digest.
    var others: UInt64 = 0
    /// The first file with two digests of one algorithm that differ.
    var contradicted: [UInt8]?
  }

  /// A manifest, read from its beginning.
  enum Content {
    case records(RecordReader)
    case mtree(FileDescriptor)
    case text(FileDescriptor, isZeroTerminated: Bool)
  }

  private let inputs: [RecordHeader.Word]
  private let untagged: [DigestAlgorithm]
  /// The names in the manifest, and those of this run.
  private let before: RecordNames
  private let now: RecordNames
  /// The sources of each path; `nil` if there is a list, whose names are in no order.
  private let sources: [[UInt8]: [Int]]?

  private static let slash = UInt8(ascii: "/")

  /// - Parameters:
  ///   - header: The header of this run.
  ///   - algorithms: The algorithms of this run: the first candidates for a digest
  ///     without a tag whose length fits several.
  ///   - names: The names in the manifest; by default those of this run.
  init(_ header: RecordHeader, _ algorithms: [DigestAlgorithm], names: RecordNames? = nil) {
    inputs = header.inputs
    untagged = RecordImport.untagged(algorithms)
    now = RecordNames(directory: header.directory)
    before = names ?? now
    sources = header.hasPathsOnly ? header.paths : nil
  }

  /// Returns the candidates for a digest without a tag, those of a run first.
  static func untagged(_ algorithms: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    return (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
  }

  /// Writes the records of a manifest to an empty file.
  ///
  /// - Parameters:
  ///   - manifest: The manifest.
  ///   - scratch: An empty file to work in.
  ///   - output: The file for the records.
  func convert(
    _ manifest: Content, by scratch: FileDescriptor, to output: FileDescriptor
  ) throws(Errno) -> Counts {
    var counts = Counts()
    var offsets: [Int] = []
    let writer = BufferedWriter(scratch)
    try read(manifest, &counts) { (file, digest) throws(Errno) in
      try forEachSource(of: Array(file.name)) { (source, name) throws(Errno) in
        offsets.append(writer.count)
        try writer.append(ImportedDigest.packed(source, name, file, digest))
      }
    }
    try writer.flush()
    let size = writer.count
    guard size > 0 else { return counts }
    let map = mmap(nil, size, PROT_READ, MAP_SHARED, scratch.rawValue, 0)
    guard let map, map != MAP_FAILED else { throw Errno(rawValue: errno) }
    defer { munmap(map, size) }
    sort(&offsets, of: map)
    try write(offsets, of: map, to: output, &counts)
    return counts
  }

  // MARK: Reading

  /// A file of a manifest.
  struct ImportedFile {
    let name: UnsafeRawBufferPointer
    var status = PackedStatus(nil)
    var isRotten = false
  }

  private typealias DigestHandler = (
    ImportedFile, (DigestAlgorithm, UnsafeRawBufferPointer)
  ) throws(Errno) -> Void

  private func read(
    _ manifest: Content, _ counts: inout Counts, _ handle: DigestHandler
  ) throws(Errno) {
    switch manifest {
    case .records(let records):
      while let record = try records.next() {
        try RecordImport.read(record, &counts, handle)
      }
    case .mtree(let descriptor):
      let lines = ManifestReader(descriptor, from: 0)
      let parser = MtreeParser()
      while let line = try lines.next() {
        let text = lines.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(line) : line
        try RecordImport.read(parser.parse(text), &counts, handle)
      }
    case .text(let descriptor, let isZeroTerminated):
      let lines = ManifestReader(
        descriptor, from: 0, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
      var parser = ManifestParser(untagged: untagged, isZeroTerminated: isZeroTerminated)
      while let line = try lines.next() {
        switch parser.parse(
          lines.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(line) : line)
        {
        case .ignored: break
        case .entry(let entry):
          counts.digests += 1
          try handle(ImportedFile(name: entry.name), (entry.algorithm, entry.digest))
        case .malformed: counts.others += 1
        }
      }
    }
  }

  private static func read(
    _ record: FileRecord, _ counts: inout Counts, _ handle: DigestHandler
  ) throws(Errno) {
    let file = ImportedFile(
      name: record.name, status: record.status, isRotten: record.isRotten)
    let bytes = PackedRecord.bytes(of: record)
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      let packed = PackedRecord(UnsafeRawBufferPointer(bytes))
      let algorithms = packed.algorithms
      try packed.withDigests(algorithms) { (digests) throws(Errno) in
        for digest in zip(algorithms, digests) {
          counts.digests += 1
          try handle(file, digest)
        }
      }
    }
  }

  private static func read(
    _ record: MtreeRecord, _ counts: inout Counts, _ handle: DigestHandler
  ) throws(Errno) {
    switch record {
    case .entry(let entry):
      if let type = entry.type, type != .file && type != .blockDevice { return }
      if entry.digests.isEmpty { counts.others += 1 }
      for digest in entry.digests {
        counts.digests += 1
        try handle(
          ImportedFile(name: entry.name, status: PackedStatus(entry)),
          (digest.algorithm, digest.bytes))
      }
    case .comment, .ignored: break
    case .malformed: counts.others += 1
    }
  }

  // MARK: Sources

  /// Calls `body` with each source that a name can belong to, and the name that the file
  /// has in this run; with -1 if there is no such source.
  private func forEachSource(
    of name: [UInt8], _ body: (Int, [UInt8]) throws(Errno) -> Void
  ) throws(Errno) {
    let path = before.path(of: name)
    let own = before == now ? RecordNames.canonical(name) : now.name(of: path)
    guard let sources else { return try body(0, own) }
    var isFound = false
    for (directory, rest) in RecordNames.directories(of: path) {
      for source in sources[directory] ?? [] {
        // A walk adds a slash to a PATH that does not end in one.
        let parent = inputs[source].value
        try body(
          source, parent + (parent.last == RecordImport.slash ? [] : [RecordImport.slash]) + rest)
        isFound = true
      }
    }
    for source in sources[path] ?? [] {
      try body(source, inputs[source].value)
      isFound = true
    }
    if !isFound { try body(-1, own) }
  }

  // MARK: Order

  private func sort(_ offsets: inout [Int], of map: UnsafeRawPointer) {
    func precedes(_ left: Int, _ right: Int) -> Bool {
      let (one, other) = (ImportedDigest(map + left), ImportedDigest(map + right))
      if one.source != other.source { return one.source < other.source }
      let order = WalkOrder.compare(one.name, other.name)
      return order == 0 ? left < right : order < 0
    }
    if zip(offsets, offsets.dropFirst()).allSatisfy({ precedes($0, $1) }) { return }
    offsets.sort(by: precedes)
  }

  // MARK: Writing

  private func write(
    _ offsets: [Int], of map: UnsafeRawPointer, to output: FileDescriptor, _ counts: inout Counts
  ) throws(Errno) {
    let writer = BufferedWriter(output)
    var source: Int?
    var isBare = false
    var index = 0
    while index < offsets.count {
      let first = ImportedDigest(map + offsets[index])
      var digests: [(DigestAlgorithm, UnsafeRawBufferPointer)] = []
      var isRotten = false
      while index < offsets.count {
        let next = ImportedDigest(map + offsets[index])
        guard next.source == first.source, next.name.elementsEqual(first.name) else { break }
        if let same = digests.first(where: { $0.0 == next.algorithm }) {
          if !same.1.elementsEqual(next.digest) && counts.contradicted == nil {
            counts.contradicted = Array(next.name)
          }
        } else {
          digests.append((next.algorithm, next.digest))
        }
        isRotten = isRotten || next.isRotten
        index += 1
      }
      if first.name.isEmpty { continue }
      var lines: [UInt8] = []
      if source != first.source {
        source = first.source
        lines += "\(RecordReader.source)\(first.source)\n".utf8
      }
      if isBare == MtreeLine.isDotted(first.name) {
        isBare.toggle()
        lines += (isBare ? "#weir bare\n" : "#weir dotted\n").utf8
      }
      if isRotten { lines += "\(RecordReader.rot)\n".utf8 }
      RecordLineWriter.append(
        first.name, size: first.status.size,
        // A record of weir has no time without a size.
        time: first.status.size == nil ? nil : first.status.time, digests, to: &lines)
      try writer.append(lines)
    }
    try writer.flush()
  }
}

/// A digest of a file, packed in the scratch file to be sorted.
private struct ImportedDigest {
  private let memory: UnsafeRawPointer

  private struct Header {
    let source: Int64
    let status: PackedStatus
    let nameCount: UInt32
    let algorithm: UInt8
    let digestCount: UInt8
    let isRotten: Bool
  }

  private static let headerSize = MemoryLayout<Header>.size

  init(_ memory: UnsafeRawPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  var source: Int { Int(header.source) }
  var algorithm: DigestAlgorithm { DigestAlgorithm(index: Int(header.algorithm)) }
  var status: PackedStatus { header.status }
  var isRotten: Bool { header.isRotten }
  var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: memory + ImportedDigest.headerSize, count: Int(header.nameCount))
  }
  var digest: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: memory + ImportedDigest.headerSize + Int(header.nameCount),
      count: Int(header.digestCount))
  }

  static func packed(
    _ source: Int, _ name: [UInt8], _ file: RecordImport.ImportedFile,
    _ digest: (DigestAlgorithm, UnsafeRawBufferPointer)
  ) -> [UInt8] {
    let header = Header(
      source: Int64(source), status: file.status, nameCount: UInt32(name.count),
      algorithm: UInt8(digest.0.index), digestCount: UInt8(digest.1.count),
      isRotten: file.isRotten)
    var bytes = withUnsafeBytes(of: header) { Array($0) }
    bytes += name
    bytes.append(contentsOf: digest.1)
    return bytes
  }
}
