// DESIGN. `weir hash --output M` writes M and M.mtree in the same order. So both are read in step,
// once, in constant memory. Where a line has another name or digest than its record, nobody knows
// which of the two was changed: the lines from there on have only their digests. (Rejected: to
// compare both as a whole before the first file, which reads them twice.)
//
// A run that writes both renames M before M.mtree. Here M.mtree is opened first, so it may be older
// than M. If the two differ, and M.mtree is not the file that was opened, or becomes another one while
// there is an M.partial, for half a second, the lines up to there are read again with the new one.

internal import WeirLibC
internal import SystemPackage

/// A reader of a manifest of any format, and of the records that `weir hash --output M` keeps beside M,
/// as `M.mtree`.
final class RecordedLines {
  /// A record of the ledger, valid until the next line.
  struct Record {
    let entry: MtreeEntry
    let algorithm: DigestAlgorithm
  }

  let lines: CheckManifest.LineReader
  /// The header of the ledger, or of a manifest that is a ledger itself.
  private(set) var header: LedgerHeader?
  /// True if the form of the manifest is known: then it is known if it has a ledger.
  private(set) var hasForm = false
  /// The record of the line that was returned last; `nil` if there is none.
  private(set) var record: Record?
  /// True if a line has another digest than the record of its name, if the records that have no line
  /// have an open point, or if the ledger has more digests than the manifest has lines.
  private(set) var isContradicted = false
  /// True as long as the ledger agrees with the lines.
  var hasLedger: Bool { ledger != nil }

  private let manifest: CheckManifest
  private let skipsMalformed: Bool
  /// The ledger, as long as it agrees with the lines.
  private var ledger: CheckManifest.LineReader?
  /// The last entry of the ledger, and the number of lines that it has had.
  private var entry: MtreeEntry?
  private var lineCount = 0
  /// The number of lines with a digest, and that of the digests of a ledger that does not agree.
  private var (digestLines, ledgerDigests) = (0, 0)
  /// True if the ledger could not be read to its end.
  private var isUnreadable = false

  /// Opens a manifest, and its ledger if it names one.
  ///
  /// - Parameters:
  ///   - isZeroTerminated: True if lines end in NUL; `nil` if the ledger says it.
  ///   - untagged: The algorithms of untagged lines; those of the ledger and the usual ones if there is
  ///     none.
  ///   - skipsMalformed: True if a malformed line is no difference from the ledger.
  /// - Throws: An errno value, or ``CheckManifestFailure/specialCode``.
  init(
    _ manifest: CheckManifest, isZeroTerminated: Bool?, untagged: [DigestAlgorithm] = [],
    skipsMalformed: Bool = false
  ) throws(Errno) {
    (self.manifest, self.skipsMalformed) = (manifest, skipsMalformed)
    if let (ledger, header) = RecordedLines.openLedger(of: manifest),
      header.isZeroTerminated == isZeroTerminated ?? header.isZeroTerminated
    {
      (self.ledger, self.header) = (ledger, header)
    }
    let isZeroTerminated = isZeroTerminated ?? header?.isZeroTerminated ?? false
    lines = try CheckManifest.LineReader(
      manifest, isZeroTerminated,
      ManifestParser(
        untagged: untagged, recorded: header?.algorithms ?? [],
        isZeroTerminated: isZeroTerminated))
  }

  /// Reads the lines before a number of them again, with a new ledger.
  private init?(again former: RecordedLines, before number: Int) {
    var manifest = former.manifest
    manifest.report = { _ in }
    (self.manifest, skipsMalformed) = (manifest, former.skipsMalformed)
    lines = former.lines.again()
    (ledger, header) = RecordedLines.openLedger(of: manifest) ?? (nil, nil)
    hasForm = true
    while ledger != nil, lines.lineNumber < number - 1, (try? step()) != nil {}
    if ledger == nil { return nil }
  }

  /// Returns the ledger after its first line, and its header; `nil` if it cannot be used.
  private static func openLedger(
    of manifest: CheckManifest
  ) -> (CheckManifest.LineReader, LedgerHeader)? {
    guard let path = manifest.records, case .path(_, let directory) = manifest.source else {
      return nil
    }
    var records = manifest
    records.source = .path(path, from: directory)
    guard let ledger = try? CheckManifest.LineReader(records, false, ManifestParser()),
      (try? ledger.step()) != nil,
      let header = LedgerHeader(line: Array(ledger.text) + [UInt8(ascii: "\n")])
    else { return nil }
    return (ledger, header)
  }

  // MARK: Lines

  /// Returns the next line; `nil` at the end.
  func next() throws(Errno) -> CheckManifest.Line? {
    while let line = try step() {
      if case .nothing = line { continue }
      return line
    }
    return nil
  }

  /// Reads a line of text; `nil` at the end.
  func step() throws(Errno) -> CheckManifest.Line? {
    record = nil
    let line = try lines.step()
    if lines.isKnown && !hasForm && lines.foreign == nil { begin() }
    switch line {
    case .checksum(let line):
      if ledger != nil {
        record = find(line)
        if record == nil && reopen(at: lines.lineNumber) { record = find(line) }
        if record == nil { close(at: lines.number) }
      }
      digestLines += 1
    case .malformed where ledger != nil && !skipsMalformed: close(at: lines.number)
    case nil where hasForm && lines.lineNumber > 0:
      if ledger != nil { readEntry() }
      if entry != nil && reopen(at: lines.lineNumber + 1) { readEntry() }
      if entry != nil || isUnreadable { close(at: lines.lineNumber + 1) }
      if ledgerDigests > digestLines { isContradicted = true }
    case .entry, .malformed, .nothing, nil: break
    }
    return line
  }

  private func begin() {
    hasForm = true
    if lines.hasEntries {
      ledger = nil
      header =
        lines.hasTypes && lines.lineNumber == 1
        ? LedgerHeader(line: Array(lines.text) + [UInt8(ascii: "\n")]) : nil
    } else if manifest.records != nil && ledger == nil {
      manifest.report(.unusable)
    }
  }

  /// Takes the ledger that has replaced the one that was opened. Returns false if there is none, or if
  /// it differs from the lines before a number of them too.
  ///
  /// Blocks: for half a second at most, while a run has records of its own.
  private func reopen(at number: Int) -> Bool {
    guard let ledger, let path = manifest.records, case .path(_, let base) = manifest.source else {
      return false
    }
    let opened = (try? stat(of: ledger.descriptor)).map { FileIdentity($0) }
    let partial = path.dropLast(".mtree".utf8.count) + ".partial".utf8
    var isReplaced = false
    for _ in 0..<50 {
      let isWritten = withPath(Array(partial)) { faccessat(base, $0, F_OK, 0) } == 0
      var status = stat()
      let isThere = withPath(path) { fstatat(base, $0, &status, 0) } == 0
      isReplaced = isThere && opened != FileIdentity(status)
      if isReplaced || !isWritten { break }
      usleep(10_000)
    }
    guard isReplaced, let other = RecordedLines(again: self, before: number) else { return false }
    (self.ledger, entry, lineCount) = (other.ledger, other.entry, other.lineCount)
    (isContradicted, isUnreadable) = (false, false)
    return true
  }

  /// Uses the ledger no more.
  private func close(at line: Int) {
    // Without its line, the manifest would be right although the ledger knows that a file is not, or
    // has a file that the manifest has lost.
    ledgerDigests = digestLines
    while let lost = entry {
      if lost.open != nil { isContradicted = true }
      ledgerDigests += lost.digests.count
      readEntry()
    }
    (ledger, entry) = (nil, nil)
    manifest.report(isUnreadable ? .unusable : .differs(line: line))
  }

  // MARK: Records

  /// Returns the record of a line: the last one, which has a digest for each of several lines, or the
  /// next one.
  private func find(_ line: ManifestLine) -> Record? {
    if let record = match(line) { return record }
    let isOfLast = contradicts(line)
    readEntry()
    if let record = match(line) { return record }
    isContradicted = isOfLast || contradicts(line)
    return nil
  }

  private func match(_ line: ManifestLine) -> Record? {
    guard let entry, lineCount < entry.digests.count, entry.name.hasSameBytes(as: line.name),
      let digest = entry.digests.first(where: { $0.bytes.hasSameBytes(as: line.digest) })
    else { return nil }
    lineCount += 1
    return Record(entry: entry, algorithm: digest.algorithm)
  }

  private func contradicts(_ line: ManifestLine) -> Bool {
    guard let entry, entry.name.hasSameBytes(as: line.name) else { return false }
    let alike = entry.digests.filter { $0.bytes.count == line.digest.count }
    return !alike.isEmpty && !alike.contains { $0.bytes.hasSameBytes(as: line.digest) }
  }

  private func readEntry() {
    (entry, lineCount) = (nil, 0)
    do throws(Errno) {
      while let line = try ledger?.next() {
        if case .entry(let found) = line, !found.digests.isEmpty { return entry = found }
      }
    } catch {
      isUnreadable = true
    }
  }
}

extension CheckManifest {
  package var withRecords: CheckManifest {
    guard case .path(let path, let directory) = source else { return self }
    var manifest = self
    // A run that writes the manifest follows a link of its name.
    let own = try? ReplacingFile.withoutLinks(path, from: directory)
    let records = (own ?? path) + ".mtree".utf8
    let isThere = withPath(records) { faccessat(directory, $0, F_OK, 0) } == 0
    manifest.records = isThere ? records : nil
    return manifest
  }
}
