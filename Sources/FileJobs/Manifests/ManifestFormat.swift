internal import Weir

/// The format in which digests are written.
package enum ManifestFormat: Sendable {
  /// `DIGEST  NAME`, as GNU's tools write it. Tagged if there are several algorithms, or if a line
  /// could be one of another (``DigestAlgorithm/isUsuallyTagged``).
  case text
  /// `DIGEST  NAME`, also if the line could be one of another algorithm. Lines are tagged if
  /// there are several algorithms, or if the algorithm's own tool reads tagged lines only.
  case plain
  /// `TAG (NAME) = DIGEST`, as BSD's tools write it.
  case tagged
  /// A JSON object per line.
  case json
  /// Lines of mtree(5) with type, size and time: ``MtreeLine``. ``MtreeWriter`` adds the others.
  case mtree

  func isTagged(_ algorithms: [DigestAlgorithm]) -> Bool {
    if algorithms.count > 1 { return true }
    switch self {
    case .tagged: return true
    case .text: return algorithms.contains(where: \.isUsuallyTagged)
    case .plain, .json, .mtree: return false
    }
  }
}

enum ManifestItem: Sendable {
  case lines([ChecksumLine])
  case json(JSONLine)
  case mtree(MtreeLine)

  init(_ algorithms: [DigestAlgorithm], format: ManifestFormat, isZeroTerminated: Bool) {
    switch format {
    case .json: self = .json(JSONLine(algorithms, isZeroTerminated: isZeroTerminated))
    case .mtree: self = .mtree(MtreeLine(algorithms))
    case .text, .plain, .tagged:
      let isTagged = format.isTagged(algorithms)
      self = .lines(
        algorithms.map {
          ChecksumLine($0, isTagged: isTagged, isZeroTerminated: isZeroTerminated)
        })
    }
  }

  func capacity(nameCount: Int) -> Int {
    switch self {
    case .lines(let lines):
      lines.reduce(0) { $0 + $1.capacity(nameCount: max(nameCount, DashFile.name.count)) }
    case .json(let line): line.capacity(nameCount: nameCount)
    case .mtree(let line): line.capacity(nameCount: nameCount)
    }
  }

  /// Writes the text of a file. Returns the number of bytes.
  func write(
    name: UnsafeRawBufferPointer, isDashFile: Bool, _ status: FileStatus?, set: DigestSet,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    switch self {
    case .mtree(let line):
      return line.write(
        name: name, isDashFile: isDashFile,
        type: status?.type == .blockDevice ? .blockDevice : .file, size: set.size,
        time: status?.type == .file ? status?.modified : nil,
        digests: set.digests.lazy.map(\.bytes), to: out)
    case .json(let line):
      return line.write(name: name, size: set.size, digests: set.digests, to: out)
    case .lines(let lines):
      var count = 0
      let name = isDashFile ? DashFile.name : name
      for (line, digest) in zip(lines, set.digests) {
        let rest = out[count...].rebased
        count += line.write(name: name, digest: digest.bytes, to: rest)
      }
      return count
    }
  }
}
