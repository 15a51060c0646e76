// The new ledger and manifest of an update, written from its plan and what was read.

final class UpdateWriter {
  private let options: UpdateJob.Options
  private var moves: Moves.Parts?
  private let now: UInt32
  private let output: OutputFile
  private let lines: LedgerLines
  private let check: () throws -> Void
  let changes: SortedRuns
  private(set) var counts = UpdateCounts()

  private static let pieceSize = 1 << 16

  init(
    _ options: UpdateJob.Options, after unchanged: UnchangedLines?, _ moves: Moves?, now: UInt32,
    output: OutputFile, changes: SortedRuns, check: @escaping () throws -> Void
  ) throws {
    (self.options, self.now, self.output) = (options, now, output)
    (self.changes, self.check) = (changes, check)
    self.moves = try moves.map { try Moves.Parts($0) }
    lines = unchanged?.lines ?? LedgerLines(options.form)
    try unchanged?.forEachPiece { manifest, ledger in
      try check()
      try output.append(manifest: manifest, ledger: ledger)
    }
  }

  func write(_ item: UpdateItem, _ step: UpdateItem.Step, _ content: ReadContent?) throws {
    let part = UpdateWriter.side(of: item, step) == nil ? nil : try moves?.next()
    switch (step, item.record) {
    case (.directory, _): lines.begin(item.name, of: item.source, isDirectory: true)
    case (.link, _): try writeLink(item)
    case (.unchanged, let record?): append(item, record)
    case (.kept, let record?):
      counts.kept += 1
      if let open = record.open { try report(item, open.kind == .rot ? .rot : .gone, open.since) }
      append(item, record, isWhole: true)
    case (.gone, let record?):
      if case .partner? = part { break }
      let isSuspect = if case .suspect? = part { true } else { false }
      try writeGone(item, record, isRotten: isSuspect || record.open?.kind == .rot)
    case (.unlinked, _): try report(item, .unlinked)
    case (.read, _):
      guard let content else { break }
      if case .pair(let former)? = part {
        try report(item, .moved, former: former)
        append(item, content.entry)
      } else {
        try write(item, content)
      }
    case (.known, _), (.unchanged, nil), (.kept, nil), (.gone, nil): break
    }
    if lines.count >= UpdateWriter.pieceSize { try flush() }
  }

  func finish() throws {
    try flush()
    try changes.finish()
  }

  /// Returns the side of a name in the search for moves: A for a new file, B for a record that is
  /// gone; `nil` for any other.
  static func side(of item: UpdateItem, _ step: UpdateItem.Step) -> Side? {
    if step == .gone { return .b }
    return step == .read && item.record == nil && !item.header.isDescriptor ? .a : nil
  }

  private func flush() throws {
    try check()
    try output.append(manifest: lines.manifestLines, ledger: lines.ledgerLines)
    lines.removeAll()
  }

  // MARK: Names

  private func writeLink(_ item: UpdateItem) throws {
    lines.begin(item.name, of: item.source)
    lines.append(link: item.name, target: item.target)
    if let record = item.record, !record.recordTarget.hasSameBytes(as: item.target) {
      try report(item, .relinked)
    }
  }

  private func writeGone(_ item: UpdateItem, _ record: InventoryEntry, isRotten: Bool) throws {
    // A rotten file that was renamed is no loss that people mean: it stays rotten.
    let kind: OpenPoint.Kind = isRotten ? .rot : .gone
    let open = record.open?.kind == kind ? record.open : nil
    let isAccepted = options.accepts.accepts(kind, item.name)
    try report(
      item, .gone, open?.since ?? 0, isAccepted: isAccepted, wasRotten: isRotten)
    if !isAccepted { append(item, record, open: open ?? OpenPoint(kind, since: now)) }
  }

  private func write(_ item: UpdateItem, _ content: ReadContent) throws {
    let record = item.record
    let verdict = LedgerVerdict(record, content)
    if verdict == .rot, let record {
      let open = record.open?.kind == .rot ? record.open : nil
      let isAccepted = options.accepts.accepts(.rot, item.name)
      try report(item, .rot, open?.since ?? 0, isAccepted: isAccepted)
      if !isAccepted { return append(item, record, open: open ?? OpenPoint(.rot, since: now)) }
    } else if verdict != .same {
      let ended = verdict == .edited ? record?.open : nil
      try report(item, verdict, ended?.since ?? 0, wasGone: ended?.kind == .gone)
    }
    append(item, content.entry)
  }

  private func append(_ item: UpdateItem, _ record: InventoryEntry, open: OpenPoint) {
    var record = record
    record.open = open
    append(item, record, isWhole: true)
  }

  private func append(_ item: UpdateItem, _ record: InventoryEntry, isWhole: Bool = false) {
    let name = item.lineName
    lines.begin(name, of: item.source)
    lines.append(name, record, isWhole: isWhole)
  }

  // MARK: Changes

  private func report(
    _ item: UpdateItem, _ verdict: LedgerVerdict, _ since: UInt32 = 0, former: [UInt8] = [],
    isAccepted: Bool = false, wasGone: Bool = false, wasRotten: Bool = false
  ) throws {
    counts.count(verdict, isAccepted: isAccepted)
    let name = item.lineName
    try changes.append(writing: 18 + former.count + name.count) { line in
      line.append(bigEndian: UInt64(changes.count))
      line.append(verdict.rawValue)
      line.append(UInt8(isAccepted ? 1 : 0) | (wasGone ? 2 : 0) | (wasRotten ? 4 : 0))
      line.append(littleEndian: since)
      line.append(littleEndian: UInt32(former.count))
      line.append(former)
      line.append(name)
    }
  }

  static func change(_ record: UnsafeRawBufferPointer) -> UpdateChange {
    let end = 18 + Int(record.littleEndian(at: 14) as UInt32)
    return UpdateChange(
      name: record[end...].rebased,
      verdict: LedgerVerdict(rawValue: record[8]) ?? .same,
      former: end > 18 ? Array(record[18..<end]) : nil, since: record.littleEndian(at: 10),
      isAccepted: record[9] & 1 != 0, wasGone: record[9] & 2 != 0, wasRotten: record[9] & 4 != 0)
  }
}
