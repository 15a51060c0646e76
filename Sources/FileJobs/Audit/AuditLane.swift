// The examination of a file that an audit's walk has found.

internal import SystemPackage
internal import Weir

/// The context of a lane of the walk.
final class AuditLane {
  private let index: AuditIndex
  private let excluded: Set<FileIdentity>
  private let digests: DigestSet?
  private var memory = AuditKeyBuffer()

  /// - Throws: `Errno.notSupported` if libcrypto does not offer an algorithm.
  init(_ index: AuditIndex, excluding excluded: Set<FileIdentity>) throws(Errno) {
    self.index = index
    self.excluded = excluded
    let algorithms = index.missing.algorithms
    digests = algorithms.isEmpty ? nil : try DigestSet(algorithms)
  }

  /// Writes nothing for a listed file. For a new one, writes 1 if it is empty or else 0, and the
  /// groups of the missing files with its content, all as `Int32`.
  func examine(_ file: borrowing OpenFile) throws(Errno) {
    let key = index.normalizer.key(of: file.path, &memory)
    if index.isListed(key) { return }
    // The status is needed before the open: excluded files are not opened.
    let status = try file.pathStatus()
    let identity = FileIdentity(device: status.device, inode: status.inode)
    if excluded.contains(identity) { return }
    guard let digests else { return try file.write(bytesOf: Int32(0)) }
    try digests.compute(file)
    try file.write(bytesOf: Int32(digests.size == 0 ? 1 : 0))
    for group in groups(of: digests) { try file.write(bytesOf: group) }
  }

  private func groups(of digests: DigestSet) -> [Int32] {
    let all = Dictionary(
      uniqueKeysWithValues: zip(index.missing.algorithms, digests.digests.map(\.bytes)))
    return index.missing.groups(size: digests.size) { all[$0] ?? .init(start: nil, count: 0) }
  }
}
