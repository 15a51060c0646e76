// The files that have moved: new names with the content of records that are gone.
//
// DESIGN. Gone records and new files are each sorted by content, and both are read in step: the first
// record with a content belongs to the first file with it, by their places in the ledger. So the pairs
// are the same in every run, and the memory is that of two sorts. A content is a digest by an
// algorithm that both have. Nothing of an empty file shows where it came from but its name: there the
// last component must agree too.

internal import SystemPackage
internal import Weir

/// The moves of an update, found in two steps: all contents first, then the pairs.
final class UpdateMoves {
  private let gone: SortedRuns
  private let new: SortedRuns
  private let moves: SortedRuns
  private let algorithms: [DigestAlgorithm]
  private let emptyDigests: [[UInt8]]
  private let makeRuns: () -> SortedRuns

  /// - Parameter algorithms: The algorithms of the run.
  init(_ algorithms: [DigestAlgorithm], makeRuns: @escaping () -> SortedRuns) throws(Errno) {
    self.makeRuns = makeRuns
    self.algorithms = DigestStrength.sorted(Set(algorithms.map { UInt8($0.index) }))
      .map { DigestAlgorithm(index: Int($0)) }
    var empty: [[UInt8]] = []
    for algorithm in self.algorithms {
      let digest = try Digest(algorithm)
      try digest.begin()
      try digest.finish()
      empty.append(Array(digest.hexadecimal.utf8))
    }
    emptyDigests = empty
    (gone, new, moves) = (makeRuns(), makeRuns(), makeRuns())
  }

  /// Takes in a record that is gone, by its strongest digest.
  func add(
    gone digests: RecordDigests, _ name: UnsafeRawBufferPointer, place: UnsafeRawBufferPointer
  )
    throws
  {
    for (index, algorithm) in algorithms.enumerated() {
      guard let digits = digests.digits(of: algorithm) else { continue }
      return try add(index, digits, name, place: place, to: gone)
    }
  }

  /// Takes in a new file by its strongest digest, and that by each of the others: a record of an
  /// earlier run may have those alone.
  func add(
    new digests: RecordDigests, _ name: UnsafeRawBufferPointer, place: UnsafeRawBufferPointer
  )
    throws
  {
    guard let first = algorithms.first, let strongest = digests.digits(of: first) else { return }
    try add(0, strongest, name, place: place, to: new)
    let base = base(0, strongest, name)
    for (index, algorithm) in algorithms.enumerated().dropFirst() {
      guard let digits = digests.digits(of: algorithm) else { continue }
      try new.append(writing: digits.count + strongest.count + base.count * 2 + 2) { line in
        line.append(UInt8(index + 1))
        line.append(digits)
        line.append(base)
        line.append(UInt8(0))
        line.append(strongest)
        line.append(base)
      }
    }
  }

  /// Returns the part of a name that has to agree too.
  private func base(
    _ algorithm: Int, _ digits: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let isEmpty = emptyDigests[algorithm].withUnsafeBytes { digits.hasSameBytes(as: $0) }
    return isEmpty ? name.lastComponent : .empty
  }

  /// Appends a content, NUL, the key of its place, and its name.
  private func add(
    _ algorithm: Int, _ digits: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer,
    place: UnsafeRawBufferPointer, to runs: SortedRuns
  ) throws {
    let base = base(algorithm, digits, name)
    try runs.append(writing: digits.count + base.count + place.count + name.count + 3) { line in
      line.append(UInt8(algorithm + 1))
      line.append(digits)
      line.append(base)
      line.append(UInt8(0))
      line.append(place)
      line.append(name)
    }
  }

  /// Returns the records by the strongest digests of the files with their content: one file has one
  /// record, whichever digests that has.
  private func goneByStrongest() throws -> SortedRuns {
    let records = makeRuns()
    let (goneReader, newReader) = (gone.makeReader(), new.makeReader())
    var file = try newReader.next()
    while let record = try goneReader.next() {
      if record[0] == 1 {
        try records.append(writing: record.count) { $0.append(record) }
        continue
      }
      let key = UnsafeRawBufferPointer(rebasing: record[..<record.keyCount])
      var order = -1
      while let found = file {
        order = UnsafeRawBufferPointer(rebasing: found[..<found.keyCount]).order(to: key)
        if order >= 0 { break }
        file = try newReader.next()
      }
      guard order == 0, let found = file else { continue }
      try records.append(writing: found.count + record.count) { line in
        line.append(UInt8(1))
        line.append(UnsafeRawBufferPointer(rebasing: found[(found.keyCount + 1)...]))
        line.append(UnsafeRawBufferPointer(rebasing: record[key.count...]))
      }
    }
    try records.finish()
    return records
  }

  /// Pairs the files with the records. Returns the number of pairs.
  func pair() throws -> UInt64 {
    try gone.finish()
    try new.finish()
    let (goneReader, newReader) = (try goneByStrongest().makeReader(), new.makeReader())
    var (old, file) = (try goneReader.next(), try newReader.next())
    var count: UInt64 = 0
    while let record = old, let found = file {
      let (recordCount, foundCount) = (record.keyCount, found.keyCount)
      let order = UnsafeRawBufferPointer(rebasing: record[..<recordCount])
        .order(to: UnsafeRawBufferPointer(rebasing: found[..<foundCount]))
      if order == 0 {
        let former = UnsafeRawBufferPointer(rebasing: record[(recordCount + 1)...])
        let present = UnsafeRawBufferPointer(rebasing: found[(foundCount + 1)...])
        try append(former, name: .empty)
        let placeCount = LedgerKeys.count(in: former)
        try append(present, name: UnsafeRawBufferPointer(rebasing: former[placeCount...]))
        count += 1
      }
      if order <= 0 { old = try goneReader.next() }
      if order >= 0 { file = try newReader.next() }
    }
    try moves.finish()
    return count
  }

  /// Appends the place at the beginning of a record, and a name.
  private func append(_ record: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) throws {
    let count = LedgerKeys.count(in: record)
    try moves.append(writing: count + name.count) { line in
      line.append(UnsafeRawBufferPointer(rebasing: record[..<count]))
      line.append(name)
    }
  }

  /// A reader of the moves in the order of the plan.
  struct Lookup {
    private let reader: SortedRuns.Reader
    private var head: UnsafeRawBufferPointer?

    fileprivate init(_ moves: SortedRuns) throws {
      reader = moves.makeReader()
      head = try reader.next()
    }

    /// Returns the former name of the file of a place, or no bytes for a record that has moved; `nil`
    /// if neither has moved. The bytes are valid until the next call.
    mutating func find(_ place: UnsafeRawBufferPointer) throws -> [UInt8]? {
      while let record = head {
        let count = LedgerKeys.count(in: record)
        let order = UnsafeRawBufferPointer(rebasing: record[..<count]).order(to: place)
        if order > 0 { return nil }
        let name = order == 0 ? Array(record[count...]) : nil
        if let name { return name }
        head = try reader.next()
      }
      return nil
    }
  }

  func makeLookup() throws -> Lookup { try Lookup(moves) }
}
