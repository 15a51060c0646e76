// An index of records by what a renamed file keeps: its size, its time and its last component.
//
// DESIGN. Only the end of a walk shows which records have lost their files, and a directory that
// moved to an earlier name is found before its old place. So the index has all records, and the
// search looks whether an old name is gone when a new file needs it. (Rejected: to examine every
// old name first. On a server that takes longer than the update. To keep the index in memory: it
// takes 16 bytes a record, a gigabyte for 60 million.) It is in a file without a name: sorted runs
// of 262,144 records, each with the first key of every block in memory, 8 bytes for 64 records.
// A search reads about one block of each run. A run with few descriptors keeps all in memory.

internal import SystemPackage
internal import Weir

struct MoveIndex {
  private struct Entry {
    let key: UInt64
    let place: Int64
  }

  /// Records in the order of their keys, from an entry of the file on.
  private struct Run {
    let first: Int
    let count: Int
    /// The key of the first entry of each block.
    let fences: [UInt64]
  }

  private let file: FileDescriptor?
  private var runs: [Run] = []
  /// The entries of the run that is made; without a file, of the only run.
  private var entries: [Entry] = []
  private var written = 0

  private static let runMax = 1 << 18
  private static let blockSize = 64

  /// Reads all records of a reader.
  ///
  /// - Parameter file: An empty file; `nil` to keep the index in memory.
  init(_ reader: RecordReader, in file: FileDescriptor?) throws(Errno) {
    self.file = file
    while try reader.advance() {
      let record = reader.record
      guard let size = record.pointee.line.size, let time = record.pointee.line.time,
        !record.pointee.line.digests.indices.isEmpty
      else { continue }
      let base = record.pointee.name.lastComponent
      entries.append(
        Entry(
          key: MoveIndex.keys(size, time).lowerBound | UInt64(NameHash.check(base)),
          place: record.pointee.before.place))
      if file != nil && entries.count == MoveIndex.runMax { try finishRun() }
    }
    try finishRun()
  }

  /// Returns the places of records, in their order: of those with a size and a time and, if it is
  /// given, a last component. Others of the same hash may be among them. At most `max` are returned.
  func places(
    _ size: UInt64, _ time: FileTime, base: UnsafeRawBufferPointer? = nil, max: Int
  ) throws(Errno) -> [Int64] {
    var keys = MoveIndex.keys(size, time)
    if let base {
      let key = keys.lowerBound | UInt64(NameHash.check(base))
      keys = key...key
    }
    var places: [Int64] = []
    for run in runs {
      let next = run.fences.indices.binarySearch { run.fences[$0] >= keys.lowerBound }
      var block = Swift.max(0, next - 1)
      search: while block < run.fences.count && places.count < max {
        for entry in try self.block(block, of: run) where entry.key >= keys.lowerBound {
          if entry.key > keys.upperBound || places.count == max { break search }
          places.append(entry.place)
        }
        block += 1
      }
    }
    return places.sorted()
  }

  /// Returns a hash of a size and a time.
  static func hash(_ size: UInt64, _ time: FileTime) -> UInt64 {
    let seconds = NameHash.mixed(UInt64(bitPattern: time.seconds) ^ size &* 0x9E37_79B9)
    return NameHash.mixed(seconds ^ UInt64(UInt32(bitPattern: time.nanoseconds)))
  }

  /// The keys of a size and a time: their upper half is a hash of both, the lower that of a name.
  private static func keys(_ size: UInt64, _ time: FileTime) -> ClosedRange<UInt64> {
    let first = hash(size, time) & 0xFFFF_FFFF_0000_0000
    return first...(first | 0xFFFF_FFFF)
  }

  private mutating func finishRun() throws(Errno) {
    if entries.isEmpty { return }
    entries.sort { ($0.key, $0.place) < ($1.key, $1.place) }
    let fences = stride(from: 0, to: entries.count, by: MoveIndex.blockSize).map {
      entries[$0].key
    }
    runs.append(Run(first: written, count: entries.count, fences: fences))
    guard let file else { return }
    let size = MemoryLayout<Entry>.stride
    let written = written
    try entries.withUnsafeBufferPointer { (entries) throws(Errno) in
      try file.write(all: UnsafeRawBufferPointer(entries), at: written * size)
    }
    self.written += entries.count
    entries = []
  }

  /// Returns the entries of a block.
  private func block(_ number: Int, of run: Run) throws(Errno) -> ArraySlice<Entry> {
    let begin = number * MoveIndex.blockSize
    let count = min(MoveIndex.blockSize, run.count - begin)
    guard let file else { return entries[begin..<begin + count] }
    let size = MemoryLayout<Entry>.stride
    let bytes = try file.bytes(at: (run.first + begin) * size, count: count * size)
    return bytes.withUnsafeBytes { bytes in
      let count = bytes.count / size
      return (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Entry.self) }[...]
    }
  }
}

extension RecordPosition {
  /// The position in one number: twice the offset, plus 1 if the names there are bare.
  var place: Int64 { offset * 2 + (isBare ? 1 : 0) }

  init(place: Int64) { self.init(offset: place >> 1, isBare: place & 1 != 0) }
}
