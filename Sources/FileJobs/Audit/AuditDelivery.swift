// The delivery of an audit: from verdicts and walked files to events.

internal import SystemPackage
internal import Weir

/// The conversion of a check's events and a walk's results into an audit's events.
///
/// @unchecked Sendable: used by one thread at a time, the one that delivers.
final class AuditDelivery: @unchecked Sendable {
  private let index: AuditIndex
  private let deliver: (AuditEvent) throws -> Void
  private var manifests: [CheckedManifest] = []
  private var moves: AuditMoves?
  private var memory = AuditKeyBuffer()

  init(_ index: AuditIndex, _ deliver: @escaping (AuditEvent) throws -> Void) {
    self.index = index
    self.deliver = deliver
  }

  func take(_ event: CheckEvent) throws {
    switch event {
    case .line(let line): if !index.take(line) { try deliver(.line(line)) }
    case .end(let manifest): manifests.append(manifest)
    case .pause: try deliver(.pause)
    }
  }

  /// True if a manifest was not read to its end, or if none lists a file.
  var lacksManifest: Bool {
    manifests.contains { $0.failure != nil } || manifests.allSatisfy(\.isEmpty)
  }

  /// Returns the processor of the walk. Called after the check.
  func walk(
    excluding excluded: Set<FileIdentity>, _ options: FileProcessorOptions
  ) throws(Errno) -> FileProcessor<AuditLane, Void> {
    index.missing.seal()
    moves = AuditMoves(index.missing)
    let index = index
    return try FileProcessor(
      options,
      context: { () throws(Errno) -> AuditLane in try AuditLane(index, excluding: excluded) },
      job: { (file, lane) throws(Errno) in try lane.examine(file) })
  }

  /// Takes a result of the walk.
  func take(_ result: FileResult) throws {
    if case .done = result.outcome, result.output.isEmpty { return }
    let key = index.normalizer.key(of: result.path, &memory)
    switch result.outcome {
    case .done:
      let words = stride(from: 0, to: result.output.count, by: 4).map {
        result.output.loadUnaligned(fromByteOffset: $0, as: Int32.self)
      }
      let groups = words.dropFirst().map { Int($0) }
      if moves?.offer(key, groups: groups, isEmpty: words[0] == 1) == .kept { return }
      try report(key, isNew: true, nil)
    case _ where index.isListed(key):
      return  // the check has reported it
    case .failed(let thrown):
      let error = Errno(of: thrown)
      // Without its type, it could be a directory, whose files are the ones to report.
      let isFile = result.type != .directory && result.type != .unknown
      try report(key, isNew: isFile && error != .noSuchFileOrDirectory, .failed(error))
    case .changed(.noSuchFileOrDirectory):
      try report(key, isNew: false, .failed(.noSuchFileOrDirectory))
    case .changed:
      try report(key, isNew: true, .changed)
    case .special:
      try index.displayName(of: key).withUnsafeBytes {
        try deliver(.special(name: $0, result.type))
      }
    case .noted, .directory, .link:
      return
    }
  }

  private func report(
    _ key: UnsafeRawBufferPointer, isNew: Bool, _ failure: AuditedFile.Failure?
  ) throws {
    try index.displayName(of: key).withUnsafeBytes { name in
      let file = AuditedFile(name: name, failure: failure)
      try deliver(isNew ? .new(file) : .unreadable(file))
    }
  }

  /// Reports the missing files, the remaining new files, and the manifests.
  func finish() throws {
    if moves == nil { index.missing.seal() }
    moves?.assignRemaining()
    var reported: [Int32: UInt32] = [:]
    for line in index.missing.lines { try report(line, &reported) }
    try moves?.forEachUnused { try report($0, isNew: true, nil) }
    for manifest in manifests { try deliver(.end(manifest)) }
    try deliver(.pause)
  }

  /// Reports a missing or moved file.
  ///
  /// - Parameter reported: For each moved file, the last manifest that reported it. A
  ///   manifest with several lines for one file reports its move once.
  private func report(
    _ line: MissingFiles.Line, _ reported: inout [Int32: UInt32]
  ) throws {
    try index.missing.withName(Int(line.file)) { name in
      let checked = CheckedLine(
        kind: line.kind, manifest: Int(line.manifest), number: Int(line.number), name: name,
        outcome: .missing)
      try moves?.withNewName(of: line) { key in
        guard let key else { return try deliver(.line(checked)) }
        if reported.updateValue(line.manifest, forKey: line.file) == line.manifest {
          return manifests[Int(line.manifest)].missing -= 1
        }
        manifests[Int(line.manifest)].move()
        try index.displayName(of: key).withUnsafeBytes { try deliver(.moved(checked, to: $0)) }
      }
    }
  }
}
