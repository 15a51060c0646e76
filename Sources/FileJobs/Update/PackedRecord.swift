// The records of a file, packed into the note that goes to the file's job.

internal import Weir

/// A record of a file in one block of memory.
struct PackedRecord {
  private let memory: UnsafeRawBufferPointer

  private struct Header {
    var status: PackedStatus
    var begin: Int64 = 0
    var end: Int64 = 0
    var source: Int64 = -1
    var length: UInt32 = 0
    var digestCount: UInt8 = 0
    var flags: UInt8 = 0
  }

  private enum Flag {
    static let rot: UInt8 = 1
    static let bare: UInt8 = 2
    static let outOfOrder: UInt8 = 4
  }

  private static let headerSize = MemoryLayout<Header>.stride
  /// The algorithm, the length and padding that aligns the digest.
  private static let digestHeader = 8

  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  /// The number of bytes of the record; a multiple of 8.
  var length: Int { Int(header.length) }
  var size: UInt64? { header.status.size }
  var time: FileTime? { header.status.time }
  /// Returns true if the size and the time, to the nanosecond, are those of a file.
  func matches(_ status: FileStatus) -> Bool {
    size == status.size && time == status.modified
  }

  var isRotten: Bool { header.flags & Flag.rot != 0 }
  /// True if the record was found out of order: the records before it were not skipped.
  var isOutOfOrder: Bool { header.flags & Flag.outOfOrder != 0 }

  /// The offset of the record's first line.
  var begin: Int64 { header.begin }

  var after: RecordPosition {
    let header = header
    return RecordPosition(
      offset: header.end, source: header.source < 0 ? nil : Int(header.source),
      isBare: header.flags & Flag.bare != 0)
  }

  func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    var begin = PackedRecord.headerSize
    for _ in 0..<header.digestCount {
      let bytes = digest(at: begin)
      if memory[begin] == UInt8(algorithm.index) { return bytes }
      begin += PackedRecord.digestHeader + PackedRecord.rounded(bytes.count)
    }
    return nil
  }

  /// The algorithm of the first digest.
  var algorithm: DigestAlgorithm? {
    header.digestCount > 0
      ? DigestAlgorithm(index: Int(memory[PackedRecord.headerSize])) : nil
  }

  private func digest(at begin: Int) -> UnsafeRawBufferPointer {
    let start = begin + PackedRecord.digestHeader
    return UnsafeRawBufferPointer(
      rebasing: memory[start..<start + Int(memory[begin + 1])])
  }

  private static func rounded(_ count: Int) -> Int { (count + 7) & ~7 }

  /// Packs a record and appends it to `bytes`.
  static func append(_ file: FileRecord, isOutOfOrder: Bool = false, to bytes: inout [UInt8]) {
    let begin = bytes.count
    let entry = file.entry
    var header = Header(status: PackedStatus(entry))
    header.begin = file.before.offset
    header.end = file.after.offset
    header.source = Int64(file.after.source ?? -1)
    header.digestCount = UInt8(entry.digests.count)
    header.flags =
      (file.isRotten ? Flag.rot : 0) | (file.after.isBare ? Flag.bare : 0)
      | (isOutOfOrder ? Flag.outOfOrder : 0)
    let length = entry.digests.reduce(headerSize) {
      $0 + digestHeader + rounded($1.bytes.count)
    }
    header.length = UInt32(length)
    bytes.append(contentsOf: repeatElement(0, count: length))
    bytes.withUnsafeMutableBytes { bytes in
      let record = UnsafeMutableRawBufferPointer(rebasing: bytes[begin...])
      record.storeBytes(of: header, as: Header.self)
      var offset = headerSize
      for digest in entry.digests {
        record[offset] = UInt8(digest.algorithm.index)
        record[offset + 1] = UInt8(digest.bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: record[(offset + digestHeader)...])
          .copyMemory(from: digest.bytes)
        offset += digestHeader + rounded(digest.bytes.count)
      }
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
