// The lines at the beginning of a manifest and its ledger that an update leaves as they are.
//
// DESIGN. Most updates find nothing new. Then the lines that they would write are those that are there
// already: 20 MB for 100,000 files, and a third of the time of the update. So the plan makes the lines
// of names that are unchanged, and compares them with the former files, up to the first name that is
// not. These names are no items of the plan, and the update copies their lines. If there are no other
// names, the files stay as they are, with their times, and so does the former output, which is that
// before the last change. (Rejected: to trust the plan, which knows neither the directories of the
// former ledger nor lines of a second algorithm that somebody removed from the manifest.)

internal import SystemPackage
internal import Weir
internal import WeirLibC

final class UnchangedLines {
  /// The lines after those that were compared.
  let lines: LedgerLines
  private var ledger: FormerBytes
  private var manifest: FormerBytes?
  /// True until a name has changed or a line differs.
  private var isUnchangedSoFar: Bool
  /// True if the former files have no other lines, after ``finish()``.
  private(set) var coversFormer = false

  private static let pieceSize = 1 << 16

  /// Returns `nil` if the update writes another form, or its names come in another order.
  init?(_ former: FormerManifest, _ form: ManifestForm, _ runHeader: LedgerHeader) throws(Fault) {
    let hasText = former.text != nil
    guard former.isInStep, hasText != form.isMtree else { return nil }
    lines = LedgerLines(form)
    manifest = try former.text.map { (text) throws(Fault) in
      try FormerBytes(text, OutputFile.text(ofLedger: former.name))
    }
    var ledger = try FormerBytes(former.descriptor, former.name)
    var isSame = false
    for header in [runHeader, runHeader.ofFirstRun] where !isSame {
      let beginning = form.isMtree ? form.beginning(header) : header.line
      isSame = try beginning.withUnsafeBufferPointer { (bytes) throws(Fault) in
        try ledger.skip(UnsafeRawBufferPointer(bytes))
      }
    }
    isUnchangedSoFar = isSame
    ledger.begin = ledger.end
    self.ledger = ledger
  }

  /// Takes a name of the walk and its record, in the order of the ledger. Returns false if its lines
  /// are left to the update.
  func take(
    _ name: UnsafeRawBufferPointer, _ header: UpdateItem.Header, _ found: InventoryEntry?,
    _ record: InventoryEntry?
  ) throws(Fault) -> Bool {
    if !isUnchangedSoFar { return false }
    let source = Int(header.source)
    switch (header.step, record) {
    case (.directory, _): lines.begin(name, of: source, isDirectory: true)
    case (.link, let record?) where record.recordTarget.hasSameBytes(as: found?.text ?? .empty):
      lines.begin(name, of: source)
      lines.append(link: name, target: record.recordTarget)
    case (.unchanged, let record?):
      lines.begin(name, of: source)
      lines.append(name, record)
    default:
      end()
      return false
    }
    if lines.count >= UnchangedLines.pieceSize { try compare() }
    return true
  }

  /// Leaves all names from here on to the update.
  func end() { isUnchangedSoFar = false }

  func finish() throws(Fault) {
    if isUnchangedSoFar { try compare() }
    coversFormer = isUnchangedSoFar && ledger.isAtEnd && manifest?.isAtEnd ?? true
    end()
  }

  /// Compares the lines, and removes them if they are the same.
  private func compare() throws(Fault) {
    var (ledger, manifest) = (ledger, manifest)
    isUnchangedSoFar = try ledger.skip(lines.ledgerLines)
    if isUnchangedSoFar, let isSame = try manifest?.skip(lines.manifestLines) {
      isUnchangedSoFar = isSame
    }
    if !isUnchangedSoFar { return }
    (self.ledger, self.manifest) = (ledger, manifest)
    lines.removeAll()
  }

  func forEachPiece(
    _ body: (_ manifest: UnsafeRawBufferPointer, _ ledger: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let isMtree = manifest == nil
    try ledger.forEachPiece { try body(isMtree ? $0 : .empty, $0) }
    try manifest?.forEachPiece { try body($0, .empty) }
  }
}

private struct FormerBytes {
  private let file: FileDescriptor
  private let name: [UInt8]
  private let status: FileStatus
  private let buffer = ByteBuffer()
  var (begin, end) = (0, 0)

  init(_ file: FileDescriptor, _ name: [UInt8]) throws(Fault) {
    (self.file, self.name) = (file, name)
    status = FileStatus(try Fault.of(name, try stat(of: file)))
  }

  /// Returns true if the file goes on with these bytes, and skips them.
  mutating func skip(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Bool {
    let piece = try read(at: end, count: bytes.count)
    guard piece.hasSameBytes(as: bytes) else { return false }
    end += bytes.count
    return true
  }

  var isAtEnd: Bool { status.size == UInt64(end) }

  /// Throws an error if the file has changed since the bytes were compared, or that of the closure.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var offset = begin
    while offset < end {
      let piece = try read(at: offset, count: min(end - offset, 1 << 16))
      if piece.isEmpty { break }
      try body(piece)
      offset += piece.count
    }
    let now = FileStatus(try Fault.of(name, try stat(of: file)))
    if offset < end || now.size != status.size || now.modified != status.modified {
      throw Fault(name, .refused("was changed by another program during the run"))
    }
  }

  private func read(at offset: Int, count: Int) throws(Fault) -> UnsafeRawBufferPointer {
    buffer.reserve(count)
    let memory = buffer.memory[..<count].rebased
    let done = try Fault.of(name, try file.read(filling: memory, at: offset))
    return UnsafeRawBufferPointer(rebasing: memory[..<done])
  }
}
