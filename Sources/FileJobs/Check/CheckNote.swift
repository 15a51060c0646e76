internal import Weir

/// The format of notes: a header and, for a file, the expected digests, one for each of the
/// consecutive lines with its name. One read decides all of them.
enum CheckNote {
  enum Kind: UInt8 {
    case file
    case malformed
    /// A line of an algorithm that Weir does not compute. Its tag follows the header.
    case unsupported
    case end
    /// A file in a manifest of mtree(5). Its ``ExpectedStatus`` follows the header, then its
    /// digests.
    case entry
    /// Another entry of mtree(5). The verdict and the name follow the header.
    case other
    /// A fault of a bag. The name follows the header, then a NUL and the reason.
    case finding
    /// Like ``file``, with the status of the records beside the manifest, as in ``entry``.
    case recorded
  }

  struct Header {
    /// The kind, ``isKnown`` and ``isUnread``.
    private var code: UInt8
    /// The number of digests. For ``Kind/end``, ``isOfMtree`` and ``isContradicted``. For
    /// ``Kind/malformed``, 1 if the line is damaged.
    var count: UInt8 = 0
    /// The kind of the known failure. Until weir 0.16 this byte and the last four were arbitrary.
    private var knownKind: UInt8 = 0
    var manifest: UInt32
    /// The number of the line. For ``Kind/end``, the number of lines.
    var line: UInt64
    /// For ``Kind/end``, the reason for which the manifest was not read to its end: an errno
    /// value, ``special``, ``absent`` or the code of a ``ForeignFile``. For a file, the time since 1970 at which it was
    /// given to the lanes, or 0.
    var error: Int32 = 0
    private var knownTime: UInt32 = 0

    private static let isKnown: UInt8 = 0x40
    private static let isUnread: UInt8 = 0x80

    init(_ kind: Kind, count: UInt8 = 0, manifest: UInt32, line: Int, error: Int32 = 0) {
      (code, self.count, self.manifest) = (kind.rawValue, count, manifest)
      (self.line, self.error) = (UInt64(line), error)
    }

    /// The kind; `nil` if a note that was read from a file is malformed.
    var kind: Kind? { Kind(rawValue: code & ~(Header.isKnown | Header.isUnread)) }

    /// The failure of the file that is known before the run.
    var known: KnownFailure? {
      get {
        code & Header.isKnown == 0 ? nil : KnownFailure(kind: knownKind, time: knownTime)
      }
      set {
        code = newValue == nil ? code & ~Header.isKnown : code | Header.isKnown
        (knownKind, knownTime) = (newValue?.kind.rawValue ?? 0, newValue?.time ?? 0)
      }
    }

    /// True if the content is not to be read, because the budget of the run is used up.
    var isUnread: Bool {
      get { code & Header.isUnread != 0 }
      set { code = newValue ? code | Header.isUnread : code & ~Header.isUnread }
    }

    init(
      endOf manifest: UInt32, lines: Int, error: Int32, isOfMtree: Bool, isContradicted: Bool
    ) {
      let flags: UInt8 = (isOfMtree ? 1 : 0) | (isContradicted ? 2 : 0)
      self.init(.end, count: flags, manifest: manifest, line: lines, error: error)
    }

    var isOfMtree: Bool { count & 1 != 0 }
    var isContradicted: Bool { count & 2 != 0 }

    var hasStatus: Bool { kind == .entry || kind == .recorded }
    /// True if each digest is that of a line of its own.
    var hasLines: Bool { kind == .file || kind == .recorded }
    /// True if a digest follows.
    var hasDigest: Bool { hasLines || hasStatus && count > 0 }
    var lineCount: Int { hasLines ? Int(count) : 1 }
  }

  /// In place of an errno value: the manifest is a FIFO, a socket or a character device.
  static let special = CheckManifestFailure.specialCode
  /// In place of an errno value: nothing that the manifest lists is there; see ``Unread``.
  static let absent: Int32 = -3

  /// The maximum number of digests that one read decides.
  static let countMax = DigestAlgorithm.countMax
  static let headerSize = 24
  /// Line (8), algorithm (1), length (1), the alternative or ``none`` (1), and padding, so
  /// that the digest is aligned.
  static let expectedSize = 16
  /// In place of the alternative to an algorithm.
  static let none: UInt8 = 255
  static let capacity = headerSize + statusSize + countMax * (expectedSize + 64)
  /// The number of bytes for an ``ExpectedStatus``, and for a ``CheckVerdict`` before a name.
  static let statusSize = MemoryLayout<ExpectedStatus>.stride
  static let verdictSize = MemoryLayout<CheckVerdict>.stride

  static func tag(of note: UnsafeRawBufferPointer) -> String {
    String(decoding: note.dropFirst(headerSize), as: UTF8.self)
  }

  static func elsewhere(in note: UnsafeRawBufferPointer) -> Int {
    if note.count < headerSize + MemoryLayout<UInt64>.size { return 0 }
    return Int(note.load(fromByteOffset: headerSize, as: UInt64.self))
  }

  /// Returns the verdict and the name in the note of another entry; `nil` if it has none.
  static func verdict(
    of note: UnsafeRawBufferPointer
  ) -> (verdict: CheckVerdict, name: UnsafeRawBufferPointer)? {
    guard note.count >= headerSize + verdictSize,
      let verdict = CheckVerdict(note.dropFirst(headerSize).rebased)
    else { return nil }
    return (verdict, note[(headerSize + verdictSize)...].rebased)
  }

  static func finding(
    of note: UnsafeRawBufferPointer
  ) -> (name: UnsafeRawBufferPointer, reason: String) {
    let end = note.dropFirst(headerSize).firstIndex(of: 0) ?? note.count
    return (
      note[headerSize..<end].rebased,
      String(decoding: note[end...].dropFirst(), as: UTF8.self)
    )
  }

  static func header(of note: UnsafeRawBufferPointer) -> Header? {
    note.count >= headerSize ? note.load(as: Header.self) : nil
  }

  /// Replaces the header of a note, which lies in memory that its maker can write.
  static func setHeader(_ header: Header, of note: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(mutating: note).storeBytes(of: header, as: Header.self)
  }

  /// Returns true if a delivery can read a result.
  static func isValid(_ result: FileResult, manifestCount: Int) -> Bool {
    let note = result.note
    guard let header = header(of: note), let kind = header.kind,
      Int(header.manifest) < manifestCount, Int(exactly: header.line) != nil
    else { return false }
    let count = Int(header.count)
    let isDone = if case .done = result.outcome { true } else { false }
    switch kind {
    case .malformed: return true
    case .unsupported: return note.dropFirst(headerSize).allSatisfy { $0 > 0x20 && $0 < 0x7F }
    case .end: return note.count < headerSize + 8 || note[headerSize + 7] < 0x80
    case .other: return verdict(of: note) != nil
    // A shard checks no bag.
    case .finding: return false
    case .file:
      return ExpectedDigests(of: note).reduce(0) { count, _ in count + 1 } == count
        && (!isDone || result.output.count >= count)
    case .entry, .recorded:
      return note.count >= headerSize + statusSize
        && ExpectedDigests(of: note).reduce(0) { count, _ in count + 1 } == count
        && (!isDone || CheckVerdict(result.output) != nil)
    }
  }
}

/// The type, size and time of a file in an entry of mtree(5), in the file's note.
struct ExpectedStatus {
  private let recordedSize: UInt64
  private let lacksSize: UInt8
  private let seconds: Int64
  private let lacksTime: UInt8
  private let nanoseconds: Int32
  private let type: UInt8
  private let optional: UInt8

  init(_ entry: MtreeEntry) {
    recordedSize = entry.size ?? 0
    lacksSize = entry.size == nil ? 1 : 0
    seconds = entry.time?.seconds ?? 0
    lacksTime = entry.time == nil ? 1 : entry.hasWholeSeconds ? 2 : 0
    nanoseconds = entry.time?.nanoseconds ?? 0
    type = entry.type == nil ? 0 : 1
    optional = entry.isOptional ? 1 : 0
  }

  static func of(_ note: UnsafeRawBufferPointer) -> ExpectedStatus {
    note.load(fromByteOffset: CheckNote.headerSize, as: ExpectedStatus.self)
  }

  var size: UInt64? { lacksSize == 0 ? recordedSize : nil }
  var time: FileTime? {
    lacksTime == 1 ? nil : FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Returns true if a file has the time, as exact as that is; `nil` without one.
  func isSameTime(_ other: FileTime) -> Bool? {
    lacksTime == 2 ? seconds == other.seconds : time.map { $0 == other }
  }
  var hasType: Bool { type != 0 }
  var isOptional: Bool { optional != 0 }
}

struct ExpectedDigest {
  let line: Int
  let algorithm: DigestAlgorithm
  let alternative: DigestAlgorithm?
  let digest: UnsafeRawBufferPointer

  /// Loads the digest at the beginning of a part of a note; `nil` if there is none.
  fileprivate init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= CheckNote.expectedSize,
      let line = Int(exactly: bytes.load(as: UInt64.self)),
      let algorithm = ExpectedDigest.algorithm(bytes[8]),
      bytes.count >= CheckNote.expectedSize + Int(bytes[9])
    else { return nil }
    let alternative = ExpectedDigest.algorithm(bytes[10])
    if alternative == nil && bytes[10] != CheckNote.none { return nil }
    self.line = line
    self.algorithm = algorithm
    self.alternative = alternative
    let end = CheckNote.expectedSize + Int(bytes[9])
    digest = bytes[CheckNote.expectedSize..<end].rebased
  }

  private static func algorithm(_ index: UInt8) -> DigestAlgorithm? {
    index < DigestAlgorithm.allCases.count ? DigestAlgorithm(index: Int(index)) : nil
  }
}

struct ExpectedDigests: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer
  private var count: Int

  init(of note: UnsafeRawBufferPointer) {
    let hasStatus = CheckNote.header(of: note)?.hasStatus ?? false
    let begin = CheckNote.headerSize + (hasStatus ? CheckNote.statusSize : 0)
    rest = note.dropFirst(begin).rebased
    count = CheckNote.header(of: note).map { Int($0.count) } ?? 0
  }

  var first: ExpectedDigest? {
    var copy = self
    return copy.next()
  }

  mutating func next() -> ExpectedDigest? {
    guard count > 0, let digest = ExpectedDigest(rest) else { return nil }
    count -= 1
    // The last digest may end before its padding.
    rest = rest.dropFirst(CheckNote.expectedSize + (digest.digest.count + 7) & ~7).rebased
    return digest
  }
}

/// A writer of notes, in memory that all of them reuse.
struct CheckNoteWriter {
  private let memory = ByteBuffer()
  private(set) var header = CheckNote.Header(.file, manifest: 0, line: 0)

  mutating func begin(_ header: CheckNote.Header) {
    self.header = header
    memory.reserve(CheckNote.capacity)
    memory.count = CheckNote.headerSize
  }

  /// - Parameter algorithm: The algorithm of the digest, if more is known than the line says.
  mutating func append(_ line: ManifestLine, _ algorithm: DigestAlgorithm?, number: Int) {
    if let algorithm { return append(algorithm, line.digest, number: number) }
    append(line.algorithm, or: line.alternative, line.digest, number: number)
  }

  func put<Value: BitwiseCopyable>(_ value: Value) {
    memory.append(capacity: MemoryLayout<Value>.stride) { memory in
      memory.storeBytes(of: value, as: Value.self)
      return MemoryLayout<Value>.stride
    }
  }

  private mutating func append(
    _ algorithm: DigestAlgorithm, or alternative: DigestAlgorithm? = nil,
    _ bytes: UnsafeRawBufferPointer, number: Int
  ) {
    let end = memory.count + CheckNote.expectedSize + (bytes.count + 7) & ~7
    memory.reserve(end)
    put(UInt64(number))
    put(UInt8(algorithm.index))
    put(UInt8(bytes.count))
    put(alternative.map { UInt8($0.index) } ?? CheckNote.none)
    memory.count = end - (bytes.count + 7) & ~7
    append(bytes)
    memory.count = end
    header.count += 1
  }

  mutating func append(_ entry: MtreeEntry, number: Int) {
    put(ExpectedStatus(entry))
    for digest in entry.digests { append(digest.algorithm, digest.bytes, number: number) }
  }

  func append(tag: String) { memory.append(Array(tag.utf8)) }

  func append(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

  /// Returns the note, which is valid until the next one begins.
  func finished() -> UnsafeRawBufferPointer {
    memory.memory.storeBytes(of: header, as: CheckNote.Header.self)
    return memory.bytes
  }
}
