// The names on which the last word is not said when both sides have been read, in order.

/// A name with its entries on one side or on both. It points into the bytes that it was read from.
struct Finding {
  let key: UnsafeRawBufferPointer
  /// The entries as bytes; empty on a side that does not have the name.
  let entries: Sides<UnsafeRawBufferPointer>

  init(_ key: UnsafeRawBufferPointer, a: UnsafeRawBufferPointer, b: UnsafeRawBufferPointer) {
    self.key = key
    entries = Sides(a, b)
  }

  /// Reads a record: the key and its end, the length of one entry, and both entries.
  init(_ record: UnsafeRawBufferPointer) {
    let begin = record.keyCount + 5
    let middle = begin + Int(record.littleEndian(at: begin - 4) as UInt32)
    self.init(
      record[..<(begin - 5)].rebased, a: record[begin..<middle].rebased,
      b: record[middle...].rebased)
  }

  var capacity: Int { key.count + 5 + entries.a.count + entries.b.count }

  func write(to line: inout LineWriter) {
    line.append(key)
    line.append(UInt8(0))
    line.append(littleEndian: UInt32(entries.a.count))
    line.append(entries.a)
    line.append(entries.b)
  }

  /// The side that alone has the name; `nil` if both have it.
  var onlySide: Side? { entries.b.isEmpty ? .a : entries.a.isEmpty ? .b : nil }

  /// The entry of a name that one side has.
  var onlyEntry: InventoryEntry { InventoryEntry(entries.b.isEmpty ? entries.a : entries.b) }

  var shownName: [UInt8] { EntryKey.shownName(of: key) }
}

/// Findings in the order of their keys, and what reading and the search for moves need to know.
final class Findings {
  struct OnlyFiles {
    var algorithms: Set<UInt8> = []
    var sizes = SizeSet()
  }

  private let runs: SortedRuns
  private(set) var only = Sides(OnlyFiles(), OnlyFiles())
  /// True if size and time do not stand for the content.
  let digestsOnly: Bool
  /// True if the texts of entries are their names, which keys do not show.
  let hasNames: Bool

  init(in space: SortSpace, digestsOnly: Bool = false, hasNames: Bool = false) {
    (runs, self.digestsOnly, self.hasNames) = (space.makeRuns(), digestsOnly, hasNames)
  }

  /// Appends a finding, whose key follows that of the one before.
  func append(_ finding: Finding) throws {
    try runs.append(writing: finding.capacity) { finding.write(to: &$0) }
    guard let side = finding.onlySide else { return }
    let entry = finding.onlyEntry
    if entry.isOther || digestsOnly && side == .a && entry.digests.isEmpty { return }
    only[side].algorithms.insert(algorithmsOf: entry.digests)
    only[side].sizes.insert(entry.size)
  }

  func finish() throws { try runs.finish() }

  func forEach(_ body: (Finding) throws -> Void) throws {
    let reader = makeReader()
    while let record = try reader.next() { try body(Finding(record)) }
  }

  func forEach(_ moves: Moves?, _ body: (Finding, Moves.Part) throws -> Void) throws {
    var parts = try moves.map { try Moves.Parts($0) }
    try forEach { try body($0, try parts?.next() ?? .none) }
  }

  func makeReader() -> SortedRuns.Reader { runs.makeReader() }
}

/// The sizes of files.
///
/// DESIGN. A bit stands for all sizes that are equal modulo 8 Mi. So the memory does not grow with the
/// files, and of 100,000 that have no counterpart by size, about one in a hundred is read for nothing.
struct SizeSet {
  private static let bitCount: UInt64 = 1 << 23
  private var bits: [UInt64] = []
  private var hasUnknown = false

  var isEmpty: Bool { bits.isEmpty && !hasUnknown }

  mutating func insert(_ size: UInt64?) {
    guard let size else { return hasUnknown = true }
    if bits.isEmpty { bits = Array(repeating: 0, count: Int(SizeSet.bitCount / 64)) }
    let bit = size % SizeSet.bitCount
    bits[Int(bit / 64)] |= 1 << (bit % 64)
  }

  /// Returns false if no file has the size; a size of `nil` can be any.
  func mayContain(_ size: UInt64?) -> Bool {
    guard let size, !hasUnknown else { return !isEmpty }
    let bit = size % SizeSet.bitCount
    return !bits.isEmpty && bits[Int(bit / 64)] >> (bit % 64) & 1 == 1
  }
}
