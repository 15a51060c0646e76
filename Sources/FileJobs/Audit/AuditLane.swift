// Looking at a file that an audit has come upon.

internal import SystemPackage
internal import Weir

/// What a lane of an audit has.
final class AuditLane {
  private let index: AuditIndex
  private let excluded: Set<FileIdentity>
  private let digests: DigestSet?
  private var memory = AuditKeyMemory()

  /// What is written for a file that is new: which missing files have its digest.
  struct Finding {
    /// The group, or -1.
    var group: Int32 = -1
    var isEmpty = false
  }

  /// - Throws: `Errno.notSupported` where libcrypto does not offer an algorithm.
  init(_ index: AuditIndex, excluding excluded: Set<FileIdentity>) throws(Errno) {
    self.index = index
    self.excluded = excluded
    let algorithms = index.missing.algorithms
    digests = algorithms.isEmpty ? nil : try DigestSet(algorithms)
  }

  /// Writes a finding for a file that is new, and nothing for one that is not.
  func visit(_ file: borrowing OpenFile) throws(Errno) {
    let key = index.paths.key(of: file.path, &memory)
    if index.isListed(key) { return }
    // What it is decides also whether it can be opened.
    let status = try file.pathStatus()
    let identity = FileIdentity(device: status.device, inode: status.inode)
    if excluded.contains(identity) { return }
    var finding = Finding()
    if let digests {
      try digests.compute(file)
      finding.isEmpty = digests.size == 0
      finding.group = group(of: digests)
    }
    try file.write(capacity: MemoryLayout<Finding>.size) { memory in
      memory.storeBytes(of: finding, as: Finding.self)
      return MemoryLayout<Finding>.size
    }
  }

  /// The missing files that have the first of the digests which any has.
  private func group(of digests: DigestSet) -> Int32 {
    for (algorithm, digest) in zip(index.missing.algorithms, digests.digests) {
      if let group = index.missing.group(algorithm, digest.bytes) { return Int32(group) }
    }
    return -1
  }
}
