// From records to what an output is.

internal import Glibc
package import SystemPackage

/// Makes a manifest of the records of a run.
package struct RecordConversion: Sendable {
  private let algorithms: [DigestAlgorithm]
  private let format: ManifestFormat
  private let isZeroTerminated: Bool
  private let version: String
  private let hasSources: Bool

  private static let pieceMax = 1 << 16

  /// - Parameters:
  ///   - algorithms: Those of the digests.
  ///   - format: Text, tagged or mtree.
  ///   - isZeroTerminated: As of ``HashJob``.
  ///   - version: Of the program, for the first line.
  ///   - hasSources: Whether there are several sources, which records of mtree(5)
  ///     then tell.
  package init(
    _ algorithms: [DigestAlgorithm], format: ManifestFormat, isZeroTerminated: Bool,
    version: String, hasSources: Bool
  ) {
    self.algorithms = algorithms.withoutDuplicates
    self.format = format
    self.isZeroTerminated = isZeroTerminated
    self.version = version
    self.hasSources = hasSources
  }

  /// Reads the records and writes the manifest.
  package func make(
    _ records: FileDescriptor, _ output: FileDescriptor
  ) throws(Errno) {
    var piece = Piece(output)
    if format == .mtree {
      try copy(ManifestReader(records, from: 0), to: &piece)
    } else {
      try convert(records, to: &piece)
    }
    try piece.flush()
  }

  // MARK: mtree

  /// As `--format mtree` writes to standard output, but for comments that a later
  /// run needs.
  private func copy(_ lines: ManifestReader, to piece: inout Piece) throws(Errno) {
    try piece.append(MtreeWriter.header(version: version))
    let first = try lines.next()
    if let first, hasSources { try piece.append(RecordHeader.sourceComment(of: first)) }
    while let line = try lines.next() {
      let isSource =
        line.first == UInt8(ascii: "#")
        && line.starts(with: RecordReader.source.utf8)
      if isSource && !hasSources { continue }
      try piece.append(capacity: line.count + 1) { memory in
        memory.copyMemory(from: UnsafeRawBufferPointer(line))
        memory[line.count] = UInt8(ascii: "\n")
        return line.count + 1
      }
    }
  }

  // MARK: Text

  private func convert(_ records: FileDescriptor, to piece: inout Piece) throws(Errno) {
    let isTagged = format == .tagged || algorithms.count > 1
    let writers = algorithms.map {
      ChecksumLine($0, isTagged: isTagged, isZeroTerminated: isZeroTerminated)
    }
    let others = DigestAlgorithm.allCases.map {
      ChecksumLine($0, isTagged: true, isZeroTerminated: isZeroTerminated)
    }
    let reader = RecordReader(records, isStrict: false)
    while let entry = try reader.next()?.entry {
      if entry.digests.isEmpty { continue }
      for (algorithm, writer) in zip(algorithms, writers) {
        guard let digest = entry.digest(algorithm) else { continue }
        try piece.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
          writer.write(name: entry.name, digest: digest, to: memory)
        }
      }
      // What has rotted, or could not be read, has the digests it had; it is not to
      // be missing for that.
      if !algorithms.contains(where: { entry.digest($0) != nil }) {
        for digest in entry.digests {
          let writer = others[digest.algorithm.index]
          try piece.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
            writer.write(name: entry.name, digest: digest.bytes, to: memory)
          }
        }
      }
    }
  }

  /// What is to be written next.
  private struct Piece: ~Copyable {
    private let output: FileDescriptor
    private var memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: RecordConversion.pieceMax, alignment: 16)
    private var count = 0

    init(_ output: FileDescriptor) {
      self.output = output
    }

    deinit { memory.deallocate() }

    mutating func append(_ bytes: [UInt8]) throws(Errno) {
      try append(capacity: bytes.count) { memory in
        memory.copyBytes(from: bytes)
        return bytes.count
      }
    }

    /// Appends what a closure writes, of so many bytes at most, and says.
    mutating func append(
      capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(Errno) {
      if memory.count - count < capacity { try makeRoom(for: capacity) }
      count += body(UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
    }

    private mutating func makeRoom(for capacity: Int) throws(Errno) {
      try flush()
      if memory.count < capacity {
        memory.deallocate()
        memory = .allocate(byteCount: capacity, alignment: 16)
      }
    }

    mutating func flush() throws(Errno) {
      var done = 0
      while done < count {
        let written = Glibc.write(
          output.rawValue, memory.baseAddress.map { $0 + done }, count - done)
        if written < 0 && errno == EINTR { continue }
        if written < 0 { throw Errno(rawValue: errno) }
        done += written
      }
      count = 0
    }
  }
}
