// How much a check of manifests of mtree(5) is going to read.

internal import Glibc
internal import SystemPackage
internal import Weir

extension CheckManifest {
  /// How many bytes are going to be read for some manifests, by the sizes that
  /// are recorded in them; `nil` where that cannot be known, as of lines of
  /// checksum tools, or of what is no regular file.
  ///
  /// It reads the manifests from end to end.
  ///
  /// - Parameters:
  ///   - manifests: The manifests.
  ///   - isOver: Asked now and then, whether nobody wants to know any more.
  ///
  /// Blocks: as reading files does.
  public static func bytesRecorded(
    in manifests: [CheckManifest], until isOver: () -> Bool
  ) -> UInt64? {
    var sum: UInt64 = 0
    for manifest in manifests {
      guard let bytes = manifest.bytesRecorded(until: isOver) else { return nil }
      sum &+= bytes
    }
    return sum
  }

  private func bytesRecorded(until isOver: () -> Bool) -> UInt64? {
    guard case .path(let path, let directory) = source else { return nil }
    let descriptor = CheckFeed.openFile(path, from: directory)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let reader = ManifestReader(FileDescriptor(rawValue: descriptor))
    let parser = MtreeParser()
    var isKnown = false
    var sum: UInt64 = 0
    while let line = try? reader.next() {
      if reader.lineNumber & 0xFFF == 0 && isOver() { return nil }
      if !isKnown {
        let text = reader.lineNumber == 1 ? CheckFeed.withoutMark(line) : line
        switch MtreeSign.look(at: UnsafeRawBufferPointer(text), isFirst: reader.lineNumber == 1) {
        case .mtree: isKnown = true
        case .other: return nil
        case .nothing: continue
        }
      }
      if case .entry(let entry) = parser.parse(line), !entry.digests.isEmpty, !entry.isIgnored {
        sum &+= entry.size ?? 0
      }
    }
    return sum
  }
}
