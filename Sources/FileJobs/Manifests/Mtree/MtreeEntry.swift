public import Weir

/// An entry of a manifest of mtree(5).
///
/// The pointers refer to the memory of the parser and of the line, and are valid until the
/// next line is parsed.
public struct MtreeEntry {
  /// The name without escapes, as the user gave it to the program that wrote the manifest.
  public internal(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// True if Weir wrote the manifest and the user gave the name without the `./` that the
  /// line has. Then `-` is standard input.
  var isBare = false
  /// The type; `nil` if the entry has none.
  public internal(set) var type: EntryType?
  /// The number of bytes.
  public internal(set) var size: UInt64?
  /// The time of the last change.
  public internal(set) var time: FileTime?
  /// The target of a symbolic link.
  public internal(set) var target: UnsafeRawBufferPointer?
  /// True if the file may be missing.
  public internal(set) var isOptional = false
  /// True if nothing of the file is to be verified.
  public internal(set) var isIgnored = false
  /// The keyword of a digest that Weir does not compute, such as `"rmd160"`.
  public internal(set) var otherDigest: String?
  /// The digests, in the order of the line.
  public internal(set) var digests = UnsafeBufferPointer<MtreeDigest>(start: nil, count: 0)

  /// Returns the digest of an algorithm; `nil` if the entry has none.
  public func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    digests.first { $0.algorithm == algorithm }?.bytes
  }
}

/// A digest in an entry of a manifest of mtree(5).
public struct MtreeDigest {
  /// The algorithm of the digest.
  public let algorithm: DigestAlgorithm
  /// The digest as bytes, with the algorithm's length.
  public let bytes: UnsafeRawBufferPointer
}

/// The content of a line of a manifest of mtree(5).
public enum MtreeRecord {
  /// An entry for a file.
  case entry(MtreeEntry)
  /// A comment, including its `#`.
  case comment(UnsafeRawBufferPointer)
  /// A line without an entry, or the beginning of a continued line.
  case ignored
  /// Not a line of mtree(5).
  case malformed
}
