internal import SystemPackage
internal import Weir

/// The conversion of results into events.
///
/// @unchecked Sendable: used by one thread at a time, the one that delivers.
final class CheckDelivery: @unchecked Sendable {
  private let receive: (CheckEvent) throws -> Void
  /// The counts of the manifests, which a ``ProofJob`` verifies together.
  private var manifests: [Int: CheckedManifest] = [:]
  private let unread: Unread

  init(_ unread: Unread, _ receive: @escaping (CheckEvent) throws -> Void) {
    self.unread = unread
    self.receive = receive
  }

  func deliver(_ result: FileResult) throws {
    let note = result.note
    guard let header = CheckNote.header(of: note) else { return }
    switch header.kind {
    case .malformed:
      var line = line(header.line, of: header, .malformed, name: result.path)
      line.isDamaged = header.count > 0
      try deliver(line)
    case .unsupported:
      let outcome = CheckedLine.Outcome.unsupported(CheckNote.tag(of: note))
      try deliver(line(header.line, of: header, outcome, name: result.path))
    case .end: try end(header, note)
    case .entry, .recorded, .file: try deliverFile(result, header, note)
    case .other:
      guard let (verdict, name) = CheckNote.verdict(of: note), let outcome = verdict.outcome
      else { return }
      var line = line(header.line, of: header, outcome, name: name)
      line.kind = .other
      try deliver(line)
    case .finding:
      let (name, reason) = CheckNote.finding(of: note)
      var line = line(header.line, of: header, .invalid(reason), name: name)
      line.kind = .other
      try deliver(line)
    case nil: break
    }
  }

  /// Delivers the verdicts of a file. One read can decide several lines.
  private func deliverFile(
    _ result: FileResult, _ header: CheckNote.Header, _ note: UnsafeRawBufferPointer
  ) throws {
    // The lane writes nothing if the budget is used up, or if the file is known to fail and the run
    // reads no contents.
    let isDone = if case .done = result.outcome { true } else { false }
    let isUnread = isDone && result.output.isEmpty
    if isUnread {
      unread.add(header)
      if header.known == nil { return }
    }
    let status = header.hasStatus ? ExpectedStatus.of(note) : nil
    if case .failed(let error) = result.outcome, Errno(of: error).isMissing, header.known == nil,
      status?.isOptional == true
    {
      return
    }
    var digests = ExpectedDigests(of: note)
    let verdictSize = status == nil ? Int(header.count) : MemoryLayout<CheckVerdict>.size
    var computed = ComputedDigests(in: isDone ? result.output : .empty, after: verdictSize)
    func difference(_ expected: ExpectedDigest) -> (ExpectedDigest, UnsafeRawBufferPointer)? {
      guard let found = computed.next(), !found.hasSameBytes(as: expected.digest) else {
        return nil
      }
      return (expected, found)
    }
    var index = 0
    repeat {
      let first = digests.next()
      if header.hasLines && first == nil { return }
      let outcome: CheckedLine.Outcome =
        isUnread
        ? header.known?.kind == .rot ? .rotten : .failing
        : status.map { CheckDelivery.outcome(of: result, $0) }
          ?? CheckDelivery.outcome(of: result, index)
      let number = header.hasLines ? first.map { UInt64($0.line) } : nil
      var line = line(number ?? header.line, of: header, outcome, name: result.path)
      if status != nil { line.kind = .file }
      line.expected = first
      line.differing = first.flatMap(difference)
      if !header.hasLines && line.differing == nil {
        line.differing = digests.lazy.compactMap(difference).first
      }
      line.isUnread = isUnread
      if first != nil { line.expectedSize = status?.size }
      if !header.hasLines && first != nil { line.otherDigests = digests }
      if status == nil && isDone && !isUnread {
        line.isOfAlternative = result.output[index] == CheckMatch.alternative.rawValue
        line.isUnread = result.output[index] == CheckMatch.unread.rawValue
      }
      line.isRepeated = index > 0 && (status != nil || isUnread || line.isUnreadable)
      try deliver(line)
      index += 1
    } while header.hasLines
  }

  private static func outcome(
    of result: FileResult, _ status: ExpectedStatus
  ) -> CheckedLine.Outcome {
    switch result.outcome {
    case .done: CheckVerdict(result.output)?.outcome ?? .mismatched
    case .failed(Errno.isDirectory) where status.hasType: .wrongType(.directory)
    case .failed(Errno.tooManySymbolicLinkLevels) where status.hasType: .wrongType(.symbolicLink)
    case .special where status.hasType: .wrongType(result.type)
    default: outcome(of: result, 0)
    }
  }

  private static func outcome(of result: FileResult, _ index: Int) -> CheckedLine.Outcome {
    switch result.outcome {
    case .done: result.output[index] == CheckMatch.none.rawValue ? .mismatched : .matched
    case .failed(let error): Errno(of: error).isMissing ? .missing : .unreadable(Errno(of: error))
    case .special: .special(result.type)
    case .changed(let error): .changed(error)
    case .noted, .directory, .link: .malformed
    }
  }

  private func line(
    _ number: UInt64, of header: CheckNote.Header, _ outcome: CheckedLine.Outcome,
    name: UnsafeRawBufferPointer
  ) -> CheckedLine {
    var line = CheckedLine(
      manifest: Int(header.manifest), number: Int(number), lent: name, outcome)
    line.begun = UInt32(bitPattern: header.error)
    line.known = header.known
    return line
  }

  private func deliver(_ line: CheckedLine) throws {
    manifests[line.manifest, default: CheckedManifest()].count(line)
    try receive(.line(line))
  }

  private func end(_ header: CheckNote.Header, _ note: UnsafeRawBufferPointer) throws {
    var manifest = manifests.removeValue(forKey: Int(header.manifest)) ?? CheckedManifest()
    manifest.elsewhere = CheckNote.elsewhere(in: note) + unread.count(in: header.manifest)
    manifest.index = Int(header.manifest)
    manifest.lines = Int(header.line)
    manifest.isMtree = header.isOfMtree
    manifest.isContradicted = header.isContradicted
    if header.error == CheckNote.absent, let tree = unread.tree(of: header.manifest) {
      manifest.failure = .absent(tree)
      manifest.missing += tree.names
    } else if header.error != 0 {
      manifest.failure = CheckManifestFailure(header.error)
    }
    try receive(.end(manifest))
  }
}

/// The lines that a run does not read: those left to a later run, and trees that are not there.
final class Unread: Sendable {
  private struct Counts {
    var lines: [UInt32: Int] = [:]
    var known = 0
    var trees: [UInt32: AbsentTree] = [:]
  }

  private let counts = Locked(Counts())

  /// Counts the lines of a file that is not read. Those of a known failure have a verdict.
  func add(_ header: CheckNote.Header) {
    counts.with { counts in
      if header.known == nil {
        counts.lines[header.manifest, default: 0] += header.lineCount
      } else {
        counts.known += header.lineCount
      }
    }
  }

  func add(_ tree: AbsentTree, of manifest: UInt32) { counts.with { $0.trees[manifest] = tree } }

  var count: Int { counts.with { $0.lines.values.reduce(0, +) } }
  var knownCount: Int { counts.with { $0.known } }

  func count(in manifest: UInt32) -> Int { counts.with { $0.lines[manifest] ?? 0 } }
  func tree(of manifest: UInt32) -> AbsentTree? { counts.with { $0.trees[manifest] } }
}
