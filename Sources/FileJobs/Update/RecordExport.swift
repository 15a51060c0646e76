// The conversion of records to the requested manifest.

package import SystemPackage

/// Makes a manifest from the records of a run.
package struct RecordExport: Sendable {
  private let algorithms: [DigestAlgorithm]
  private let format: ManifestFormat
  private let isZeroTerminated: Bool
  private let version: String
  private let hasSources: Bool

  /// - Parameters:
  ///   - algorithms: The algorithms of the digests.
  ///   - format: Text, plain, tagged or mtree.
  ///   - isZeroTerminated: As of ``HashJob``.
  ///   - version: The version of the program, for the first line.
  ///   - hasSources: True if there are several sources, which mtree(5) records then
  ///     name.
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
  package func convert(
    _ records: FileDescriptor, _ output: FileDescriptor
  ) throws(Errno) {
    let writer = BufferedWriter(output)
    if format == .mtree {
      try writeMtree(ManifestReader(records, from: 0), to: writer)
    } else {
      try writeText(records, to: writer)
    }
    try writer.flush()
  }

  /// Writes what `--format mtree` writes to standard output, and the comments that a
  /// later run needs.
  private func writeMtree(_ lines: ManifestReader, to output: BufferedWriter) throws(Errno) {
    try output.append(MtreeWriter.header(version: version))
    let first = try lines.next()
    if let first, hasSources { try output.append(RecordHeader.sourceComment(of: first)) }
    while let line = try lines.next() {
      let isSource =
        line.first == UInt8(ascii: "#")
        && line.starts(with: RecordReader.source.utf8)
      if isSource && !hasSources { continue }
      try output.append(capacity: line.count + 1) { memory in
        memory.copyMemory(from: UnsafeRawBufferPointer(line))
        memory[line.count] = UInt8(ascii: "\n")
        return line.count + 1
      }
    }
  }

  private func writeText(_ records: FileDescriptor, to output: BufferedWriter) throws(Errno) {
    let isTagged = format.isTagged(algorithms)
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
        try output.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
          writer.write(name: entry.name, digest: digest, to: memory)
        }
      }
      // A rotten or unreadable file has only the digests that it had before: the
      // manifest must not lose the file for that reason.
      if !algorithms.contains(where: { entry.digest($0) != nil }) {
        for digest in entry.digests {
          let writer = others[digest.algorithm.index]
          try output.append(capacity: writer.capacity(nameCount: entry.name.count)) { memory in
            writer.write(name: entry.name, digest: digest.bytes, to: memory)
          }
        }
      }
    }
  }
}
