// The records of a file, packed into the note that goes to the file's job.

internal import Weir

/// A record of a file in one block of memory: its status and position, the indices of its
/// algorithms, and the part of its line after the name.
struct PackedRecord {
  private let memory: UnsafeRawBufferPointer

  private struct Header {
    let size: UInt64?
    let time: FileTime?
    let begin: Int64
    let end: Int64
    let source: Int64
    let length: UInt32
    let restCount: UInt32
    let algorithmCount: UInt8
    let isRotten: Bool
    let isBare: Bool
  }

  private static let headerSize = MemoryLayout<Header>.stride

  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  /// The number of bytes of the record; a multiple of 8.
  var length: Int { Int(header.length) }
  var size: UInt64? { header.size }
  var time: FileTime? { header.time }
  /// Returns true if the size and the time, to the nanosecond, are those of a file.
  func matches(_ status: FileStatus) -> Bool {
    size == status.size && time == status.modified
  }

  var isRotten: Bool { header.isRotten }

  /// The offset of the record's first line.
  var begin: Int64 { header.begin }

  var after: RecordPosition {
    let header = header
    return RecordPosition(
      offset: header.end, source: header.source < 0 ? nil : Int(header.source),
      isBare: header.isBare)
  }

  var digests: RecordDigests {
    let header = header
    let begin = PackedRecord.headerSize
    let end = begin + Int(header.algorithmCount)
    return RecordDigests(
      rest: UnsafeRawBufferPointer(rebasing: memory[end..<end + Int(header.restCount)]),
      indices: UnsafeRawBufferPointer(rebasing: memory[begin..<end]))
  }

  /// The number of bytes of a record when it is packed.
  static func length(of record: FileRecord) -> Int {
    let digests = record.line.digests
    return (headerSize + digests.indices.count + digests.rest.count + 7) & ~7
  }

  /// Packs a record into memory of ``length(of:)`` bytes.
  static func write(_ record: FileRecord, to memory: UnsafeMutableRawBufferPointer) {
    let digests = record.line.digests
    memory.storeBytes(
      of: Header(
        size: record.line.size, time: record.line.time, begin: record.before.offset,
        end: record.after.offset,
        source: Int64(record.after.source ?? -1), length: UInt32(memory.count),
        restCount: UInt32(digests.rest.count), algorithmCount: UInt8(digests.indices.count),
        isRotten: record.isRotten, isBare: record.after.isBare),
      as: Header.self)
    let end = headerSize + digests.indices.count
    UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...])
      .copyMemory(from: digests.indices)
    UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: digests.rest)
  }

  /// Returns a packed record as an array.
  static func bytes(of record: FileRecord) -> [UInt8] {
    let length = length(of: record)
    return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      write(record, to: UnsafeMutableRawBufferPointer(bytes))
      count = length
    }
  }
}

/// The note of a file: the records of the unfinished run and of the previous manifest.
struct RecordNote {
  /// A word of flags, and the packed records.
  private let memory: UnsafeRawBufferPointer

  static let headerSize = 8

  /// The parts of a note.
  enum Flag {
    static let partial: UInt8 = 1
    static let manifest: UInt8 = 2
    static let descriptor: UInt8 = 4
  }

  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
  }

  private var flags: UInt8 { memory.first ?? 0 }

  /// True if the file is a descriptor. It can be another file in each run, so that
  /// neither its size nor its time shows a change.
  var isDescriptor: Bool { flags & Flag.descriptor != 0 }

  /// The record of the unfinished run.
  var partial: PackedRecord? {
    flags & Flag.partial != 0 ? record(at: RecordNote.headerSize) : nil
  }

  /// The record of the manifest that is brought up to date.
  var manifest: PackedRecord? {
    guard flags & Flag.manifest != 0 else { return nil }
    return record(at: RecordNote.headerSize + (partial?.length ?? 0))
  }

  private func record(at begin: Int) -> PackedRecord {
    PackedRecord(UnsafeRawBufferPointer(rebasing: memory[begin...]))
  }
}
