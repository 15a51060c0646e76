// The walk of an audit: the examination of a file, and the events of an audit.

internal import SystemPackage
internal import Weir

/// The context of a lane of the walk.
final class AuditLane {
  private let index: AuditIndex
  private let excluded: Set<FileIdentity>
  private let algorithms: [DigestAlgorithm]
  private let digests: DigestSet?

  /// - Throws: `Errno.notSupported` if libcrypto does not offer an algorithm.
  init(_ index: AuditIndex, excluding excluded: Set<FileIdentity>) throws(Errno) {
    self.index = index
    self.excluded = excluded
    algorithms = index.missing.algorithms
    digests = algorithms.isEmpty ? nil : try DigestSet(algorithms)
  }

  /// Writes nothing for a listed file. For a new one, writes 1 if it is empty or else 0, and the
  /// groups of the missing files with its content, all as `Int32`.
  func examine(_ file: borrowing OpenFile) throws(Errno) {
    if index.isListed(index.keys.key(of: file.path)) { return }
    // The status is needed before the open: excluded files are not opened.
    let status = try file.pathStatus()
    let identity = FileIdentity(device: status.device, inode: status.inode)
    if excluded.contains(identity) { return }
    guard let digests else { return try file.write(bytesOf: Int32(0)) }
    try digests.compute(file)
    try file.write(bytesOf: Int32(digests.size == 0 ? 1 : 0))
    let all = Dictionary(uniqueKeysWithValues: zip(algorithms, digests.digests.map(\.bytes)))
    let groups = index.missing.groups(size: digests.size) {
      all[$0] ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
    for group in groups { try file.write(bytesOf: Int32(group)) }
  }
}

/// The conversion of a check's events and a walk's results into an audit's events.
///
/// @unchecked Sendable: used by one thread at a time, the one that delivers.
final class AuditDelivery: @unchecked Sendable {
  private let index: AuditIndex
  private let deliver: (AuditEvent) throws -> Void
  private var manifests: [CheckedManifest] = []
  private lazy var moves = AuditMoves(index.missing)

  init(_ index: AuditIndex, _ deliver: @escaping (AuditEvent) throws -> Void) {
    self.index = index
    self.deliver = deliver
  }

  func take(_ event: CheckEvent) throws {
    switch event {
    case .line(let line): if !index.take(line) { try deliver(.line(line.owned)) }
    case .end(let manifest): manifests.append(manifest)
    case .pause: try deliver(.pause)
    }
  }

  /// True if a manifest was not read to its end, or if none lists a file.
  var lacksManifest: Bool {
    manifests.contains { $0.failure != nil } || manifests.allSatisfy(\.isEmpty)
  }

  func take(_ result: FileResult) throws {
    if case .done = result.outcome, result.output.isEmpty { return }
    let key = index.keys.key(of: result.path)
    switch result.outcome {
    case .done:
      let words = stride(from: 0, to: result.output.count, by: 4).map {
        Int(result.output.loadUnaligned(fromByteOffset: $0, as: Int32.self))
      }
      if moves.offer(key, groups: Array(words.dropFirst()), isEmpty: words[0] == 1) { return }
      try report(key, isNew: true, nil)
    case _ where index.isListed(key):
      return  // the check has reported it
    case .failed(let thrown):
      let error = Errno(of: thrown)
      // Without its type, it could be a directory, whose files are the ones to report.
      let isFile = result.type != .directory && result.type != .unknown
      try report(key, isNew: isFile && !error.isMissing, .failed(error))
    case .changed(.noSuchFileOrDirectory):
      try report(key, isNew: false, .failed(.noSuchFileOrDirectory))
    case .changed:
      try report(key, isNew: true, .changed)
    case .special:
      try deliver(.special(name: index.displayName(of: key), result.type))
    case .noted, .directory, .link:
      return
    }
  }

  private func report(_ key: [UInt8], isNew: Bool, _ failure: AuditedFile.Failure?) throws {
    let file = AuditedFile(name: index.displayName(of: key), failure: failure)
    try deliver(isNew ? .new(file) : .unreadable(file))
  }

  /// Reports the missing files, the remaining new files, and the manifests.
  func finish() throws {
    moves.assignRemaining()
    // For each moved file, the last manifest that reported it. A manifest with several lines for
    // one file reports its move once.
    var reported: [Int: Int] = [:]
    for line in index.missing.lines {
      var checked = CheckedLine(
        kind: line.kind, manifest: line.manifest, number: line.number,
        name: index.missing.files[line.file].name, outcome: .missing)
      checked.known = line.known
      guard let key = moves.newName(of: line) else {
        try deliver(.line(checked))
        continue
      }
      manifests[line.manifest].count(checked, by: -1)
      if reported.updateValue(line.manifest, forKey: line.file) == line.manifest { continue }
      manifests[line.manifest].moved += 1
      try deliver(.moved(checked, to: index.displayName(of: key)))
    }
    for key in moves.unused { try report(key, isNew: true, nil) }
    for manifest in manifests { try deliver(.end(manifest)) }
    try deliver(.pause)
  }
}
