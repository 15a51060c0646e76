/// A sample of the names of one side, and the names that they are without leading components.
struct StripSearch {
  private static let (sampleMax, stripMax, lengthMax) = (64, 32, 4096)

  /// The number of components, for the hash of each name of the sample without them.
  private var counts: [UInt64: Int] = [:]
  private var size = 0

  private mutating func add(_ key: UnsafeRawBufferPointer) {
    if size == StripSearch.sampleMax || key.count > StripSearch.lengthMax { return }
    size += 1
    var rest = Array(key)[...]
    for count in 1...StripSearch.stripMax {
      guard let shorter = EntryKey.withoutFirst(rest) else { return }
      rest = shorter
      counts[rest.withUnsafeBytes { NameHash.hash($0) }] = count
    }
  }

  /// Returns the side whose names lose components, and how many, so that most of a sample of them are
  /// names of the other side; `nil` if there is none. No name is in both sides.
  static func find(in findings: Findings) throws -> (side: Side, count: Int)? {
    var samples = Sides(StripSearch(), StripSearch())
    func forEachFile(_ body: (Side, UnsafeRawBufferPointer) -> Void) throws {
      try findings.forEach { finding in
        guard let side = finding.onlySide, !finding.onlyEntry.isOther else { return }
        body(side, finding.key)
      }
    }
    try forEachFile { samples[$0].add($1) }
    var found = Sides<[Int: Int]>([:], [:])
    try forEachFile { side, key in
      if key.count > lengthMax { return }
      if let count = samples[side.other].counts[NameHash.hash(key)] {
        found[side.other][count, default: 0] += 1
      }
    }
    for side in [Side.a, .b] {
      let best = found[side].max { ($0.value, -$0.key) < ($1.value, -$1.key) }
      if let best, best.value * 2 > min(samples.a.size, samples.b.size) { return (side, best.key) }
    }
    return nil
  }
}
