// Manifests of other programs, and lines of checksum tools, as records.
//
// DESIGN. A run goes through records in step with its walk, and begins to read them
// anywhere again. Neither can be done with what other programs write: their names
// come in the order of a shell or of a directory, digests of one file stand on
// several lines, and mtree(8) has names that mean something only below others and
// `/set`. So such a manifest is first made into records of ours, in the order of
// this run, in a file without a name. Eight bytes of memory are taken for each
// digest, to sort them; the rest is in the file system. (To follow each form with
// the join was rejected: it would need all names in memory, or miss those that are
// in another order, and a digest that is missed is replaced without a word.)

internal import Glibc
internal import SystemPackage
internal import Weir

/// Makes records of any manifest.
struct RecordImport {
  /// What was found in it.
  struct Figures {
    /// Digests that can be compared.
    var digests: UInt64 = 0
    /// Lines without any.
    var others: UInt64 = 0
  }

  private let inputs: [RecordHeader.Word]
  private let untagged: [DigestAlgorithm]
  /// The sources of a path, without `./` before it and slashes behind it.
  private let sources: [[UInt8]: [Int]]
  private let list: Int?

  private static let slash = UInt8(ascii: "/")

  /// - Parameters:
  ///   - inputs: The sources of this run.
  ///   - algorithms: Those of this run, by which digests without a tag are told
  ///     where their length does not.
  init(_ inputs: [RecordHeader.Word], _ algorithms: [DigestAlgorithm]) {
    self.inputs = inputs
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    untagged = (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
    var sources: [[UInt8]: [Int]] = [:]
    for (number, input) in inputs.enumerated() where input.keyword == "path" {
      let path = RecordImport.plain(RecordImport.trimmed(input.value)[...])
      sources[Array(path), default: []].append(number)
    }
    self.sources = sources
    list = inputs.firstIndex { $0.keyword != "path" }
  }

  /// Writes the records of one manifest, from its beginning, to an empty file.
  ///
  /// - Parameters:
  ///   - descriptor: The manifest.
  ///   - scratch: An empty file to work in.
  ///   - output: Where the records go.
  func make(
    from descriptor: Int32, by scratch: Int32, to output: Int32
  ) throws(Errno) -> Figures {
    var statistics = Figures()
    var offsets: [Int] = []
    var pieces = RecordPieces(scratch)
    try read(descriptor, &statistics) { (name, file, digest) throws(Errno) in
      try give(name) { (source, name) throws(Errno) in
        offsets.append(pieces.count)
        try pieces.append { bytes in
          ImportedDigest.append(source, name, file, digest, to: &bytes)
        }
      }
    }
    try pieces.flush()
    guard pieces.count > 0 else { return statistics }
    let map = mmap(nil, pieces.count, PROT_READ, MAP_SHARED, scratch, 0)
    guard let map, map != MAP_FAILED else { throw Errno(rawValue: errno) }
    defer { munmap(map, pieces.count) }
    sort(&offsets, of: map)
    try write(offsets, of: map, to: output)
    return statistics
  }

  // MARK: Reading

  private typealias Take = (
    UnsafeRawBufferPointer, MtreeEntry?, (DigestAlgorithm, UnsafeRawBufferPointer)
  ) throws(Errno) -> Void

  private func read(
    _ descriptor: Int32, _ statistics: inout Figures, _ take: Take
  ) throws(Errno) {
    let terminator = RecordImport.terminator(of: descriptor)
    let lines = ManifestReader(
      FileDescriptor(rawValue: descriptor), from: 0, terminator: terminator)
    let mtree = MtreeParser()
    var text = ManifestParser(untagged: untagged, isZeroTerminated: terminator == 0)
    var isMtree: Bool? = terminator == 0 ? false : nil
    while let whole = try lines.next() {
      let line = lines.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(whole) : whole
      if isMtree == nil {
        switch MtreeDetection.detect(
          in: UnsafeRawBufferPointer(line), isFirst: lines.lineNumber == 1)
        {
        case .mtree: isMtree = true
        case .other: isMtree = false
        case .undecided: continue
        }
      }
      if isMtree == true {
        try RecordImport.take(mtree.parse(line), &statistics, take)
        continue
      }
      switch text.parse(line) {
      case .ignored: break
      case .entry(let entry) where entry.digest.count == entry.algorithm.byteCount:
        statistics.digests += 1
        try take(entry.name, nil, (entry.algorithm, entry.digest))
      case .entry, .malformed: statistics.others += 1
      }
    }
  }

  private static func take(
    _ record: MtreeRecord, _ statistics: inout Figures, _ take: Take
  ) throws(Errno) {
    switch record {
    case .entry(let entry):
      if let type = entry.type, type != .file && type != .blockDevice { return }
      if entry.digests.isEmpty { statistics.others += 1 }
      for digest in entry.digests {
        statistics.digests += 1
        try take(entry.name, entry, (digest.algorithm, digest.bytes))
      }
    case .comment, .ignored: break
    case .malformed: statistics.others += 1
    }
  }

  /// What ends a line: NUL, where one comes before any newline.
  private static func terminator(of descriptor: Int32) -> UInt8 {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = pread(descriptor, &piece, piece.count, 0)
    let first = piece.prefix(max(count, 0)).first { $0 == 0 || $0 == UInt8(ascii: "\n") }
    return first ?? UInt8(ascii: "\n")
  }

  // MARK: Sources

  /// Calls `body` with each source that a name can be of, and the name that a
  /// file of this source has in this run; with -1 where there is none.
  private func give(
    _ name: UnsafeRawBufferPointer, _ body: (Int, ArraySlice<UInt8>) throws(Errno) -> Void
  ) throws(Errno) {
    let name = RecordImport.plain(Array(name)[...])
    var isFound = false
    if !sources.isEmpty {
      for end in name.indices where name[end] == RecordImport.slash {
        let root = end == name.startIndex
        for source in sources[root ? [RecordImport.slash] : Array(name[..<end])] ?? [] {
          isFound = true
          let above = RecordImport.trimmed(inputs[source].value)
          try body(source, (root ? [] : above) + name[end...])
        }
      }
      if name.first != RecordImport.slash {
        for source in sources[[]] ?? [] {
          isFound = true
          try body(source, RecordImport.trimmed(inputs[source].value) + "/".utf8 + name)
        }
      }
      for source in sources[Array(name)] ?? [] {
        isFound = true
        try body(source, inputs[source].value[...])
      }
    }
    if !isFound { try body(list ?? -1, name) }
  }

  /// A path without `./` before it; `.` is nothing at all.
  private static func plain(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var path = path
    while path.starts(with: "./".utf8) {
      path = path.dropFirst(2).drop { $0 == slash }
    }
    return path.elementsEqual(".".utf8) ? [] : path
  }

  /// A path without slashes behind it.
  private static func trimmed(_ path: [UInt8]) -> [UInt8] {
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
    _ offsets: [Int], of map: UnsafeRawPointer, to output: Int32
  ) throws(Errno) {
    var pieces = RecordPieces(output)
    var source: Int?
    var isBare = false
    var index = 0
    while index < offsets.count {
      let first = ImportedDigest(map + offsets[index])
      var digests: [(DigestAlgorithm, UnsafeRawBufferPointer)] = []
      while index < offsets.count {
        let next = ImportedDigest(map + offsets[index])
        guard next.source == first.source, next.name.elementsEqual(first.name) else { break }
        // Where a file has two of one algorithm, the first counts, as all do.
        if !digests.contains(where: { $0.0 == next.algorithm }) {
          digests.append((next.algorithm, next.digest))
        }
        index += 1
      }
      if first.name.isEmpty { continue }
      try pieces.append { bytes in
        if source != first.source {
          source = first.source
          bytes += "\(RecordReader.source)\(first.source)\n".utf8
        }
        if isBare == MtreeLine.isDotted(first.name) {
          isBare.toggle()
          bytes += (isBare ? "#weir bare\n" : "#weir dotted\n").utf8
        }
        RecordText.append(
          first.name, size: first.size, time: first.time, digests, to: &bytes)
      }
    }
    try pieces.flush()
  }
}

/// A digest of a file, on its way to be sorted.
private struct ImportedDigest {
  private let memory: UnsafeRawPointer

  private struct Header {
    var source: Int64 = -1
    var size: UInt64 = 0
    var seconds: Int64 = 0
    var nanoseconds: Int32 = 0
    var nameCount: UInt32 = 0
    var algorithm: UInt8 = 0
    var digestCount: UInt8 = 0
    var hasSize: Bool = false
    var hasTime: Bool = false
  }

  private static let headerSize = 40

  init(_ memory: UnsafeRawPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  var source: Int { Int(header.source) }
  var algorithm: DigestAlgorithm { DigestAlgorithm(index: Int(header.algorithm)) }
  var size: UInt64? { header.hasSize ? header.size : nil }
  var time: FileTime? {
    header.hasTime
      ? FileTime(seconds: header.seconds, nanoseconds: header.nanoseconds) : nil
  }
  var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: memory + ImportedDigest.headerSize, count: Int(header.nameCount))
  }
  var digest: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: memory + ImportedDigest.headerSize + Int(header.nameCount),
      count: Int(header.digestCount))
  }

  static func append(
    _ source: Int, _ name: ArraySlice<UInt8>, _ file: MtreeEntry?,
    _ digest: (DigestAlgorithm, UnsafeRawBufferPointer), to bytes: inout [UInt8]
  ) {
    var header = Header()
    header.source = Int64(source)
    header.size = file?.size ?? 0
    header.hasSize = file?.size != nil
    header.seconds = file?.time?.seconds ?? 0
    header.nanoseconds = file?.time?.nanoseconds ?? 0
    header.hasTime = file?.time != nil
    header.nameCount = UInt32(name.count)
    header.algorithm = UInt8(digest.0.index)
    header.digestCount = UInt8(digest.1.count)
    var head = [UInt8](repeating: 0, count: headerSize)
    head.withUnsafeMutableBytes { $0.storeBytes(of: header, as: Header.self) }
    bytes += head
    bytes += name
    bytes.append(contentsOf: digest.1)
  }
}

/// Bytes on their way to a file.
private struct RecordPieces {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var flushed = 0

  private static let pieceMax = 1 << 16

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// How many there are, of those that are written and those that will be.
  var count: Int { flushed + bytes.count }

  mutating func append(_ body: (inout [UInt8]) -> Void) throws(Errno) {
    body(&bytes)
    if bytes.count >= RecordPieces.pieceMax { try flush() }
  }

  mutating func flush() throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw Errno(rawValue: errno) }
      rest = rest.dropFirst(count)
    }
    flushed += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }
}
