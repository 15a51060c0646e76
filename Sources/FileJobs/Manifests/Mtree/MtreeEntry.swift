// What a manifest of mtree(5) says of a file.

public import Weir

/// What one entry of a manifest of mtree(5) says.
///
/// It points into the memory of the parser and of the line, and is of use until
/// the next line is parsed.
public struct MtreeEntry {
  /// The name, without escapes, as it was given to the program that wrote it.
  public internal(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether the name was given to Weir, which wrote it with a `./` that is gone:
  /// `-` is standard input then.
  var isBare = false
  /// What it is; `nil` where that is not said.
  public internal(set) var type: EntryType?
  /// How many bytes it has.
  public internal(set) var size: UInt64?
  /// When it was changed.
  public internal(set) var time: FileTime?
  /// What it points to, of a symbolic link.
  public internal(set) var target: UnsafeRawBufferPointer?
  /// Whether it may be missing.
  public internal(set) var isOptional = false
  /// Whether nothing of it is to be verified.
  public internal(set) var isIgnored = false
  /// The word of a digest of it that is not computed here, as `"rmd160"`.
  public internal(set) var otherDigest: String?
  /// Its digests, in the order of the line.
  public internal(set) var digests = UnsafeBufferPointer<MtreeDigest>(start: nil, count: 0)

  /// The digest of an algorithm.
  public func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    digests.first { $0.algorithm == algorithm }?.bytes
  }
}

/// A digest in an entry of a manifest of mtree(5).
public struct MtreeDigest {
  /// Whose digest it is.
  public let algorithm: DigestAlgorithm
  /// The digest, as bytes; as many as the algorithm's.
  public let bytes: UnsafeRawBufferPointer
}

/// What a line of a manifest of mtree(5) is.
public enum MtreeRecord {
  /// What is said of a file.
  case entry(MtreeEntry)
  /// A comment, with the `#` it begins with.
  case comment(UnsafeRawBufferPointer)
  /// Nothing that is said of a file, or the beginning of a line that goes on.
  case ignored
  /// None.
  case malformed
}
