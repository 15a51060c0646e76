package import Weir

/// The open points that a user accepts, by name or by kind.
package struct Acceptance: Sendable {
  /// Patterns as of `--exclude`: a match accepts what is open for a name.
  package var filters: [FileFilter] = []
  package var acceptsGone = false
  package var acceptsRot = false
  /// The PATHs of the run: patterns match the part of a name below its PATH too.
  package var paths: [[UInt8]] = []

  package init() {}

  package var isEmpty: Bool { filters.isEmpty && !acceptsGone && !acceptsRot }

  /// Removes the patterns that match a name.
  package mutating func removePatterns(of name: UnsafeRawBufferPointer) {
    filters = filters.filter { !matches(name, [$0]) }
  }

  func accepts(_ kind: OpenPoint.Kind, _ name: UnsafeRawBufferPointer) -> Bool {
    (kind == .gone ? acceptsGone : acceptsRot) || matches(name, filters)
  }

  /// Returns true if a file is read whatever its status is: only reading finds rot.
  func reads(_ name: UnsafeRawBufferPointer) -> Bool { acceptsRot || matches(name, filters) }

  private func matches(_ name: UnsafeRawBufferPointer, _ filters: [FileFilter]) -> Bool {
    if filters.isEmpty { return false }
    let canonical = LedgerNames.canonical(name)
    // A slash at the beginning of a pattern says no more than that it is one of paths.
    let names =
      [Array(canonical.drop { $0 == .slash })]
      + paths.map { LedgerNames.canonical($0) + [.slash] }.filter { canonical.starts(with: $0) }
      .map { Array(canonical[$0.count...]) }
    return filters.contains { filter in names.contains { filter.matches($0) } }
  }
}
