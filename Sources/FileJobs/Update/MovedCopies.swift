// The copies of moved files.
//
// DESIGN. A record that tells a new file tells its copies too, if they have the same last
// component and time. Only one of them is the moved file; the others are new, and a new file is
// read. The lanes cannot know which comes first, so the delivery reads the others, and compares
// them with the record. If one has its content, the first one is read too, at the end of the run:
// the record may have told the wrong file. (Rejected: to leave the record to the lane that asks
// first. The report would depend on the lanes.)

internal import SystemPackage
internal import Weir
internal import WeirLibC

struct MovedCopies {
  /// The manifest with the records, and a reader of it once there is a copy.
  private let manifest: PreviousManifest?
  private var reader: RecordReader?
  /// The places of the records that told a file which was not read, the first of each name.
  private var places: Set<Int64> = []
  /// The places of records whose content a second file has.
  private(set) var contested: Set<Int64> = []

  init(_ manifest: PreviousManifest?) { self.manifest = manifest }

  /// Returns true if the records of a name, which are not empty, have told another file before.
  mutating func isCopy(of records: [Int64]) -> Bool { !places.insert(records[0]).inserted }

  /// Returns true if a copy has the first digest of a record.
  mutating func hasContent(_ name: [UInt8], of place: Int64) throws(Fault) -> Bool {
    guard let manifest else { return false }
    let records = reader ?? manifest.reader()
    reader = records
    records.move(to: RecordPosition(place: place))
    guard let line = try Fault.of(manifest.name, try records.next())?.line,
      let algorithm = line.digests.algorithms.first
    else { throw Fault(manifest.name, .unreadableLine) }
    let (digest, status) = try Fault.attributing(to: name) { () throws(Errno) in
      let file = try DescriptorBudget.retrying { () throws(Errno) in
        try LongPath.open(name + [0], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      }
      defer { try? file.close() }
      return (try Digest.hexadecimal(algorithm, of: file), FileStatus(try stat(of: file)))
    }
    if status.size != line.size || status.modified != line.time {
      throw Fault(name, .refused("changed while it was read"))
    }
    if !digest.utf8.elementsEqual(line.digests.digits(of: algorithm) ?? line.name) { return false }
    contested.insert(place)
    return true
  }
}
