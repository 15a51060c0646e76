// Filters of a walk, and walks with filters.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

struct Filter: CustomStringConvertible {
  let isInclude: Bool
  let pattern: Path

  static func include(_ pattern: String) -> Filter { include(Path(pattern.utf8)) }
  static func exclude(_ pattern: String) -> Filter { exclude(Path(pattern.utf8)) }
  static func include(_ pattern: Path) -> Filter { Filter(isInclude: true, pattern: pattern) }
  static func exclude(_ pattern: Path) -> Filter { Filter(isInclude: false, pattern: pattern) }

  var description: String { "\(isInclude ? "include" : "exclude") \(pattern.shown)" }
}

extension [Filter] {
  /// Calls `body` with the filters in C, and overwrites their patterns afterwards.
  func c<T>(_ body: (UnsafePointer<weir_walk_filter_t>?, Int) -> T) -> T {
    let patterns = map { filter in
      strdup(filter.pattern.map { CChar(bitPattern: $0) } + [0])!
    }
    defer {
      for pattern in patterns {
        memset(pattern, 0x21, strlen(pattern))
        free(pattern)
      }
    }
    let filters = zip(self, patterns).map { filter, pattern in
      weir_walk_filter_t(include: filter.isInclude, pattern: pattern, reserved: (0, 0))
    }
    return filters.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
  }
}

/// The entries of a walk with filters, and the number of those that it skipped.
func walk(
  _ root: Path, _ filters: [Filter] = [], maxDepth: Int = 0, flags: UInt32 = 0
) -> (entries: [Walked.Entry], filtered: UInt64) {
  let walk: weir_walk_t = filters.c { filters, count in
    var options = weir_walk_options_t()
    options.flags = flags
    options.max_depth = maxDepth
    options.filters = filters
    options.filter_count = count
    return root.c { weir_walk_create_with($0, &options) }!
  }
  defer { weir_walk_destroy(walk) }
  let raw = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
  defer { raw.deallocate() }
  var entries: [Walked.Entry] = []
  while weir_walk_next(walk, raw) { entries.append(Walked.Entry(raw.pointee)) }
  return (entries, weir_walk_filtered(walk))
}
