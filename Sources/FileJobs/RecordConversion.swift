// From records to what an output is.

#if Tool
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
      self.algorithms = algorithms.withoutDoubles
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
      piece.bytes += MtreeFrame.header(version: version)
      let first = try lines.next()
      if let first, hasSources { piece.bytes += RunHeader.sourceComment(of: first) }
      while let line = try lines.next() {
        let isSource =
          line.first == UInt8(ascii: "#")
          && line.starts(with: RecordReader.source.utf8)
        if isSource && !hasSources { continue }
        piece.bytes.append(contentsOf: line)
        piece.bytes.append(UInt8(ascii: "\n"))
        if piece.bytes.count >= RecordConversion.pieceMax { try piece.flush() }
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
          piece.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
            writer.write(name: entry.name, digest: digest, to: memory)
          }
        }
        // What has rotted, or could not be read, has the digests it had; it is not to
        // be missing for that.
        if !algorithms.contains(where: { entry.digest($0) != nil }) {
          for digest in entry.digests {
            let writer = others[digest.algorithm.index]
            piece.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
              writer.write(name: entry.name, digest: digest.bytes, to: memory)
            }
          }
        }
        if piece.bytes.count >= RecordConversion.pieceMax { try piece.flush() }
      }
    }

    /// What is to be written next.
    private struct Piece {
      private let output: FileDescriptor
      var bytes: [UInt8] = []

      init(_ output: FileDescriptor) {
        self.output = output
        bytes.reserveCapacity(RecordConversion.pieceMax * 2)
      }

      mutating func append(
        capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
      ) {
        let begin = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: capacity))
        let count = bytes.withUnsafeMutableBytes {
          body(UnsafeMutableRawBufferPointer(rebasing: $0[begin...]))
        }
        bytes.removeLast(capacity - count)
      }

      mutating func flush() throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes {
            Glibc.write(output.rawValue, $0.baseAddress, $0.count)
          }
          if count < 0 && errno == EINTR { continue }
          if count < 0 { throw Errno(rawValue: errno) }
          rest = rest.dropFirst(count)
        }
        bytes.removeAll(keepingCapacity: true)
      }
    }
  }
#endif
