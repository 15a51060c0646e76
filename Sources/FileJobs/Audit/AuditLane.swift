// The examination of a file that an audit's walk has found.

internal import SystemPackage
internal import Weir

/// The context of a lane of the walk.
final class AuditLane {
  private let index: AuditIndex
  private let excluded: Set<FileIdentity>
  private let digests: DigestSet?
  private var memory = AuditKeyBuffer()

  /// The output for a new file: the missing files with its digest.
  struct Finding {
    /// The group, or -1.
    var group: Int32 = -1
    var isEmpty = false
  }

  /// - Throws: `Errno.notSupported` if libcrypto does not offer an algorithm.
  init(_ index: AuditIndex, excluding excluded: Set<FileIdentity>) throws(Errno) {
    self.index = index
    self.excluded = excluded
    let algorithms = index.missing.algorithms
    digests = algorithms.isEmpty ? nil : try DigestSet(algorithms)
  }

  /// Writes a finding for a new file, and nothing for a listed one.
  func examine(_ file: borrowing OpenFile) throws(Errno) {
    let key = index.normalizer.key(of: file.path, &memory)
    if index.isListed(key) { return }
    // The status is needed before the open: excluded files are not opened.
    let status = try file.pathStatus()
    let identity = FileIdentity(device: status.device, inode: status.inode)
    if excluded.contains(identity) { return }
    var finding = Finding()
    if let digests {
      try digests.compute(file)
      finding.isEmpty = digests.size == 0
      finding.group = group(of: digests)
    }
    try file.write(bytesOf: finding)
  }

  /// Returns the group of the first digest that a missing file has, or -1.
  private func group(of digests: DigestSet) -> Int32 {
    for (algorithm, digest) in zip(index.missing.algorithms, digests.digests) {
      if let group = index.missing.group(algorithm, digest.bytes) { return Int32(group) }
    }
    return -1
  }
}
