public import SystemPackage
public import Weir

/// An event of a check.
public enum CheckEvent {
  /// The verdict on a line.
  case line(CheckedLine)
  /// The end of a manifest.
  case end(CheckedManifest)
  /// No further event is known at the moment, so buffered output can be written.
  case pause
}

/// The verdict on a line of a manifest.
public struct CheckedLine {
  /// The verdict.
  public enum Outcome: Sendable {
    /// The file has the recorded digest.
    case matched
    /// The file has another digest.
    case mismatched
    /// The file has the recorded digests, but another modification time.
    case touched
    /// The file has another size, or another digest and another time.
    case edited
    /// Rot: the file has another digest, but the recorded size and time.
    case rotten
    /// The name is not of the recorded type.
    case wrongType(FileWalk.EntryType)
    /// The symbolic link has another target.
    case wrongTarget
    /// The file failed in an earlier run, and this one did not read it again.
    case failing
    /// The file does not exist.
    case missing
    /// The file could not be opened or read.
    case unreadable(Errno)
    /// The file changed while it was read. An error means that its last name is gone.
    case changed(Errno?)
    /// The name is a FIFO, a socket or a device, which was not opened.
    case special(FileWalk.EntryType)
    /// The line is not one of a checksum tool, and has no name.
    case malformed
    /// The line is well formed, but Weir does not compute the algorithm with this tag of
    /// letters, digits and `-/_`. There is no name.
    case unsupported(String)
    /// The bag does not fulfill a requirement, for this reason; see RFC 8493.
    case invalid(String)
  }

  package enum Kind: Sendable {
    /// A digest and a name, as checksum tools write them.
    case checksum
    /// A file in a manifest of mtree(5).
    case file
    /// A directory, a link or a special file in a manifest of mtree(5).
    case other
  }

  package var kind = Kind.checksum
  /// The index of the manifest, from 0.
  public let manifest: Int
  /// The number of the line, from 1; 0 for a bag as a whole.
  public let number: Int
  /// The name as bytes, without escapes.
  public var name: [UInt8] { ownName ?? Array(lentName) }
  /// The name if the line has no memory of its own; valid during the delivery.
  private let lentName: UnsafeRawBufferPointer
  private var ownName: [UInt8]?
  /// The verdict.
  public let outcome: Outcome
  /// The expected digest, if the line has one; the first of several in an entry of mtree(5).
  var expected: ExpectedDigest?
  /// The first expected digest that the file does not have, and its own, in memory of the delivery.
  var differing: (expected: ExpectedDigest, computed: UnsafeRawBufferPointer)?
  /// The other digests of such an entry.
  var otherDigests: ExpectedDigests?
  var expectedSize: UInt64?
  /// True if the line is malformed and no line of the manifest may be: the manifest is one of
  /// mtree(5), or it is read in a wrong way (a line has a NUL, or one blank before its name after
  /// lines that have two).
  package internal(set) var isDamaged = false
  /// True if the file has the expected digest by the alternative algorithm.
  var isOfAlternative = false
  /// True if the file exists and its content was not read.
  var isUnread = false
  /// True if the line before it is of the same file, whose verdict is counted already.
  var isRepeated = false
  /// The failure that was known before the run.
  package var known: KnownFailure?
  /// A time before the file was read, in seconds since 1970; 0 if it is unknown.
  var begun: UInt32 = 0

  /// The algorithm of the first digest. If the line does not name it, the one that has matched.
  public var algorithm: DigestAlgorithm? {
    isOfAlternative ? expected?.alternative : expected?.algorithm
  }

  /// True if the line does not name its algorithm, and two algorithms have digests of this length.
  package var isAmbiguous: Bool { expected?.alternative != nil && !isUnread }

  /// The digest that the manifest has and the one that the file has, in hexadecimal digits, if they
  /// were compared and differ.
  package var difference: (algorithm: DigestAlgorithm, expected: [UInt8], computed: [UInt8])? {
    guard let (expected, computed) = differing else { return nil }
    func digits(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
      LineWriter.bytes(capacity: 2 * bytes.count) { $0.append(hexadecimal: bytes) }
    }
    return (expected.algorithm, digits(expected.digest), digits(computed))
  }

  var lacksDigest: Bool { kind == .file && expected == nil }

  /// True if the file is as it should be.
  package var isRight: Bool {
    switch outcome {
    case .matched, .touched: true
    default: false
    }
  }

  /// True if the file has another content or is missing, as people and programs leave files.
  var isEdited: Bool { if case .edited = outcome { true } else { isMissing } }

  var isMissing: Bool { if case .missing = outcome { true } else { false } }

  /// True if the file is missing, or could not be read.
  var isUnreadable: Bool {
    switch outcome {
    case .missing, .unreadable, .special, .changed: true
    default: false
    }
  }

  /// True if the file is not right, as was known before the run.
  package var isOpen: Bool { known != nil && !isRight }
}

extension CheckedLine {
  package init(
    manifest: Int, number: Int = 0, lent name: UnsafeRawBufferPointer, _ outcome: Outcome
  ) {
    (self.manifest, self.number, self.outcome) = (manifest, number, outcome)
    lentName = name
  }

  init(
    kind: Kind = .checksum, manifest: Int, number: Int, name: [UInt8], outcome: Outcome
  ) {
    self.init(manifest: manifest, number: number, lent: .empty, outcome)
    self.kind = kind
    ownName = name
  }

  var owned: CheckedLine {
    var line = self
    line.ownName = name
    return line
  }

  package func withName<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try ownName?.withUnsafeBytes(body) ?? body(lentName)
  }
}

/// A failure that earlier runs have left: an open point of the ledger, or one that a state knows.
///
/// It ends only when the content was read and is right. So a run that does not read such a file, because
/// its budget is used up or it reads no contents, reports it all the same.
package struct KnownFailure: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// Rot, as the ledger says.
    case rot = 1
    /// The file is gone, as the ledger says.
    case gone
    /// The file failed when it was last verified, as the state says.
    case failed
  }

  package let kind: Kind
  /// The time since which the ledger has the point, or at which the file failed last, in seconds
  /// since 1970; 0 if it is unknown.
  package let time: UInt32

  init?(kind: UInt8, time: UInt32) {
    guard let kind = Kind(rawValue: kind) else { return nil }
    (self.kind, self.time) = (kind, time)
  }

  init(failedAt time: UInt32) { (kind, self.time) = (.failed, time) }

  init(_ point: OpenPoint) {
    kind = point.kind == .rot ? .rot : .gone
    time = point.since
  }
}

/// The result of a manifest.
public struct CheckedManifest: Sendable {
  /// The index of the manifest, from 0.
  public package(set) var index = 0
  /// The reason for which the manifest was not read, or not to its end.
  public package(set) var failure: CheckManifestFailure?
  /// True if the manifest is one of mtree(5), and not malformed from end to end.
  package var isMtree = false
  /// True if the ledger beside the manifest has another digest than a line: one of the two is wrong.
  package var isContradicted = false
  /// The number of lines, with comments and empty lines.
  package var lines = 0
  /// Lines, or files with a record of their status, that have the recorded digest.
  package var matched = 0
  /// Lines whose file has another digest.
  package var mismatched = 0
  /// Requirements that a bag does not fulfill.
  package var invalid = 0
  /// Names with another type than recorded, and links with another target.
  package var misplaced = 0
  /// Files with the recorded digests and another modification time. ``matched`` does not
  /// count them.
  package var touched = 0
  /// Files with another size, or another digest and another time.
  package var edited = 0
  /// Rot: files with another digest, but the recorded size and time.
  package var rotten = 0
  /// Files that failed in an earlier run and were not read again.
  package var failing = 0
  /// Files that are not right, as was known before the run.
  package var open = 0
  /// Directories, links and special files as recorded.
  package var others = 0
  /// Files that do not exist.
  public internal(set) var missing = 0
  /// The part of ``missing`` that is directories, links and special files.
  package var othersMissing = 0
  /// The part of ``missing`` that is files with a record of their status.
  package var recordedMissing = 0
  /// The part of ``missing`` that is open points of a ledger.
  package var gone = 0
  /// Files that have another name now. Only an ``AuditJob`` finds them.
  public internal(set) var moved = 0
  /// Files that could not be opened or read, changed meanwhile, or are special.
  public internal(set) var unreadable = 0
  /// Malformed lines.
  public internal(set) var malformed = 0
  /// The part of ``malformed`` that is damaged: ``CheckedLine/isDamaged``.
  package var damaged = 0
  package var unsupported = 0
  /// The part of ``matched`` that is lines without an algorithm whose file has the digest by
  /// BLAKE3; by its length it could be one by SHA-256.
  package var guessed = 0

  /// The part of ``verified`` without a digest: only type, size and time were compared.
  package var undigested = 0

  /// Further lines of files that the other counts have once, and the part of them whose file is missing
  /// or could not be read.
  package var (repeated, repeatedUnread) = (0, 0)

  /// Lines that other shards or other runs verify.
  package internal(set) var elsewhere = 0

  /// True if there is no line with a name, in this run or another.
  package var isEmpty: Bool { entries + elsewhere == 0 }

  /// The number of lines with a name.
  public var entries: Int {
    verified + differing + missing + moved + unreadable + unsupported + others + repeated
  }

  /// The number of names that exist and differ from their line.
  public var differing: Int { mismatched + misplaced + edited + rotten + failing + invalid }

  /// The number of files with the recorded digests.
  public var verified: Int { matched + touched }

  package static func += (left: inout CheckedManifest, right: CheckedManifest) {
    for count in [
      \.lines, \.matched, \.mismatched, \.invalid, \.misplaced, \.touched, \.edited, \.rotten,
      \.failing, \.open, \.others, \.missing, \.othersMissing, \.recordedMissing, \.gone, \.moved,
      \.unreadable, \.malformed, \.damaged, \.unsupported, \.guessed, \.undigested, \.elsewhere,
      \.repeated, \.repeatedUnread,
    ] as [WritableKeyPath<CheckedManifest, Int>] {
      left[keyPath: count] += right[keyPath: count]
    }
  }

  package init() {}

  /// Counts the verdict on a line, or, by -1, that of a missing file no more.
  package mutating func count(_ line: CheckedLine, by step: Int = 1) {
    index = line.manifest
    if line.isRepeated {
      repeated += step
      if line.isUnreadable { repeatedUnread += step }
      return
    }
    if line.isOpen { open += step }
    if line.isRight && line.lacksDigest { undigested += 1 }
    switch line.outcome {
    case .matched where line.kind == .other: others += 1
    case .matched:
      matched += 1
      if line.isAmbiguous && line.algorithm == .blake3 { guessed += 1 }
    case .touched: touched += 1
    case .mismatched: mismatched += 1
    case .invalid: invalid += 1
    case .wrongType, .wrongTarget: misplaced += 1
    case .edited: edited += 1
    case .rotten: rotten += 1
    case .failing: failing += 1
    case .missing:
      missing += step
      if line.kind == .other { othersMissing += step }
      if line.kind == .file { recordedMissing += step }
      if line.isOpen { gone += step }
    case .unreadable, .special, .changed: unreadable += 1
    case .malformed:
      malformed += 1
      if line.isDamaged { damaged += 1 }
    case .unsupported: unsupported += 1
    }
  }
}
