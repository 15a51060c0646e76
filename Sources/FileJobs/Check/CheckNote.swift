// The note of an item of a check: the expectations that travel with a file from its line in
// a manifest to its verdict.

internal import Weir

/// The format of notes: a header and, for a file, the expected digests, one for each of the
/// consecutive lines with its name. One read decides all of them.
enum CheckNote {
  enum Kind: UInt8 {
    /// A file and its digests.
    case file
    /// A malformed line.
    case malformed
    /// A line of an algorithm that Weir does not compute. Its tag follows the header.
    case unsupported
    /// The end of a manifest.
    case end
    /// A file in a manifest of mtree(5). Its ``ExpectedStatus`` follows the header, then its
    /// digests.
    case entry
    /// Another entry of mtree(5). The verdict and the name follow the header.
    case other
  }

  struct Header {
    var kind: UInt8
    /// The number of digests. For ``Kind/end``, 1 if the manifest is one of mtree(5). For
    /// ``Kind/malformed``, 1 if the line is damaged.
    var count: UInt8 = 0
    var manifest: UInt32
    /// The number of the line. For ``Kind/end``, the number of lines.
    var line: UInt64
    /// For ``Kind/end``, the reason for which the manifest was not read to its end: an errno
    /// value, or ``special``.
    var error: Int32 = 0
  }

  /// In place of an errno value: the manifest is a FIFO, a socket or a character device.
  static let special: Int32 = -1

  /// The maximum number of digests that one read decides.
  static let countMax = DigestAlgorithm.countMax
  static let headerSize = 24
  /// Line (8), algorithm (1), length (1), the alternative or ``none`` (1), and padding, so
  /// that the digest is aligned.
  static let expectedSize = 16
  /// In place of the alternative to an algorithm.
  static let none: UInt8 = 255
  static let capacity = headerSize + statusSize + countMax * (expectedSize + 64)
  /// The number of bytes for an ``ExpectedStatus``.
  static let statusSize = MemoryLayout<ExpectedStatus>.stride

  /// Returns the tag in the note of an unsupported line.
  static func tag(of note: UnsafeRawBufferPointer) -> String {
    String(decoding: note.dropFirst(headerSize), as: UTF8.self)
  }

  /// Returns the number of lines that other shards verify, in the note of an end.
  static func elsewhere(in note: UnsafeRawBufferPointer) -> Int {
    let end = headerSize + MemoryLayout<UInt64>.size
    if note.count < end { return 0 }
    return Int(note.load(fromByteOffset: headerSize, as: UInt64.self))
  }

  static func header(of note: UnsafeRawBufferPointer) -> Header? {
    note.count >= headerSize ? note.load(as: Header.self) : nil
  }
}

/// The type, size and time of a file in an entry of mtree(5), in the file's note.
struct ExpectedStatus {
  private let status: PackedStatus
  /// True if the entry has a type.
  let hasType: Bool
  let isOptional: Bool

  init(_ entry: MtreeEntry) {
    status = PackedStatus(entry)
    hasType = entry.type != nil
    isOptional = entry.isOptional
  }

  static func of(_ note: UnsafeRawBufferPointer) -> ExpectedStatus {
    note.load(fromByteOffset: CheckNote.headerSize, as: ExpectedStatus.self)
  }

  var size: UInt64? { status.size }
  var time: FileTime? { status.time }
}

/// The digest that one line expects, in a note.
struct ExpectedDigest {
  private let memory: UnsafeRawBufferPointer

  static func first(of note: UnsafeRawBufferPointer) -> ExpectedDigest {
    let isEntry = note[0] == CheckNote.Kind.entry.rawValue
    let begin = CheckNote.headerSize + (isEntry ? CheckNote.statusSize : 0)
    return ExpectedDigest(memory: UnsafeRawBufferPointer(rebasing: note[begin...]))
  }

  /// The next digest. Valid if there is one.
  var next: ExpectedDigest {
    let end = CheckNote.expectedSize + ExpectedDigest.rounded(byteCount)
    return ExpectedDigest(memory: UnsafeRawBufferPointer(rebasing: memory[end...]))
  }

  var line: UInt64 { memory.load(as: UInt64.self) }

  var algorithm: DigestAlgorithm {
    DigestAlgorithm(index: Int(memory.load(fromByteOffset: 8, as: UInt8.self)))
  }

  /// The algorithm that the digest may be of instead.
  var alternative: DigestAlgorithm? {
    let index = memory.load(fromByteOffset: 10, as: UInt8.self)
    return index == CheckNote.none ? nil : DigestAlgorithm(index: Int(index))
  }

  private var byteCount: Int { Int(memory.load(fromByteOffset: 9, as: UInt8.self)) }

  var digest: UnsafeRawBufferPointer {
    let begin = CheckNote.expectedSize
    return UnsafeRawBufferPointer(rebasing: memory[begin..<begin + byteCount])
  }

  fileprivate static func rounded(_ count: Int) -> Int { (count + 7) & ~7 }
}

/// A writer of notes, in memory that all of them reuse.
struct CheckNoteWriter: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: CheckNote.capacity, alignment: 8)
  private(set) var header = CheckNote.Header(kind: 0, manifest: 0, line: 0)
  private var used = CheckNote.headerSize

  deinit { memory.deallocate() }

  mutating func begin(_ header: CheckNote.Header) {
    self.header = header
    used = CheckNote.headerSize
  }

  /// Appends the digest of a line.
  mutating func append(_ line: ManifestLine, number: Int) {
    append(line.algorithm, or: line.alternative, line.digest, number: number)
  }

  private mutating func append(
    _ algorithm: DigestAlgorithm, or alternative: DigestAlgorithm? = nil,
    _ bytes: UnsafeRawBufferPointer, number: Int
  ) {
    memory.storeBytes(of: UInt64(number), toByteOffset: used, as: UInt64.self)
    memory.storeBytes(of: UInt8(algorithm.index), toByteOffset: used + 8, as: UInt8.self)
    memory.storeBytes(of: UInt8(bytes.count), toByteOffset: used + 9, as: UInt8.self)
    memory.storeBytes(
      of: alternative.map { UInt8($0.index) } ?? CheckNote.none, toByteOffset: used + 10,
      as: UInt8.self)
    let digest = UnsafeMutableRawBufferPointer(
      rebasing: memory[(used + CheckNote.expectedSize)...])
    digest.copyMemory(from: bytes)
    used += CheckNote.expectedSize + ExpectedDigest.rounded(bytes.count)
    header.count += 1
  }

  /// Appends the status and the digests of an entry.
  mutating func append(_ entry: MtreeEntry, number: Int) {
    memory.storeBytes(of: ExpectedStatus(entry), toByteOffset: used, as: ExpectedStatus.self)
    used += CheckNote.statusSize
    for digest in entry.digests { append(digest.algorithm, digest.bytes, number: number) }
  }

  /// Appends a verdict and the name it applies to.
  mutating func append(_ verdict: CheckVerdict, _ name: UnsafeRawBufferPointer) {
    memory.ensure(used + CheckVerdict.size + name.count)
    memory.storeBytes(of: verdict, toByteOffset: used, as: CheckVerdict.self)
    used += CheckVerdict.size
    UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: name)
    used += name.count
  }

  /// Appends the tag of an algorithm that Weir does not compute.
  mutating func append(tag: String) {
    let bytes = tag.utf8
    UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyBytes(from: bytes)
    used += bytes.count
  }

  /// Appends the number of lines of a manifest that other shards verify.
  mutating func append(elsewhere count: UInt64) {
    memory.storeBytes(of: count, toByteOffset: used, as: UInt64.self)
    used += MemoryLayout<UInt64>.size
  }

  /// Returns the note, which is valid until the next one begins.
  func finished() -> UnsafeRawBufferPointer {
    memory.storeBytes(of: header, as: CheckNote.Header.self)
    return UnsafeRawBufferPointer(rebasing: memory[..<used])
  }
}
