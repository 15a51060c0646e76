// The conversion of any other manifest to records of weir.
//
// DESIGN. A run reads records in step with its walk, and resumes reading at any record.
// Manifests of other programs permit neither: their names come in the order of a shell
// or of a directory, the digests of one file are on several lines, and mtree(8) has names
// relative to others and `/set`. So such a manifest is first converted to records, in the
// order of this run, in a file without a name. Sorting takes eight bytes of memory for
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
  }

  private let inputs: [RecordHeader.Word]
  private let untagged: [DigestAlgorithm]
  /// The sources of each path, which is without leading `./` and trailing slashes.
  private let sources: [[UInt8]: [Int]]
  private let list: Int?

  private static let slash = UInt8(ascii: "/")

  /// - Parameters:
  ///   - inputs: The sources of this run.
  ///   - algorithms: The algorithms of this run: the first candidates for a digest
  ///     without a tag whose length fits several.
  init(_ inputs: [RecordHeader.Word], _ algorithms: [DigestAlgorithm]) {
    self.inputs = inputs
    untagged = RecordImport.untagged(algorithms)
    var sources: [[UInt8]: [Int]] = [:]
    for (number, input) in inputs.enumerated() where input.keyword == "path" {
      let path = RecordImport.withoutDot(RecordImport.withoutTrailingSlashes(input.value)[...])
      sources[Array(path), default: []].append(number)
    }
    self.sources = sources
    list = inputs.firstIndex { $0.keyword != "path" }
  }

  /// Returns the candidates for a digest without a tag, those of a run first.
  static func untagged(_ algorithms: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    return (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
  }

  /// Writes the records of a manifest to an empty file.
  ///
  /// - Parameters:
  ///   - manifest: The manifest, read from its beginning.
  ///   - scratch: An empty file to work in.
  ///   - output: The file for the records.
  func convert(
    _ manifest: FileDescriptor, by scratch: FileDescriptor, to output: FileDescriptor
  ) throws(Errno) -> Counts {
    var counts = Counts()
    var offsets: [Int] = []
    let writer = BufferedWriter(scratch)
    try read(manifest, &counts) { (name, file, digest) throws(Errno) in
      try forEachSource(of: name) { (source, name) throws(Errno) in
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
    try write(offsets, of: map, to: output)
    return counts
  }

  // MARK: Reading

  private typealias DigestHandler = (
    UnsafeRawBufferPointer, MtreeEntry?, (DigestAlgorithm, UnsafeRawBufferPointer)
  ) throws(Errno) -> Void

  private func read(
    _ descriptor: FileDescriptor, _ counts: inout Counts, _ handle: DigestHandler
  ) throws(Errno) {
    let terminator = RecordImport.terminator(of: descriptor)
    let lines = ManifestReader(descriptor, from: 0, terminator: terminator)
    let mtree = MtreeParser()
    var text = ManifestParser(untagged: untagged, isZeroTerminated: terminator == 0)
    var isMtree: Bool? = terminator == 0 ? false : nil
    while let whole = try lines.next() {
      let line = lines.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(whole) : whole
      if isMtree == nil {
        isMtree = MtreeDetection.isMtree(line, isFirst: lines.lineNumber == 1)
        if isMtree == nil { continue }
      }
      if isMtree == true {
        try RecordImport.read(mtree.parse(line), &counts, handle)
        continue
      }
      switch text.parse(line) {
      case .ignored: break
      case .entry(let entry):
        counts.digests += 1
        try handle(entry.name, nil, (entry.algorithm, entry.digest))
      case .malformed: counts.others += 1
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
        try handle(entry.name, entry, (digest.algorithm, digest.bytes))
      }
    case .comment, .ignored: break
    case .malformed: counts.others += 1
    }
  }

  /// Returns the byte that ends each line: NUL if a NUL precedes the first newline.
  static func terminator(of descriptor: FileDescriptor) -> UInt8 {
    let piece = (try? descriptor.bytes(at: 0, count: 1 << 16)) ?? []
    return piece.first { $0 == 0 || $0 == UInt8(ascii: "\n") } ?? UInt8(ascii: "\n")
  }

  // MARK: Sources

  /// Calls `body` with each source that a name can belong to, and the name that the file
  /// has in this run; with -1 if there is no such source.
  private func forEachSource(
    of name: UnsafeRawBufferPointer, _ body: (Int, ArraySlice<UInt8>) throws(Errno) -> Void
  ) throws(Errno) {
    let name = RecordImport.withoutDot(Array(name)[...])
    var isFound = false
    if !sources.isEmpty {
      for end in name.indices where name[end] == RecordImport.slash {
        let root = end == name.startIndex
        for source in sources[root ? [RecordImport.slash] : Array(name[..<end])] ?? [] {
          isFound = true
          let parent = RecordImport.withoutTrailingSlashes(inputs[source].value)
          try body(source, (root ? [] : parent) + name[end...])
        }
      }
      if name.first != RecordImport.slash {
        for source in sources[[]] ?? [] {
          isFound = true
          try body(
            source, RecordImport.withoutTrailingSlashes(inputs[source].value) + "/".utf8 + name)
        }
      }
      for source in sources[Array(name)] ?? [] {
        isFound = true
        try body(source, inputs[source].value[...])
      }
    }
    if !isFound { try body(list ?? -1, name) }
  }

  /// Returns a path without leading `./`; empty for `.`.
  private static func withoutDot(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var path = path
    while path.starts(with: "./".utf8) {
      path = path.dropFirst(2).drop { $0 == slash }
    }
    return path.elementsEqual(".".utf8) ? [] : path
  }

  private static func withoutTrailingSlashes(_ path: [UInt8]) -> [UInt8] {
    var path = path
    while path.count > 1 && path.last == slash { path.removeLast() }
    return path
  }

  // MARK: Order

  private func sort(_ offsets: inout [Int], of map: UnsafeRawPointer) {
    let isPath = inputs.map { $0.keyword == "path" }
    func precedes(_ left: Int, _ right: Int) -> Bool {
      let (one, other) = (ImportedDigest(map + left), ImportedDigest(map + right))
      if one.source != other.source { return one.source < other.source }
      if isPath.indices.contains(one.source) && isPath[one.source] {
        let order = WalkOrder.compare(one.name, other.name)
        if order != 0 { return order < 0 }
      }
      return left < right
    }
    if zip(offsets, offsets.dropFirst()).allSatisfy({ precedes($0, $1) }) { return }
    offsets.sort(by: precedes)
  }

  // MARK: Writing

  private func write(
    _ offsets: [Int], of map: UnsafeRawPointer, to output: FileDescriptor
  ) throws(Errno) {
    let writer = BufferedWriter(output)
    var source: Int?
    var isBare = false
    var index = 0
    while index < offsets.count {
      let first = ImportedDigest(map + offsets[index])
      var digests: [(DigestAlgorithm, UnsafeRawBufferPointer)] = []
      while index < offsets.count {
        let next = ImportedDigest(map + offsets[index])
        guard next.source == first.source, next.name.elementsEqual(first.name) else { break }
        // Of two digests of one algorithm the first counts, as in every reader.
        if !digests.contains(where: { $0.0 == next.algorithm }) {
          digests.append((next.algorithm, next.digest))
        }
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
      RecordLineWriter.append(
        first.name, size: first.status.size, time: first.status.time, digests, to: &lines)
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
  }

  private static let headerSize = MemoryLayout<Header>.size

  init(_ memory: UnsafeRawPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  var source: Int { Int(header.source) }
  var algorithm: DigestAlgorithm { DigestAlgorithm(index: Int(header.algorithm)) }
  var status: PackedStatus { header.status }
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
    _ source: Int, _ name: ArraySlice<UInt8>, _ file: MtreeEntry?,
    _ digest: (DigestAlgorithm, UnsafeRawBufferPointer)
  ) -> [UInt8] {
    let header = Header(
      source: Int64(source), status: PackedStatus(file), nameCount: UInt32(name.count),
      algorithm: UInt8(digest.0.index), digestCount: UInt8(digest.1.count))
    var bytes = withUnsafeBytes(of: header) { Array($0) }
    bytes += name
    bytes.append(contentsOf: digest.1)
    return bytes
  }
}
