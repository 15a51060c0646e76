// The records of a file, packed into the note that goes to the file's job.

internal import CFileKernels
internal import Weir

/// A record of a file in one block of memory: its status and position, the indices of its
/// algorithms, and text that ends with its digests as a line of mtree(5) has them.
///
/// The digests stay text because those of an unchanged file are copied and never compared.
struct PackedRecord {
  private let memory: UnsafeRawBufferPointer

  private struct Header {
    var status: PackedStatus
    var begin: Int64 = 0
    var end: Int64 = 0
    var source: Int64 = -1
    var length: UInt32 = 0
    var textCount: UInt32 = 0
    var algorithmCount: UInt8 = 0
    var flags: UInt8 = 0
  }

  private enum Flag {
    static let rot: UInt8 = 1
    static let bare: UInt8 = 2
    static let bareBefore: UInt8 = 4
    /// The text is the whole of a line after the name, as ``MtreeLine`` writes it.
    static let line: UInt8 = 8
  }

  private static let headerSize = MemoryLayout<Header>.stride

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

  /// The position before the record.
  var before: RecordPosition {
    RecordPosition(offset: begin, isBare: header.flags & Flag.bareBefore != 0)
  }

  /// The offset of the record's first line.
  var begin: Int64 { header.begin }

  var after: RecordPosition {
    let header = header
    return RecordPosition(
      offset: header.end, source: header.source < 0 ? nil : Int(header.source),
      isBare: header.flags & Flag.bare != 0)
  }

  // MARK: Digests

  /// The indices of the algorithms, in the order of the line.
  private var indices: UnsafeRawBufferPointer {
    let begin = PackedRecord.headerSize
    return UnsafeRawBufferPointer(rebasing: memory[begin..<begin + Int(header.algorithmCount)])
  }

  private var text: UnsafeRawBufferPointer {
    let begin = PackedRecord.headerSize + PackedRecord.rounded(Int(header.algorithmCount))
    return UnsafeRawBufferPointer(rebasing: memory[begin..<begin + Int(header.textCount)])
  }

  /// The part after the name of the line that ``MtreeLine`` would write, without the newline,
  /// if the record has the digests of exactly these algorithms in this order.
  ///
  /// - Parameter indices: The indices of the algorithms.
  func rest(ofLineWith indices: [UInt8]) -> UnsafeRawBufferPointer? {
    guard header.flags & Flag.line != 0 else { return nil }
    return indices.withUnsafeBytes { self.indices.hasSameBytes(as: $0) } ? text : nil
  }

  /// The algorithms of the digests, in the order of the line.
  var algorithms: [DigestAlgorithm] { indices.map { DigestAlgorithm(index: Int($0)) } }

  func has(_ algorithm: DigestAlgorithm) -> Bool {
    indices.contains(UInt8(algorithm.index))
  }

  /// Returns the digest of an algorithm; `nil` if the record has none. Of several the first
  /// counts, as in every reader.
  func digest(_ algorithm: DigestAlgorithm) -> [UInt8]? {
    var end = text.count
    var found: [UInt8]?
    for index in indices.reversed() {
      let other = DigestAlgorithm(index: Int(index))
      let digits = UnsafeRawBufferPointer(rebasing: text[(end - other.byteCount * 2)..<end])
      if other == algorithm { found = PackedRecord.bytes(of: digits) }
      end -= digits.count + PackedRecord.labelCount(other)
    }
    return found
  }

  /// Calls `body` with the digests of algorithms that the record has.
  func withDigests<R, E: Error>(
    _ algorithms: [DigestAlgorithm], _ body: ([UnsafeRawBufferPointer]) throws(E) -> R
  ) throws(E) -> R {
    var bytes: [UInt8] = []
    for algorithm in algorithms { bytes += digest(algorithm) ?? [] }
    return try bytes.withUnsafeBufferPointer { (bytes) throws(E) in
      let bytes = UnsafeRawBufferPointer(bytes)
      var end = 0
      return try body(
        algorithms.filter(has).map { algorithm in
          defer { end += algorithm.byteCount }
          return UnsafeRawBufferPointer(rebasing: bytes[end..<end + algorithm.byteCount])
        })
    }
  }

  private static func bytes(of digits: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
      guard let out = bytes.baseAddress,
        let digits = digits.baseAddress?.assumingMemoryBound(to: UInt8.self)
      else { return }
      count = bytes.count
      kernel_bytes(out, digits, count)
    }
  }

  /// The number of bytes of ` sha256=`.
  private static func labelCount(_ algorithm: DigestAlgorithm) -> Int {
    algorithm.name.utf8.count + 2
  }

  private static func rounded(_ count: Int) -> Int { (count + 7) & ~7 }

  // MARK: Packing

  /// The number of bytes of a record when it is packed.
  static func length(of file: FileRecord) -> Int {
    let (algorithmCount, textCount) =
      switch file.form {
      case .line(let line): (line.algorithms.count, line.rest.count)
      case .entry(_, let digests):
        (
          digests.count,
          digests.reduce(0) { $0 + labelCount($1.algorithm) + $1.bytes.count * 2 }
        )
      }
    return headerSize + rounded(algorithmCount) + rounded(textCount)
  }

  /// Packs a record into memory of ``length(of:)`` bytes.
  static func write(_ file: FileRecord, to memory: UnsafeMutableRawBufferPointer) {
    var header = Header(status: file.status)
    header.begin = file.before.offset
    header.end = file.after.offset
    header.source = Int64(file.after.source ?? -1)
    header.length = UInt32(memory.count)
    header.flags =
      (file.isRotten ? Flag.rot : 0) | (file.after.isBare ? Flag.bare : 0)
      | (file.before.isBare ? Flag.bareBefore : 0)
    let indices = UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...])
    switch file.form {
    case .line(let line):
      header.flags |= Flag.line
      header.algorithmCount = UInt8(line.algorithms.count)
      header.textCount = UInt32(line.rest.count)
      indices.copyMemory(from: line.algorithms)
      UnsafeMutableRawBufferPointer(rebasing: indices[rounded(line.algorithms.count)...])
        .copyMemory(from: line.rest)
    case .entry(_, let digests):
      header.algorithmCount = UInt8(digests.count)
      for (place, digest) in digests.enumerated() {
        indices[place] = UInt8(digest.algorithm.index)
      }
      var text = LineWriter(
        UnsafeMutableRawBufferPointer(rebasing: indices[rounded(digests.count)...]))
      for digest in digests {
        text.append(Array(" \(digest.algorithm.name)=".utf8))
        text.append(hexadecimal: digest.bytes)
      }
      header.textCount = UInt32(text.count)
    }
    memory.storeBytes(of: header, as: Header.self)
  }

  /// Returns a packed record as an array.
  static func bytes(of file: FileRecord) -> [UInt8] {
    let length = length(of: file)
    return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      write(file, to: UnsafeMutableRawBufferPointer(bytes))
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
