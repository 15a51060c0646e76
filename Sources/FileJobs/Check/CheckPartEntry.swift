// The results of a check as records of a part.
//
// DESIGN. A record has one item's name, result and note, in which the expectations are: a merge
// makes verdicts of it without the manifests. The last record has the number of lines of all
// shards: a merge proves by it that they have verified every line, and none twice.

internal import Weir

struct CheckPosition: Comparable {
  let manifest: UInt32
  let isEnd: Bool
  let line: UInt64

  static func < (left: CheckPosition, right: CheckPosition) -> Bool {
    if left.manifest != right.manifest { return left.manifest < right.manifest }
    return left.isEnd == right.isEnd ? left.line < right.line : right.isEnd
  }
}

/// A record of an item, or the last one of a part.
struct CheckPartEntry {
  /// `nil` for the last record.
  let position: CheckPosition?
  /// The number of lines that the item decides; in the last record, the lines of all shards.
  let lines: UInt64
  let path: UnsafeRawBufferPointer
  let result: UnsafeRawBufferPointer

  private static let headSize = 32

  /// Reads a record; `nil` if it is malformed.
  init?(_ record: UnsafeRawBufferPointer) {
    guard record.count >= CheckPartEntry.headSize, record[0] <= 2 else { return nil }
    let pathCount = Int(record.littleEndian(at: 24) as UInt32)
    guard pathCount <= record.count - CheckPartEntry.headSize else { return nil }
    position =
      record[0] == 2
      ? nil
      : CheckPosition(
        manifest: record.littleEndian(at: 4), isEnd: record[0] == 1,
        line: record.littleEndian(at: 8))
    lines = record.littleEndian(at: 16)
    let end = CheckPartEntry.headSize + pathCount
    path = record[CheckPartEntry.headSize..<end].rebased
    result = record[end...].rebased
  }

  static func begin(
    _ record: inout [UInt8], _ position: CheckPosition?, lines: UInt64,
    path: UnsafeRawBufferPointer
  ) {
    record.removeAll(keepingCapacity: true)
    record += [position.map { $0.isEnd ? 1 : 0 } ?? 2, 0, 0, 0]
    record.append(littleEndian: position?.manifest ?? 0)
    record.append(littleEndian: position?.line ?? 0)
    record.append(littleEndian: lines)
    record.append(littleEndian: UInt32(path.count))
    record += [0, 0, 0, 0]
    record.append(contentsOf: path)
  }
}

/// A recorder of the results of a check on one shard.
///
/// @unchecked Sendable: results come one at a time.
package final class CheckPartWriter: @unchecked Sendable {
  private let writer: PartWriter
  private let ignoresMissing: Bool
  private let isStrict: Bool
  private let isLenient: Bool
  private var record: [UInt8] = []
  private var verdict = PartVerdict.success

  /// - Parameters:
  ///   - ignoresMissing: True if a missing file is no difference.
  ///   - isStrict: True if a file without a digest is a difference.
  ///   - isLenient: True if a malformed line is none.
  package init(_ writer: PartWriter, ignoresMissing: Bool, isStrict: Bool, isLenient: Bool) {
    self.writer = writer
    self.ignoresMissing = ignoresMissing
    (self.isStrict, self.isLenient) = (isStrict, isLenient)
  }

  func take(_ event: CheckEvent) {
    let one: PartVerdict
    switch event {
    case .line(let line): one = verdict(on: line)
    case .end(let manifest): one = manifest.isContradicted ? .difference : .success
    case .pause: return
    }
    if one == .difference || verdict == .success { verdict = one }
  }

  private func verdict(on line: CheckedLine) -> PartVerdict {
    if line.isOpen { return .difference }
    return switch line.outcome {
    case .matched, .touched: isStrict && line.lacksDigest ? .difference : .success
    case .mismatched, .edited, .rotten, .failing, .wrongType, .wrongTarget, .invalid: .difference
    case .missing: ignoresMissing ? .success : .difference
    case .malformed: isLenient && !line.isDamaged ? .success : .difference
    case .unreadable, .changed, .special, .unsupported: .unreadable
    }
  }

  func append(_ result: FileResult) throws(Fault) {
    guard let header = CheckNote.header(of: result.note) else { return }
    let isEnd = header.kind == .end
    let position = CheckPosition(manifest: header.manifest, isEnd: isEnd, line: header.line)
    CheckPartEntry.begin(
      &record, position, lines: UInt64(header.lineCount), path: result.path)
    result.append(to: &record)
    try writer.append(
      record, items: 1, nameCheck: UInt32(truncatingIfNeeded: NameHash.hash(result.path)), verdict)
    verdict = .success
  }

  func flush() throws(Fault) { try writer.flush() }

  /// Appends the last record, with the number of lines of all shards.
  package func finish(lines: UInt64) throws(Fault) {
    CheckPartEntry.begin(
      &record, nil, lines: lines, path: UnsafeRawBufferPointer(start: nil, count: 0))
    try writer.append(record, items: 0, nameCheck: 0, .success)
  }
}
