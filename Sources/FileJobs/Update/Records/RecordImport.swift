// The conversion of other programs' manifests to records.
//
// DESIGN. A run finds a record by its name and reads it at its offset. Manifests of other
// programs do not permit that: the digests of one file are on several lines, and mtree(8) has
// names relative to others and `/set`. So such a manifest is first converted: each line becomes a
// record in a file without a name, and the records of one file become one in another such file.
// Sorting takes 16 bytes of memory for each line; the rest is in the file system.

internal import SystemPackage
internal import Weir

/// A conversion of a manifest to records, with its names and in its order.
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
    case mtree(FileDescriptor)
    case text(FileDescriptor, isZeroTerminated: Bool)
  }

  /// A line of the manifest as a record.
  private struct Line {
    /// A hash of its path; then the place of the first line with the same path.
    var key: Int
    /// Twice the offset of the record, plus 1 if its name is bare.
    let place: Int

    var position: RecordPosition {
      RecordPosition(offset: Int64(place >> 1), isBare: place & 1 != 0)
    }

    static func precedes(_ left: Line, _ right: Line) -> Bool {
      (left.key, left.place) < (right.key, right.place)
    }
  }

  private let names: RecordNames
  private let untagged: [DigestAlgorithm]

  /// - Parameters:
  ///   - algorithms: The algorithms of this run: the first candidates for a digest
  ///     without a tag whose length fits several.
  init(_ names: RecordNames, _ algorithms: [DigestAlgorithm]) {
    self.names = names
    untagged = RecordImport.untagged(algorithms)
  }

  /// Returns the candidates for a digest without a tag, those of a run first.
  static func untagged(_ algorithms: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    return (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
  }

  /// Writes the records of a manifest to an empty file.
  ///
  /// - Parameters:
  ///   - scratch: An empty file to work in.
  ///   - output: The file for the records.
  func convert(
    _ manifest: Content, by scratch: FileDescriptor, to output: FileDescriptor
  ) throws(Errno) -> Counts {
    var counts = Counts()
    var lines = try read(manifest, to: BufferedWriter(scratch), &counts)
    lines.sort(by: Line.precedes)
    var (hash, first) = (0, -1)
    for index in lines.indices {
      if first < 0 || lines[index].key != hash {
        (hash, first) = (lines[index].key, lines[index].place)
      }
      lines[index].key = first
    }
    lines.sort(by: Line.precedes)
    try write(lines, of: scratch, to: BufferedWriter(output), &counts)
    return counts
  }

  // MARK: Lines

  private func read(
    _ manifest: Content, to scratch: BufferedWriter, _ counts: inout Counts
  ) throws(Errno) -> [Line] {
    var lines: [Line] = []
    func append(
      _ name: UnsafeRawBufferPointer, size: UInt64? = nil, time: FileTime? = nil,
      _ digests: [(DigestAlgorithm, UnsafeRawBufferPointer)]
    ) throws(Errno) {
      counts.digests += UInt64(digests.count)
      lines.append(
        Line(
          key: names.path(of: name).hashValue,
          place: scratch.count << 1 | (MtreeLine.isDotted(name) ? 0 : 1)))
      let line = MtreeLine(digests.map(\.0))
      try scratch.append(capacity: line.capacity(nameCount: name.count)) { memory in
        // A record of weir has no time without a size.
        line.write(
          name: name, size: size, time: size == nil ? nil : time, digests: digests.map(\.1),
          to: memory)
      }
    }
    switch manifest {
    case .mtree(let descriptor):
      let reader = ManifestReader(descriptor, from: 0)
      let parser = MtreeParser()
      while let line = try reader.next() {
        let text = reader.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(line) : line
        switch parser.parse(text) {
        case .entry(let entry):
          if let type = entry.type, type != .file && type != .blockDevice { continue }
          if entry.digests.isEmpty {
            counts.others += 1
          } else {
            let digests = entry.digests.map { ($0.algorithm, $0.bytes) }
            try append(entry.name, size: entry.size, time: entry.time, digests)
          }
        case .comment, .ignored: break
        case .malformed: counts.others += 1
        }
      }
    case .text(let descriptor, let isZeroTerminated):
      let reader = ManifestReader(
        descriptor, from: 0, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
      var parser = ManifestParser(untagged: untagged, isZeroTerminated: isZeroTerminated)
      while let line = try reader.next() {
        let text = reader.lineNumber == 1 ? CheckManifest.withoutByteOrderMark(line) : line
        switch parser.parse(text) {
        case .ignored: break
        case .entry(let entry): try append(entry.name, [(entry.algorithm, entry.digest)])
        case .malformed: counts.others += 1
        }
      }
    }
    try scratch.flush()
    return lines
  }

  // MARK: Files

  /// A file, with the digests of all its lines.
  private struct File {
    let path: [UInt8]
    let name: [UInt8]
    var rest: [UInt8]
    var indices: [UInt8]

    init(_ record: FileRecord, path: [UInt8]) {
      self.path = path
      name = Array(record.name)
      rest = Array(record.line.digests.rest)
      indices = Array(record.line.digests.indices)
    }

    /// Adds the digests of a record. Returns false if two digests of one algorithm differ.
    mutating func add(_ digests: RecordDigests) -> Bool {
      for algorithm in digests.algorithms {
        guard let digits = digests.digits(of: algorithm) else { continue }
        let known = rest.withUnsafeBytes { rest in
          indices.withUnsafeBytes {
            RecordDigests(rest: rest, indices: $0).digits(of: algorithm).map { Array($0) }
          }
        }
        if let known {
          if !known.elementsEqual(digits) { return false }
        } else {
          indices.append(UInt8(algorithm.index))
          rest += Array(" \(algorithm.name)=".utf8) + digits
        }
      }
      return true
    }
  }

  private func write(
    _ lines: [Line], of scratch: FileDescriptor, to output: BufferedWriter, _ counts: inout Counts
  ) throws(Errno) {
    let reader = RecordReader(scratch, unreadable: .failure)
    var file: File?
    var isBare = false
    func finish() throws(Errno) {
      guard let file else { return }
      try file.name.withUnsafeBufferPointer { (name) throws(Errno) in
        let name = UnsafeRawBufferPointer(name)
        if isBare == MtreeLine.isDotted(name) {
          isBare.toggle()
          try output.append(Array((isBare ? "#weir bare\n" : "#weir dotted\n").utf8))
        }
        let capacity = MtreeLine.capacity(nameCount: name.count, restCount: file.rest.count)
        try output.append(capacity: capacity) { memory in
          file.rest.withUnsafeBytes { MtreeLine.write(name: name, rest: $0, to: memory) }
        }
      }
    }
    for line in lines {
      if reader.position != line.position { reader.move(to: line.position) }
      guard let record = try reader.next() else { throw .badMessage }
      let path = names.path(of: record.name)
      if file?.path != path {
        try finish()
        file = File(record, path: path)
      } else if file?.add(record.line.digests) == false && counts.contradicted == nil {
        counts.contradicted = file?.name
      }
    }
    try finish()
    try output.flush()
  }
}
