// What was recorded of a file, on its way to the file's job.

internal import Glibc
internal import Weir

/// What one run has recorded of a file, packed.
struct RecordNote {
  private let memory: UnsafeRawBufferPointer

  private struct Header {
    var size: UInt64 = 0
    var seconds: Int64 = 0
    var begin: Int64 = 0
    var end: Int64 = 0
    var source: Int64 = -1
    var nanoseconds: Int32 = 0
    var length: UInt32 = 0
    var digestCount: UInt8 = 0
    var flags: UInt8 = 0
  }

  private enum Flag {
    static let size: UInt8 = 1
    static let time: UInt8 = 2
    static let rot: UInt8 = 4
    static let bare: UInt8 = 8
    static let aside: UInt8 = 16
  }

  private static let headerSize = MemoryLayout<Header>.stride
  /// Algorithm and length, and so that the digest is aligned.
  private static let digestHead = 8

  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
  }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  /// How many bytes it takes; a multiple of 8.
  var length: Int { Int(header.length) }
  var size: UInt64? { header.flags & Flag.size != 0 ? header.size : nil }
  var time: FileTime? {
    header.flags & Flag.time != 0
      ? FileTime(seconds: header.seconds, nanoseconds: header.nanoseconds) : nil
  }
  /// Whether size and time, to the nanosecond, are those of a file.
  func isOf(_ status: FileStatus) -> Bool {
    size == status.size && time == status.modified
  }

  var isRotten: Bool { header.flags & Flag.rot != 0 }
  /// Whether it was found out of its turn: what comes before it was not passed.
  var isAside: Bool { header.flags & Flag.aside != 0 }

  /// Where what is said of the file begins.
  var begin: Int64 { header.begin }

  /// Behind the record.
  var after: RecordPlace {
    let header = header
    return RecordPlace(
      offset: header.end, source: header.source < 0 ? nil : Int(header.source),
      isBare: header.flags & Flag.bare != 0)
  }

  /// The digest of an algorithm.
  func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    var begin = RecordNote.headerSize
    for _ in 0..<header.digestCount {
      let bytes = digest(at: begin)
      if memory[begin] == UInt8(algorithm.index) { return bytes }
      begin += RecordNote.digestHead + RecordNote.rounded(bytes.count)
    }
    return nil
  }

  /// The algorithm of the first digest.
  var algorithm: DigestAlgorithm? {
    header.digestCount > 0
      ? DigestAlgorithm(index: Int(memory[RecordNote.headerSize])) : nil
  }

  private func digest(at begin: Int) -> UnsafeRawBufferPointer {
    let start = begin + RecordNote.digestHead
    return UnsafeRawBufferPointer(
      rebasing: memory[start..<start + Int(memory[begin + 1])])
  }

  private static func rounded(_ count: Int) -> Int { (count + 7) & ~7 }

  /// Packs a record behind what stands in `bytes`.
  static func append(_ file: FileRecord, isAside: Bool = false, to bytes: inout [UInt8]) {
    let begin = bytes.count
    let entry = file.entry
    var header = Header()
    header.size = entry.size ?? 0
    header.seconds = entry.time?.seconds ?? 0
    header.nanoseconds = entry.time?.nanoseconds ?? 0
    header.begin = file.before.offset
    header.end = file.after.offset
    header.source = Int64(file.after.source ?? -1)
    header.digestCount = UInt8(entry.digests.count)
    header.flags =
      (entry.size == nil ? 0 : Flag.size) | (entry.time == nil ? 0 : Flag.time)
      | (file.isRotten ? Flag.rot : 0) | (file.after.isBare ? Flag.bare : 0)
      | (isAside ? Flag.aside : 0)
    let length = entry.digests.reduce(headerSize) {
      $0 + digestHead + rounded($1.bytes.count)
    }
    header.length = UInt32(length)
    bytes.append(contentsOf: repeatElement(0, count: length))
    bytes.withUnsafeMutableBytes { bytes in
      let note = UnsafeMutableRawBufferPointer(rebasing: bytes[begin...])
      note.storeBytes(of: header, as: Header.self)
      var place = headerSize
      for digest in entry.digests {
        note[place] = UInt8(digest.algorithm.index)
        note[place + 1] = UInt8(digest.bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: note[(place + digestHead)...])
          .copyMemory(from: digest.bytes)
        place += digestHead + rounded(digest.bytes.count)
      }
    }
  }
}

/// What is known of a file from runs before: by the one that was cut short, and
/// by the one before that.
struct RecordNotes {
  /// The note of a file: a word of flags, and the records.
  let note: UnsafeRawBufferPointer

  static let headSize = 8
  static let former: UInt8 = 1
  static let old: UInt8 = 2
  static let descriptor: UInt8 = 4

  private var flags: UInt8 { note.first ?? 0 }

  /// Whether it is known of a descriptor: what that gives can be another file in each
  /// run, so that neither size nor time say anything.
  var isOfDescriptor: Bool { flags & RecordNotes.descriptor != 0 }

  /// Of the run that was cut short.
  var former: RecordNote? {
    flags & RecordNotes.former != 0 ? record(at: RecordNotes.headSize) : nil
  }

  /// Of the manifest that is brought up to date.
  var old: RecordNote? {
    guard flags & RecordNotes.old != 0 else { return nil }
    return record(at: RecordNotes.headSize + (former?.length ?? 0))
  }

  private func record(at begin: Int) -> RecordNote {
    RecordNote(UnsafeRawBufferPointer(rebasing: note[begin...]))
  }
}
