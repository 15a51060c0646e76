// The agreement of a manifest of text with the ledger beside it.
//
// DESIGN. An update of a manifest of text compares files with the ledger beside it, M.mtree. Lost
// lines of the ledger would make files new, and record their rot as it is; an edited M would lose
// the edit. One run makes both from the same records, so they are read in step, and an update
// refuses where they differ: it cannot know which is right. (Rejected: to compare the numbers of
// lines only, which finds no edited digest. To use M alone: M may be the one that was cut.)

internal import SystemPackage

/// A reader of the lines of a manifest, in step with the records of its ledger.
final class TextAgreement {
  private let manifest: FormerManifest
  private let lines: ManifestReader
  private var parser: ManifestParser
  private var line: ManifestLine?
  private let usual = ByteBuffer()
  private var isMalformed = false
  private var isRead = false
  /// The number of the first line that differs.
  private var difference: Int?

  /// Returns `nil` if there is no manifest of text to compare.
  init?(_ manifest: FormerManifest) {
    guard let text = manifest.text else { return nil }
    self.manifest = manifest
    let isZeroTerminated = manifest.isZeroTerminated
    lines = ManifestReader(text, from: 0, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
    parser = ManifestParser(
      untagged: LedgerEntries.untagged(manifest.algorithms), isZeroTerminated: isZeroTerminated)
  }

  /// Expects the lines of a record. Throws `badMessage` if they are others.
  ///
  /// A record may have digests that have no line, and the next record may be of the same name: so each
  /// digest is that of one line.
  func expect(_ record: InventoryEntry) throws(Errno) {
    let count = EntryDigests(record.digests).count
    var matched: Set<UInt8> = []
    while matched.count < count {
      if !isRead { try readLine() }
      guard let line, !isMalformed, line.name.hasSameBytes(as: record.recordName),
        let digest = EntryDigests(record.digests).first(where: {
          $0.bytes.hasSameBytes(as: line.digest)
        }), matched.insert(digest.index).inserted
      else { break }
      isRead = false
    }
    if matched.isEmpty && count > 0 { try fail() }
  }

  /// Skips the line of a record with one digest, without tag and escapes. Returns false for any other,
  /// which ``expect(_:)`` reads.
  func skip(_ record: InventoryEntry) -> Bool {
    let (digests, name) = (EntryDigests(record.digests), record.recordName)
    guard !isRead, let digest = digests.first, 3 + digest.bytes.count == record.digests.count,
      let text = lines.peek()
    else { return false }
    usual.replace(after: 0, writing: digest.bytes.count * 2 + 2 + name.count) { line in
      line.append(hexadecimal: digest.bytes)
      line.append("  ")
      line.append(name)
    }
    return usual.bytes.hasSameBytes(as: text) && lines.skip() > 0
  }

  func finish() throws(Errno) {
    if !isRead { try readLine() }
    if line != nil || isMalformed { try fail() }
  }

  private func fail() throws(Errno) {
    difference = line == nil && !isMalformed ? lines.lineNumber + 1 : lines.lineNumber
    throw .badMessage
  }

  /// Returns the error for which the two do not agree, which may be a line of the ledger that cannot
  /// be read; `nil` for another error.
  func fault(_ error: Errno) -> Fault? {
    if error != .badMessage { return nil }
    if !isRead { try? readLine() }
    let difference = difference ?? lines.lineNumber
    let text = OutputFile.text(ofLedger: manifest.name)
    if let former = OutputFile.former(ofLedger: manifest.name) {
      let command = [Array("mv".utf8), former, text]
      return Fault(
        text,
        .refused(
          """
          line \(difference) and what follows differ from \(manifest.name); an update was \
          interrupted after it replaced the first; use: \(command: command)
          """))
    }
    let reason: Message = """
      line \(difference) and what follows differ from \(manifest.name); one of the two is \
      damaged or was edited: weir check both; remove \(text) if that is wrong; if the ledger is,
      """
    return Fault(text, .refused(reason + " " + OutputFile.wayOut(ofLedger: manifest.name)))
  }

  private func readLine() throws(Errno) {
    isRead = true
    line = nil
    while let text = try lines.next() {
      switch parser.parse(text) {
      case .ignored: continue
      case .entry(let entry): line = entry
      case .malformed: isMalformed = true
      }
      return
    }
  }
}
