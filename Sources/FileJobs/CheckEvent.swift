// What a check says, in the order of the manifests.

#if Tool
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

    /// The manifest's number among those given, from 0 on.
    public let manifest: Int
    /// The line's number, from 1 on.
    public let number: Int
    /// The name it is of, as bytes, without escapes.
    public let name: UnsafeRawBufferPointer
    /// What became of it.
    public let outcome: Outcome
  }

  /// What became of a manifest.
  public struct CheckedManifest: Sendable {
    /// Its number among those given, from 0 on.
    public internal(set) var index = 0
    /// Why it was not read, or not to its end.
    public internal(set) var failure: CheckManifestFailure?
    /// How many lines it has, with comments and empty ones.
    public internal(set) var lines = 0
    /// Lines whose file has the digest.
    public internal(set) var matched = 0
    /// Lines whose file has another one.
    public internal(set) var mismatched = 0
    /// Lines whose file is not there.
    public internal(set) var missing = 0
    /// Lines whose file could not be opened or read, changed meanwhile, or is
    /// special.
    public internal(set) var unreadable = 0
    /// Lines that are malformed.
    public internal(set) var malformed = 0
    /// Lines of algorithms that are not computed here.
    public internal(set) var unsupported = 0

    /// Lines with a digest and a name.
    public var entries: Int { matched + mismatched + missing + unreadable + unsupported }

    mutating func count(_ outcome: CheckedLine.Outcome) {
      switch outcome {
      case .matched: matched += 1
      case .mismatched: mismatched += 1
      case .missing: missing += 1
      case .unreadable, .special, .changed: unreadable += 1
      case .malformed: malformed += 1
      case .unsupported: unsupported += 1
      }
    }
  }
#endif
