// What goes along with a file from its line in a manifest to its verdict.

internal import Weir

/// The note of an item of a check: a header and, for a file, what is expected
/// of it. That is a digest for each of the lines that follow each other with
/// one name; they are all answered by one read.
enum CheckNote {
  enum Kind: UInt8 {
    /// A file and its digests.
    case file
    /// A line that is malformed.
    case malformed
    /// A line of an algorithm that is not computed here: behind the header is
    /// its tag.
    case unsupported
    /// The end of a manifest.
    case end
    /// A file in a manifest of mtree(5): behind the header is what is recorded
    /// of it, and behind that its digests.
    case entry
    /// Something else in such a manifest: behind the header are the verdict on
    /// it and its name.
    case other
  }

  struct Header {
    var kind: UInt8
    /// How many digests there are; at the end, 1 where it is a manifest of mtree(5).
    var count: UInt8 = 0
    var manifest: UInt32
    /// The number of the line; at the end how many there were.
    var line: UInt64
    /// At the end, why not all was read: an errno value.
    var error: Int32 = 0
  }

  /// The most digests that one read answers.
  static let countMax = 16
  static let headerSize = 24
  /// Line (8), algorithm (1), length (1), and so that the digest is aligned.
  fileprivate static let expectedSize = 16
  static let capacity = headerSize + recordedSize + countMax * (expectedSize + 64)
  /// Of ``RecordedFile``.
  static let recordedSize = 40

  /// The tag in the note of a line that is not supported.
  static func tag(of note: UnsafeRawBufferPointer) -> String {
    String(decoding: note.dropFirst(headerSize), as: UTF8.self)
  }

  static func header(of note: UnsafeRawBufferPointer) -> Header? {
    note.count >= headerSize ? note.load(as: Header.self) : nil
  }
}

/// What an entry of a manifest of mtree(5) says of a file, in its note.
struct RecordedFile {
  var size: UInt64 = 0
  var seconds: Int64 = 0
  var nanoseconds: Int32 = 0
  var hasSize = false
  var hasTime = false
  /// Whether it is said to be a file.
  var hasType = false
  var isOptional = false

  init(_ entry: MtreeEntry) {
    if let size = entry.size { (self.size, hasSize) = (size, true) }
    if let time = entry.time {
      (seconds, nanoseconds, hasTime) = (time.seconds, time.nanoseconds, true)
    }
    hasType = entry.type != nil
    isOptional = entry.isOptional
  }

  /// What is recorded in a note.
  static func of(_ note: UnsafeRawBufferPointer) -> RecordedFile {
    note.load(fromByteOffset: CheckNote.headerSize, as: RecordedFile.self)
  }

  var time: FileTime? {
    hasTime ? FileTime(seconds: seconds, nanoseconds: nanoseconds) : nil
  }
}

/// What one line expects, where it stands in the note.
struct ExpectedDigest {
  private let memory: UnsafeRawBufferPointer

  /// The first of a note.
  static func first(of note: UnsafeRawBufferPointer) -> ExpectedDigest {
    let isEntry = note[0] == CheckNote.Kind.entry.rawValue
    let begin = CheckNote.headerSize + (isEntry ? CheckNote.recordedSize : 0)
    return ExpectedDigest(memory: UnsafeRawBufferPointer(rebasing: note[begin...]))
  }

  /// The one behind it, if there is one.
  var next: ExpectedDigest {
    let end = CheckNote.expectedSize + ExpectedDigest.rounded(byteCount)
    return ExpectedDigest(memory: UnsafeRawBufferPointer(rebasing: memory[end...]))
  }

  var line: UInt64 { memory.load(as: UInt64.self) }

  var algorithm: DigestAlgorithm {
    DigestAlgorithm(index: Int(memory.load(fromByteOffset: 8, as: UInt8.self)))
  }

  private var byteCount: Int { Int(memory.load(fromByteOffset: 9, as: UInt8.self)) }

  var digest: UnsafeRawBufferPointer {
    let begin = CheckNote.expectedSize
    return UnsafeRawBufferPointer(rebasing: memory[begin..<begin + byteCount])
  }

  fileprivate static func rounded(_ count: Int) -> Int { (count + 7) & ~7 }
}

/// The memory of a note that is written, used again and again.
struct CheckNoteMemory: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: CheckNote.capacity, alignment: 8)
  private(set) var header = CheckNote.Header(kind: 0, manifest: 0, line: 0)
  private var used = CheckNote.headerSize

  deinit { memory.deallocate() }

  mutating func begin(_ header: CheckNote.Header) {
    self.header = header
    used = CheckNote.headerSize
  }

  /// Adds what a line expects.
  mutating func append(_ line: ManifestLine, number: Int) {
    append(line.algorithm, line.digest, number: number)
  }

  private mutating func append(
    _ algorithm: DigestAlgorithm, _ bytes: UnsafeRawBufferPointer, number: Int
  ) {
    memory.storeBytes(of: UInt64(number), toByteOffset: used, as: UInt64.self)
    memory.storeBytes(of: UInt8(algorithm.index), toByteOffset: used + 8, as: UInt8.self)
    memory.storeBytes(of: UInt8(bytes.count), toByteOffset: used + 9, as: UInt8.self)
    let digest = UnsafeMutableRawBufferPointer(
      rebasing: memory[(used + CheckNote.expectedSize)...])
    digest.copyMemory(from: bytes)
    used += CheckNote.expectedSize + ExpectedDigest.rounded(bytes.count)
    header.count += 1
  }

  /// Adds what an entry records and expects.
  mutating func append(_ entry: MtreeEntry, number: Int) {
    memory.storeBytes(of: RecordedFile(entry), toByteOffset: used, as: RecordedFile.self)
    used += CheckNote.recordedSize
    for digest in entry.digests { append(digest.algorithm, digest.bytes, number: number) }
  }

  /// Adds a verdict and the name it is on.
  mutating func append(_ verdict: CheckVerdict, _ name: UnsafeRawBufferPointer) {
    if memory.count < used + CheckVerdict.size + name.count {
      memory.deallocate()
      memory = .allocate(
        byteCount: (used + CheckVerdict.size + name.count) * 2, alignment: 8)
    }
    memory.storeBytes(of: verdict, toByteOffset: used, as: CheckVerdict.self)
    used += CheckVerdict.size
    UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: name)
    used += name.count
  }

  /// Adds the tag of an algorithm that is not computed here.
  mutating func append(tag: String) {
    let bytes = tag.utf8
    UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyBytes(from: bytes)
    used += bytes.count
  }

  /// The note as it stands; of use until the next one is begun.
  func finished() -> UnsafeRawBufferPointer {
    memory.storeBytes(of: header, as: CheckNote.Header.self)
    return UnsafeRawBufferPointer(rebasing: memory[..<used])
  }
}
