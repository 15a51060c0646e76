// What one line of a manifest says.

/// What a line of a manifest is.
public enum ManifestRecord {
  /// A digest and a name.
  case entry(ManifestLine)
  /// A comment, or nothing.
  case ignored
  /// No line of a checksum tool.
  case malformed
}

/// A digest and a name, as a line of a manifest has them.
///
/// It points into the memory of the line, and is of use as long as that is.
public struct ManifestLine {
  /// Whose digest it is.
  public let algorithm: DigestAlgorithm
  /// The digest, as bytes; as many as the algorithm's, unless it is a BLAKE2b
  /// of another length.
  public let digest: UnsafeRawBufferPointer
  /// The name, without any escapes.
  public let name: UnsafeRawBufferPointer
  /// Whether the file is marked as binary (` *`).
  public let isBinary: Bool
}
