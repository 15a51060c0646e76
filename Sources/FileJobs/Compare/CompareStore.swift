// The names on which the last word is not said when both sides have been read, in order.

/// A name with its entries on one side or on both. It points into the bytes that it was read from.
struct CompareFinding {
  let key: UnsafeRawBufferPointer
  /// The entries as bytes; empty on a side that does not have the name.
  let a: UnsafeRawBufferPointer
  let b: UnsafeRawBufferPointer

  init(_ key: UnsafeRawBufferPointer, a: UnsafeRawBufferPointer, b: UnsafeRawBufferPointer) {
    (self.key, self.a, self.b) = (key, a, b)
  }

  /// Reads a record: the key and its end, the length of one entry, and both entries.
  init(_ record: UnsafeRawBufferPointer) {
    let begin = record.keyCount + 5
    let middle = begin + Int(record.littleEndian(at: begin - 4) as UInt32)
    self.init(
      UnsafeRawBufferPointer(rebasing: record[..<(begin - 5)]),
      a: UnsafeRawBufferPointer(rebasing: record[begin..<middle]),
      b: UnsafeRawBufferPointer(rebasing: record[middle...]))
  }

  /// The largest number of bytes of the record.
  var capacity: Int { key.count + 5 + a.count + b.count }

  func write(to line: inout LineWriter) {
    line.append(key)
    line.append(UInt8(0))
    withUnsafeBytes(of: UInt32(a.count).littleEndian) { line.append($0) }
    line.append(a)
    line.append(b)
  }

  /// The side that alone has the name; `nil` if both have it.
  var onlySide: CompareSide? { b.isEmpty ? .a : a.isEmpty ? .b : nil }

  /// The entry of a name that one side has.
  var onlyEntry: CompareEntry { CompareEntry(b.isEmpty ? a : b) }

  var name: [UInt8] { CompareKey.name(of: key) }
}

/// Findings in the order of their keys, and what a search for moved files needs to know of them.
final class CompareStore {
  private let runs: SortedRuns
  /// The number of files that one side alone has, and the algorithms of their digests.
  private(set) var onlyA: (count: UInt64, algorithms: Set<UInt8>) = (0, [])
  private(set) var onlyB: (count: UInt64, algorithms: Set<UInt8>) = (0, [])

  init(_ runs: SortedRuns) { self.runs = runs }

  /// Appends a finding, whose key follows that of the one before.
  func append(_ finding: CompareFinding) throws {
    try runs.append(capacity: finding.capacity) { memory in
      var line = LineWriter(memory)
      finding.write(to: &line)
      return line.count
    }
    guard let side = finding.onlySide else { return }
    let entry = finding.onlyEntry
    if entry.isOther { return }
    if side == .a { onlyA.count += 1 } else { onlyB.count += 1 }
    for digest in CompareDigests(entry.digests) {
      for algorithm in [digest.algorithm, digest.alternative] where algorithm != CompareDigest.none
      {
        if side == .a {
          onlyA.algorithms.insert(algorithm)
        } else {
          onlyB.algorithms.insert(algorithm)
        }
      }
    }
  }

  func finish() throws { try runs.finish() }

  /// Calls a closure with each finding.
  func forEach(_ body: (CompareFinding) throws -> Void) throws {
    let reader = makeReader()
    while let record = try reader.next() { try body(CompareFinding(record)) }
  }

  func makeReader() -> SortedRuns.Reader { runs.makeReader() }
}

/// A reader of records that begin with a key, in step with the findings.
struct CompareLookup {
  private let reader: SortedRuns.Reader
  private var head: UnsafeRawBufferPointer?
  private var hasBegun = false

  init(_ runs: SortedRuns) { reader = runs.makeReader() }

  /// Returns what follows a key and its end in its record; `nil` if there is no record of the key.
  mutating func find(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    if !hasBegun { head = try reader.next() }
    hasBegun = true
    while let record = head {
      let count = record.keyCount
      let order = UnsafeRawBufferPointer(rebasing: record[..<count]).order(to: key)
      if order == 0 { return UnsafeRawBufferPointer(rebasing: record[(count + 1)...]) }
      if order > 0 { return nil }
      head = try reader.next()
    }
    return nil
  }
}
