// From results to what an audit says.

internal import SystemPackage
internal import Weir

/// Turns verdicts and what a walk meets into events.
///
/// @unchecked Sendable: used by one thread at a time, that which delivers.
final class AuditDelivery: @unchecked Sendable {
  private let index: AuditIndex
  private let deliver: (AuditEvent) throws -> Void
  private var manifests: [CheckedManifest] = []
  private var moves: AuditMoves?
  private var memory = AuditKeyMemory()

  init(_ index: AuditIndex, _ deliver: @escaping (AuditEvent) throws -> Void) {
    self.index = index
    self.deliver = deliver
  }

  /// Takes what is said of the manifests.
  func take(_ event: CheckEvent) throws {
    switch event {
    case .line(let line): if !index.take(line) { try deliver(.line(line)) }
    case .end(let manifest): manifests.append(manifest)
    case .pause: try deliver(.pause)
    }
  }

  /// The walk, when all manifests are done with.
  func walk(
    excluding excluded: Set<FileIdentity>, _ options: FileProcessorOptions
  ) throws(Errno) -> FileProcessor<AuditLane, Void> {
    index.missing.seal()
    moves = AuditMoves(index.missing)
    let index = index
    return try FileProcessor(
      options,
      context: { () throws(Errno) -> AuditLane in try AuditLane(index, excluding: excluded) },
      job: { (file, lane) throws(Errno) in try lane.visit(file) })
  }

  /// Takes what became of something that the walk met.
  func take(_ result: FileResult) throws {
    if case .done = result.outcome, result.output.isEmpty { return }
    let key = index.paths.key(of: result.path, &memory)
    switch result.outcome {
    case .done:
      try take(key, result.output.loadUnaligned(as: AuditLane.Finding.self))
    case _ where index.isListed(key):
      return  // what there is to say of it was said
    case .failed(let error):
      let isGone = error == .noSuchFileOrDirectory || result.type == .directory
      try tell(key, isNew: !isGone, .failed(error))
    case .changed(.noSuchFileOrDirectory):
      try tell(key, isNew: false, .failed(.noSuchFileOrDirectory))
    case .changed:
      try tell(key, isNew: true, .changed)
    case .special:
      try index.shown(key).withUnsafeBytes {
        try deliver(.special(name: $0, result.type))
      }
    case .noted, .directory, .link:
      return
    }
  }

  private func take(_ key: UnsafeRawBufferPointer, _ finding: AuditLane.Finding) throws {
    if finding.group >= 0 {
      let decision = moves?.offer(
        key, group: Int(finding.group), isEmpty: finding.isEmpty)
      if decision == .kept { return }
    }
    try tell(key, isNew: true, nil)
  }

  private func tell(
    _ key: UnsafeRawBufferPointer, isNew: Bool, _ trouble: AuditedFile.Trouble?
  ) throws {
    try index.shown(key).withUnsafeBytes { name in
      let file = AuditedFile(name: name, trouble: trouble)
      try deliver(isNew ? .new(file) : .unreadable(file))
    }
  }

  /// Says what is known only at the end.
  func finish() throws {
    moves?.settle()
    var told: [Int32: UInt32] = [:]
    for line in index.missing.lines { try tell(line, &told) }
    try moves?.forEachLeft { try tell($0, isNew: true, nil) }
    for manifest in manifests { try deliver(.end(manifest)) }
    try deliver(.pause)
  }

  /// - Parameter told: For each file that has moved the manifest that said so last:
  ///   a manifest can have several lines of one file, which has moved once.
  private func tell(_ line: AuditMissing.Line, _ told: inout [Int32: UInt32]) throws {
    try index.missing.withName(Int(line.file)) { name in
      let checked = CheckedLine(
        kind: line.kind, manifest: Int(line.manifest), number: Int(line.number), name: name,
        outcome: .missing)
      try moves?.withNewName(of: Int(line.file)) { key in
        guard let key else { return try deliver(.line(checked)) }
        if told.updateValue(line.manifest, forKey: line.file) == line.manifest {
          return manifests[Int(line.manifest)].missing -= 1
        }
        manifests[Int(line.manifest)].move()
        try index.shown(key).withUnsafeBytes { try deliver(.moved(checked, to: $0)) }
      }
    }
  }
}
