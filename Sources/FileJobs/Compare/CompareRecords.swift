// The records of one side in the order of their keys, with all lines of a name in one record.

/// A reader of the records of one side.
final class CompareRecords {
  enum Source {
    /// A manifest that is expected to be in order.
    case manifest(CompareManifestReader)
    case sorted(SortedRuns.Reader, hasTypes: Bool)
  }

  private let source: Source
  /// The record returned last, and the one after it.
  private var current = CompareBuffer()
  private var following = CompareBuffer()
  private var hasFollowing = false
  /// True if a record of the manifest precedes the one before it. Nothing more is returned then.
  private(set) var isOutOfOrder = false

  /// Reads the first record.
  init(_ source: Source) throws {
    self.source = source
    hasFollowing = try read()
  }

  /// True if the side has entries for directories, links and special files.
  var hasTypes: Bool {
    switch source {
    case .manifest(let reader): reader.hasTypes
    case .sorted(_, let hasTypes): hasTypes
    }
  }

  /// The faults of a manifest so far; `nil` for records that were kept.
  var faults: CompareFaults? {
    if case .manifest(let reader) = source { reader.faults } else { nil }
  }

  /// Returns the next record; `nil` at the end. The record is valid until the next call.
  func next() throws -> CompareBuffer? {
    if !hasFollowing { return nil }
    swap(&current, &following)
    while true {
      hasFollowing = try read()
      if !hasFollowing { return current }
      let order = following.key.order(to: current.key)
      if order > 0 { return current }
      if order < 0 {
        isOutOfOrder = true
        return nil
      }
      current.add(following.entry)
    }
  }

  private func read() throws -> Bool {
    switch source {
    case .manifest(let reader): return try reader.read(to: following)
    case .sorted(let reader, _):
      guard let record = try reader.next() else { return false }
      following.put(record)
      return true
    }
  }
}
