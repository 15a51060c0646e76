// In which form digests are written.

/// In which form digests are written.
public enum ManifestFormat: Sendable {
  /// `DIGEST  NAME`, as GNU's tools write; tagged where there are several
  /// algorithms, or where the algorithm's own tool knows no other.
  case text
  /// `TAG (NAME) = DIGEST`, as BSD's tools write.
  case tagged
  /// An object of JSON a line.
  case json
  /// Lines of mtree(5), with type, size and time: ``MtreeLine``. What stands
  /// between them, ``MtreeWriter`` adds where they are delivered.
  case mtree
}
