// What a check says, in the order of the manifests.

public import SystemPackage
public import Weir

/// Something that a check has to say. The pointers in it are lent.
public enum CheckEvent {
  /// The verdict on a line.
  case line(CheckedLine)
  /// A manifest is done with.
  case end(CheckedManifest)
  /// Nothing more is known at the moment: what was gathered can be written.
  case pause
}

/// The verdict on a line of a manifest.
public struct CheckedLine {
  /// What became of it.
  public enum Outcome: Sendable {
    /// The file has the digest.
    case matched
    /// It has another one.
    case mismatched
    /// It has the digests, and was changed at another time than is recorded.
    case touched
    /// It has another size, or another digest and another time.
    case edited
    /// It has another digest, though size and time are those recorded.
    case rotten
    /// It is something else than is recorded.
    case wrongType(EntryType)
    /// It is a symbolic link that points elsewhere.
    case wrongTarget
    /// There is no such file.
    case missing
    /// It could not be opened or read.
    case unreadable(Errno)
    /// It changed while it was read: its last name is gone where an error is
    /// there.
    case changed(Errno?)
    /// It is a FIFO, a socket or a device, which was not opened.
    case special(EntryType)
    /// It is no line of a checksum tool: there is no name.
    case malformed
    /// It is well formed, of an algorithm that is not computed here, which has
    /// this tag of letters, digits and `-/_`: there is no name.
    case unsupported(String)
  }

  /// What a line is.
  public enum Kind: Sendable {
    /// A digest and a name, as checksum tools write them.
    case checksum
    /// A file in a manifest of mtree(5).
    case file
    /// A directory, a link or a special file in such a manifest.
    case other
  }

  /// What it is.
  public internal(set) var kind = Kind.checksum
  /// The manifest's number among those given, from 0 on.
  public let manifest: Int
  /// The line's number, from 1 on.
  public let number: Int
  /// The name it is of, as bytes, without escapes.
  public let name: UnsafeRawBufferPointer
  /// What became of it.
  public let outcome: Outcome
  /// What it expects, where that is a digest.
  var expected: ExpectedDigest?
}

/// What became of a manifest.
public struct CheckedManifest: Sendable {
  /// Its number among those given, from 0 on.
  public internal(set) var index = 0
  /// Why it was not read, or not to its end.
  public internal(set) var failure: CheckManifestFailure?
  /// Whether it is one of mtree(5), and not malformed from end to end.
  public internal(set) var isMtree = false
  /// How many lines it has, with comments and empty ones.
  public internal(set) var lines = 0
  /// Lines whose file has the digest.
  public internal(set) var matched = 0
  /// Lines whose file has another one.
  public internal(set) var mismatched = 0
  /// What is something else than is recorded, or a link that points elsewhere.
  public internal(set) var misplaced = 0
  /// Files that were changed at another time than is recorded, with the digests
  /// that are. They are not among the matched.
  public internal(set) var touched = 0
  /// Files with another size, or another digest and another time.
  public internal(set) var edited = 0
  /// Files with another digest, whose size and time are those recorded.
  public internal(set) var rotten = 0
  /// Directories, links and special files that are as they should be.
  public internal(set) var others = 0
  /// Lines whose file is not there.
  public internal(set) var missing = 0
  /// Those of them that are of directories, links and special files.
  public internal(set) var othersMissing = 0
  /// Lines whose file has another name now; only an ``AuditJob`` looks for that.
  public internal(set) var moved = 0
  /// Lines whose file could not be opened or read, changed meanwhile, or is
  /// special.
  public internal(set) var unreadable = 0
  /// Lines that are malformed.
  public internal(set) var malformed = 0
  /// Lines of algorithms that are not computed here.
  public internal(set) var unsupported = 0

  /// Lines that say something of a name.
  public var entries: Int {
    verified + differing + missing + moved + unreadable + unsupported + others
  }

  /// Says of a missing file that it has moved.
  mutating func move() {
    missing -= 1
    moved += 1
  }

  /// What is there and is not as it should be.
  public var differing: Int { mismatched + misplaced + edited + rotten }

  /// Files with the digests that are recorded.
  public var verified: Int { matched + touched }

  /// Nothing yet, of a manifest that is begun.
  public init() {}

  /// Counts the verdict on a line.
  public mutating func count(_ line: CheckedLine) {
    index = line.manifest
    switch line.outcome {
    case .matched where line.kind == .other: others += 1
    case .matched: matched += 1
    case .touched: touched += 1
    case .mismatched: mismatched += 1
    case .wrongType, .wrongTarget: misplaced += 1
    case .edited: edited += 1
    case .rotten: rotten += 1
    case .missing:
      missing += 1
      if line.kind == .other { othersMissing += 1 }
    case .unreadable, .special, .changed: unreadable += 1
    case .malformed: malformed += 1
    case .unsupported: unsupported += 1
    }
  }
}
