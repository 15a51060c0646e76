// The copies of moved files.
//
// DESIGN. A record that tells a new file tells its copies too, if they have the same last
// component and time. Only one of them is the moved file; the others are new, and a new file is
// read. The lanes cannot know which comes first, so the delivery reads the others, and compares
// them with the record. (Rejected: to leave the record to the lane that asks first. The report
// would depend on the lanes.)

internal import SystemPackage
internal import Weir
internal import WeirLibC

struct MovedCopies {
  /// The places of the records that told a file which was not read.
  private var places: Set<Int64> = []

  /// Returns true if all records of a name have told other files before.
  mutating func isCopy(of records: [Int64]) -> Bool {
    for place in records where places.insert(place).inserted { return false }
    return true
  }

  /// Returns true if a file has the first digest of a line that was written for it.
  func hasContent(
    _ name: UnsafeRawBufferPointer, of record: UnsafeRawBufferPointer
  ) throws(Errno) -> Bool {
    var line = Array(record.dropLast())
    let parser = MtreeParser()
    let recorded: (DigestAlgorithm, String)? = line.withUnsafeMutableBytes { line in
      guard case .entry(let entry) = parser.parse(line) else { return nil }
      return entry.digests.first.map { ($0.algorithm, hexadecimal($0.bytes)) }
    }
    guard let (algorithm, digest) = recorded else { throw .badMessage }
    let file = try DescriptorBudget.retrying { () throws(Errno) in
      try LongPath.open(Array(name) + [0], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    defer { try? file.close() }
    return try Digest.hexadecimal(algorithm, of: file) == digest
  }
}
