// The records of one side in the order of their keys, with all lines of a name in one record.

internal import SystemPackage

/// A reader of the records of one side.
final class CompareRecords {
  enum Source {
    /// A manifest that is expected to be in order.
    case manifest(CompareManifestReader, name: [UInt8])
    case sorted(SortedRuns.Reader, hasTypes: Bool)
  }

  private let source: Source
  /// The record returned last, and the one after it.
  private var current = CompareBuffer()
  private var following = CompareBuffer()
  private var hasFollowing = false
  private var hasBegun = false
  /// True if a record of the manifest precedes the one before it. Nothing more is returned then.
  private(set) var isOutOfOrder = false
  private(set) var count: UInt64 = 0

  init(_ source: Source) { self.source = source }

  /// True if the side has entries for directories, links and special files. Known after
  /// ``begin()``.
  var hasTypes: Bool {
    switch source {
    case .manifest(let reader, _): reader.hasTypes
    case .sorted(_, let hasTypes): hasTypes
    }
  }

  /// The faults of a manifest so far; `nil` for records that were kept.
  var faults: CompareFaults? {
    if case .manifest(let reader, _) = source { reader.faults } else { nil }
  }

  /// Reads the first record.
  func begin() throws {
    if hasBegun { return }
    hasBegun = true
    hasFollowing = try read()
  }

  /// Returns the next record; `nil` at the end. The record is valid until the next call.
  func next() throws -> CompareBuffer? {
    try begin()
    if !hasFollowing { return nil }
    swap(&current, &following)
    count += 1
    while true {
      hasFollowing = try read()
      if !hasFollowing { return current }
      let order = following.key.order(to: current.key)
      if order == 0 {
        current.add(following.entry)
      } else if order > 0 {
        return current
      } else {
        isOutOfOrder = true
        return nil
      }
    }
  }

  private func read() throws -> Bool {
    switch source {
    case .manifest(let reader, let name):
      return try Fault.attributing(to: name) { () throws(Errno) in try reader.read(to: following) }
    case .sorted(let reader, _):
      guard let record = try reader.next() else { return false }
      following.put(record)
      return true
    }
  }
}
