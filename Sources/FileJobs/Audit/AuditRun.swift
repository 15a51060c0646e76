// One run of an audit: the lines, then a comparison of the names that they list with the tree.

internal import SystemPackage
internal import Weir

/// @unchecked Sendable: one thread at a time uses it, the calling thread or the one that delivers.
final class AuditRun: @unchecked Sendable {
  private let listing: AuditListing
  private let stages: JobStages
  private let space: SortSpace
  private let deliver: (AuditEvent) throws -> Void
  private var manifests: [CheckedManifest] = []
  /// The algorithms of the digests of missing files.
  private var algorithms: Set<UInt8> = []
  private var steps: UInt64 = 0

  init(
    _ listing: AuditListing, _ stages: JobStages, _ space: SortSpace,
    _ deliver: @escaping (AuditEvent) throws -> Void
  ) {
    (self.listing, self.stages, self.space, self.deliver) = (listing, stages, space, deliver)
  }

  func take(_ event: CheckEvent) throws {
    switch event {
    case .line(let line): if try !listing.take(line) { try deliver(.line(line.owned)) }
    case .end(let manifest): manifests.append(manifest)
    case .pause: try deliver(.pause)
    }
  }

  /// Throws `canceled` soon after a cancel.
  private func step() throws(Errno) {
    steps += 1
    if steps & 0xFFF == 0 { try stages.show(names: steps) }
  }

  /// Compares the lines with a tree, unless all its files would be new.
  func finish(
    _ walk: TreeInventory, of source: FileSource, _ keys: KeyWriter,
    reading options: FileProcessorOptions
  ) throws {
    let lines = try listing.finish()
    let files = space.makeRuns(eighths: 2)
    // A manifest was not read to its end, or none lists a file.
    let lacksManifest =
      manifests.contains { $0.failure != nil } || manifests.allSatisfy(\.isEmpty)
    if lacksManifest {
      try files.finish()
    } else {
      try stages.run(walk.control) { try walk.run(source, keys, to: files) }
    }
    var findings = try join(lines, files)
    files.removeAll()
    try stages.expectMore(false)
    if !algorithms.isEmpty {
      let reading = try ContentReading(
        findings, roots: Sides(nil, []),
        by: algorithms.sorted().map { DigestAlgorithm(index: Int($0)) }, options, space,
        check: { try self.step() })
      findings = try stages.run(reading.control) { try reading.run(on: source.storage) }
    }
    let moves = try Moves.find(in: findings, space, check: { try self.step() })
    try findings.forEach(moves) { finding, part in
      if case .none = part, finding.onlySide == .b { try report(finding) }
    }
    try reportMissing(findings, moves, lines.makeReader())
    for manifest in manifests { try deliver(.end(manifest)) }
    try deliver(.pause)
  }

  /// Returns the names of missing files, and of files that no line names.
  private func join(_ lines: SortedRuns, _ files: SortedRuns) throws -> Findings {
    let join = Join(
      try Inventory(.sorted(lines.makeReader(), hasTypes: true)),
      try Inventory(.sorted(files.makeReader(), hasTypes: true)))
    let findings = Findings(in: space, digestsOnly: true)
    while let records = try join.next() {
      try step()
      if let listed = records.a {
        if !listed.flags.contains(.missing) { continue }
        algorithms.insert(algorithmsOf: listed.entry.digests)
        let found = records.b?.payload ?? .empty
        try findings.append(Finding(listed.key, a: listed.payload, b: found))
      } else if let found = records.b, !join.isHidden(found, of: .b) {
        let entry = found.entry
        if entry.isOther && (entry.type == .directory || entry.type == .symbolicLink) { continue }
        try findings.append(Finding(found.key, a: .empty, b: found.payload))
      }
    }
    try findings.finish()
    return findings
  }

  private func report(_ finding: Finding) throws {
    try step()
    let (name, entry) = (listing.shownName(finding.shownName), finding.onlyEntry)
    if let type = entry.type, entry.isOther { return try deliver(.special(name: name, type)) }
    let file = AuditedFile(name: name, failure: entry.failure)
    var isNew = true
    switch entry.failure {
    case .failed(let error):
      // Without its type, it could be a directory, whose files are the ones to report.
      isNew = entry.type != nil && entry.type != .directory && !error.isMissing
    case .changed, nil: break
    }
    try deliver(isNew ? .new(file) : .unreadable(file))
  }

  // MARK: Missing files

  /// Reports the missing files and those that have moved, in the order of their names.
  private func reportMissing(
    _ findings: Findings, _ moves: Moves?, _ lines: SortedRuns.Reader
  ) throws {
    var record = try lines.next()
    try findings.forEach(moves) { finding, part in
      try step()
      if finding.entries.a.isEmpty { return }
      var found: [MissingLine] = []
      while let line = record {
        let count = line.keyCount
        let order = line[..<count].rebased.order(to: finding.key)
        if order > 0 { break }
        let entry = InventoryEntry(line[(count + 1)...].rebased)
        if order == 0 && entry.flags.contains(.missing) { found.append(MissingLine(entry.text)) }
        record = try lines.next()
      }
      found.sort { ($0.manifest, $0.number) < ($1.manifest, $1.number) }
      let target: [UInt8]? = if case .pair(let name) = part { name } else { nil }
      try report(found, of: finding, movedTo: target)
    }
  }

  private func report(_ lines: [MissingLine], of finding: Finding, movedTo target: [UInt8]?) throws
  {
    let given = lines.first?.name ?? []
    let name = given.isEmpty ? listing.shownName(finding.shownName) : given
    // A manifest with several lines for one file reports its move once.
    var reported: Int?
    for line in lines {
      var checked = CheckedLine(
        kind: line.kind, manifest: line.manifest, number: line.number, name: name,
        outcome: .missing)
      (checked.known, checked.isRepeated) = (line.known, line.isRepeated)
      guard let target else {
        try deliver(.line(checked))
        continue
      }
      manifests[line.manifest].count(checked, by: -1)
      if reported == line.manifest {
        manifests[line.manifest].repeated += 1
        continue
      }
      reported = line.manifest
      manifests[line.manifest].moved += 1
      try deliver(.moved(checked, to: listing.shownName(target)))
    }
  }
}
