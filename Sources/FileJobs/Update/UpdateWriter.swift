// The new ledger and manifest of an update, written from the outcomes of its plan.

internal import SystemPackage
internal import Weir

final class UpdateWriter {
  private let options: UpdateJob.Options
  private let indices: AlgorithmIndices
  private var moves: UpdateMoves.Lookup?
  private let now: UInt32
  private let output: OutputFile?
  private let lines: LedgerLines
  private let check: () throws -> Void
  let changes: SortedRuns
  private(set) var counts = UpdateCounts()

  private static let pieceSize = 1 << 16

  init(
    _ options: UpdateJob.Options, _ indices: AlgorithmIndices, _ moves: UpdateMoves?, now: UInt32,
    output: OutputFile?, changes: SortedRuns, check: @escaping () throws -> Void
  ) throws {
    (self.options, self.indices, self.now, self.output) = (options, indices, now, output)
    (self.changes, self.check) = (changes, check)
    self.moves = try moves?.makeLookup()
    lines = LedgerLines(options.form)
  }

  /// Writes the lines of a name.
  func write(
    _ place: UnsafeRawBufferPointer, _ item: UpdateItem, _ outcome: UpdateOutcome
  ) throws {
    switch outcome {
    case .directory: lines.begin(item.name, of: item.source, isDirectory: true)
    case .link: try writeLink(item)
    case .unchanged(let digests): append(item, digests, isWhole: false)
    case .kept(let record):
      counts.kept += 1
      if let open = record.open { try report(item, open) }
      append(item, record.digests, record.open)
    case .gone(let record): try writeGone(place, item, record)
    case .unlinked: try report(item, .unlinked)
    case .content(let content): try write(place, item, content)
    case .nothing: return
    }
    if lines.count >= UpdateWriter.pieceSize { try flush() }
  }

  func finish() throws {
    try flush()
    try changes.finish()
  }

  private func flush() throws {
    try check()
    try output?.append(manifest: lines.manifestLines, ledger: lines.ledgerLines)
    lines.removeAll()
  }

  // MARK: Names

  private func writeLink(_ item: UpdateItem) throws {
    lines.begin(item.name, of: item.source)
    lines.append(link: item.name, target: item.target)
    if let record = item.record, !record.target.hasSameBytes(as: item.target) {
      try report(item, .relinked)
    }
  }

  private func writeGone(
    _ place: UnsafeRawBufferPointer, _ item: UpdateItem, _ record: LedgerEntry
  ) throws {
    if try moves?.find(place) != nil { return }
    // What was rotten stays so, whatever its name: a rotten file that was renamed is no loss that
    // people mean.
    let isAccepted = options.accepts.accepts(record.open?.kind ?? .gone, item.name)
    try report(item, .gone, since: record.open?.since ?? 0, isAccepted: isAccepted)
    if !isAccepted { append(item, record.digests, record.open ?? OpenPoint(.gone, since: now)) }
  }

  private func write(
    _ place: UnsafeRawBufferPointer, _ item: UpdateItem, _ content: UpdateContent
  ) throws {
    let record = item.record
    let verdict = LedgerVerdict(
      record, isSame: content.isSame, size: content.size, time: content.time)
    if verdict == .rot, let record {
      let open = record.open?.kind == .rot ? record.open : nil
      let isAccepted = options.accepts.accepts(.rot, item.name)
      try report(item, .rot, since: open?.since ?? 0, isAccepted: isAccepted)
      if !isAccepted {
        return append(item, record.digests, open ?? OpenPoint(.rot, since: now))
      }
    } else if verdict == .new, let former = try moves?.find(place), !former.isEmpty {
      try report(item, .moved, former: former)
    } else if verdict != .same {
      let ended = verdict == .edited ? record?.open : nil
      try report(item, verdict, since: ended?.since ?? 0, wasGone: ended?.kind == .gone)
    }
    append(item, content.digests, isWhole: false)
  }

  /// Appends the lines of a file.
  ///
  /// - Parameter isWhole: True if digests of other algorithms than the run's stay.
  private func append(
    _ item: UpdateItem, _ digests: RecordDigests, _ open: OpenPoint? = nil, isWhole: Bool = true
  ) {
    let name = item.lineName
    counts.files += 1
    lines.begin(name, of: item.source)
    if let open { lines.append(open) }
    if isWhole || digests.indices.hasSameBytes(as: indices.bytes) {
      return lines.append(name, digests)
    }
    digests.rest(with: indices.algorithms).withUnsafeBytes { rest in
      lines.append(name, RecordDigests(rest: rest, indices: indices.bytes))
    }
  }

  // MARK: Changes

  /// Reports an open point that is not judged, since its file could not be read.
  private func report(_ item: UpdateItem, _ open: OpenPoint) throws {
    try report(item, open.kind == .rot ? .rot : .gone, since: open.since)
  }

  private func report(
    _ item: UpdateItem, _ verdict: LedgerVerdict, former: [UInt8] = [], since: UInt32 = 0,
    isAccepted: Bool = false, wasGone: Bool = false
  ) throws {
    counts.count(verdict, isAccepted: isAccepted)
    let name = item.lineName
    try changes.append(writing: 18 + former.count + name.count) { line in
      line.append(littleEndian: UInt64(changes.count).bigEndian)
      line.append(verdict.rawValue)
      line.append(UInt8(isAccepted ? 1 : wasGone ? 2 : 0))
      line.append(littleEndian: since)
      line.append(littleEndian: UInt32(former.count))
      line.append(former)
      line.append(name)
    }
  }

  /// Reads a change.
  static func change(_ record: UnsafeRawBufferPointer) -> UpdateChange {
    let end = 18 + Int(record.littleEndian(at: 14) as UInt32)
    return UpdateChange(
      name: UnsafeRawBufferPointer(rebasing: record[end...]),
      verdict: LedgerVerdict(rawValue: record[8]) ?? .same,
      former: end > 18 ? Array(record[18..<end]) : nil, since: record.littleEndian(at: 10),
      isAccepted: record[9] == 1, wasGone: record[9] == 2)
  }
}
