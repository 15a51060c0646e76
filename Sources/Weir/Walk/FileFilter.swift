// What a walk passes over.

internal import CWeir

/// A pattern that says what a walk takes, or passes over.
///
///     let walk = FileWalk("/srv", filters: [.exclude(".git/"), .include("*.c")])
///
/// The last filter of a list that matches decides. Where none does a file is
/// taken, unless the first filter that speaks of files is an include; a directory
/// is taken in any case. Filters are for what a walk meets, not for its root. What
/// is in a directory that is passed over is not looked at.
///
/// A pattern without a slash is matched with the name, one with a slash with the
/// way from the root of the walk. A slash at its beginning, or `./`, does nothing
/// but that. A slash at its end makes it speak of directories alone.
///
/// It is matched byte by byte: `?` is any byte and `*` any number of them, of one
/// component; `**` is any number of bytes, slashes too, and where it stands for
/// whole components it may be none; `[a-z]` is a byte of those, `[!a-z]` another
/// one, and `[[:digit:]]` one of a class of the C locale; a backslash makes an
/// ordinary byte of the one behind it. A dot at the beginning is a byte like any
/// other.
///
/// The corresponding C type is `weir_walk_filter_t`.
public struct FileFilter: Sendable {
  let isInclude: Bool
  /// Ends in NUL.
  let pattern: [UInt8]

  /// Takes what a pattern matches.
  ///
  /// - Complexity: O(*length*).
  ///
  /// Blocks: no. There is no corresponding C function: C has the pattern in
  /// `weir_walk_filter_t`.
  public static func include(_ pattern: String) -> FileFilter {
    .include(bytes: pattern.utf8)
  }

  /// Takes what a pattern matches, by the very bytes of it.
  ///
  /// - Parameter bytes: Any bytes but NUL, at which the pattern ends.
  /// - Complexity: O(*length*).
  ///
  /// Blocks: no. There is no corresponding C function: C has the pattern in
  /// `weir_walk_filter_t`.
  public static func include(bytes: some Sequence<UInt8>) -> FileFilter {
    FileFilter(isInclude: true, pattern: terminated(bytes))
  }

  /// Passes over what a pattern matches.
  ///
  /// - Complexity: O(*length*).
  ///
  /// Blocks: no. There is no corresponding C function: C has the pattern in
  /// `weir_walk_filter_t`.
  public static func exclude(_ pattern: String) -> FileFilter {
    .exclude(bytes: pattern.utf8)
  }

  /// Passes over what a pattern matches, by the very bytes of it.
  ///
  /// - Parameter bytes: Any bytes but NUL, at which the pattern ends.
  /// - Complexity: O(*length*).
  ///
  /// Blocks: no. There is no corresponding C function: C has the pattern in
  /// `weir_walk_filter_t`.
  public static func exclude(bytes: some Sequence<UInt8>) -> FileFilter {
    FileFilter(isInclude: false, pattern: terminated(bytes))
  }
}

extension Array where Element == FileFilter {
  /// Calls `body` with the filters as C has them.
  func withCFilters<R>(_ body: (UnsafePointer<weir_walk_filter_t>?, Int) -> R) -> R {
    // All patterns in one buffer, so that one pointer keeps them all alive.
    flatMap(\.pattern).withUnsafeBytes { patterns in
      var filters: [weir_walk_filter_t] = []
      var offset = 0
      for filter in self {
        guard let start = patterns.baseAddress else { fatalError("the patterns are gone") }
        filters.append(
          weir_walk_filter_t(
            include: filter.isInclude,
            pattern: (start + offset).assumingMemoryBound(to: CChar.self), reserved: (0, 0)))
        offset += filter.pattern.count
      }
      return filters.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}
