// The filters of a walk.

internal import CWeir

/// A pattern that makes a walk include or skip entries.
///
///     let walk = FileWalk("/srv", filters: [.exclude(".git/"), .include("*.c")])
///
/// The last matching filter of a list decides. Without a match a file is included, unless the
/// first filter that applies to files is an include; a directory is included in any case.
/// Filters apply to the entries of a walk, not to its root. The content of a skipped directory
/// is not read.
///
/// A pattern without a slash is matched against the name, one with a slash against the
/// relative path from the root of the walk. A slash at the beginning, or `./`, has no other
/// effect. A pattern with a slash at the end applies to directories only.
///
/// Bytes are matched: `?` is any byte and `*` any number of bytes within one component; `**` is
/// any number of bytes, including slashes, and may be empty if it stands for whole components;
/// `[a-z]` is one of these bytes, `[!a-z]` any other byte, and `[[:digit:]]` a byte of a class
/// of the C locale; a backslash makes the next byte literal. A dot at the beginning has no
/// special meaning.
///
/// The corresponding C type is `weir_walk_filter_t`.
public struct FileFilter: Sendable {
  let isInclude: Bool
  /// Ends in NUL.
  package let pattern: [UInt8]

  /// Returns a filter that includes the entries that a pattern matches: a `weir_walk_filter_t` of
  /// C.
  public static func include(_ pattern: String) -> FileFilter {
    .include(bytes: pattern.utf8)
  }

  /// Returns a filter that includes the entries that the bytes of a pattern match; a NUL ends it.
  package static func include(bytes: some Sequence<UInt8>) -> FileFilter {
    FileFilter(isInclude: true, pattern: terminated(bytes))
  }

  /// Returns a filter that skips the entries that a pattern matches: a `weir_walk_filter_t` of C.
  public static func exclude(_ pattern: String) -> FileFilter {
    .exclude(bytes: pattern.utf8)
  }

  /// Returns a filter that skips the entries that the bytes of a pattern match; a NUL ends it.
  package static func exclude(bytes: some Sequence<UInt8>) -> FileFilter {
    FileFilter(isInclude: false, pattern: terminated(bytes))
  }

  /// Returns a Boolean value that indicates whether the pattern matches a file by its path relative
  /// to the root of a walk, or a directory above it.
  package func matches(_ path: some Sequence<UInt8>) -> Bool {
    [self].withCFilters { filter, _ in
      filter.map { filter in
        terminated(path).withUnsafeBufferPointer { path in
          path.withMemoryRebound(to: CChar.self) { path in
            path.baseAddress.map { weir_spi_filter_matches(filter, $0) } ?? false
          }
        }
      } ?? false
    }
  }
}

extension Array where Element == FileFilter {
  /// Calls `body` with the filters as C types.
  func withCFilters<R>(_ body: (UnsafePointer<weir_walk_filter_t>?, Int) -> R) -> R {
    withCStrings(map(\.pattern)) { patterns in
      var filters: [weir_walk_filter_t] = []
      for (index, filter) in enumerated() {
        guard let pattern = patterns[index] else { fatalError("the patterns are gone") }
        filters.append(
          weir_walk_filter_t(include: filter.isInclude, pattern: pattern, reserved: (0, 0)))
      }
      return filters.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}
