// The items of a shard of a plan, each with the number that it has in the whole plan.

internal import SystemPackage
internal import Weir

/// An iterator over the items of a shard. The number of a command is that of its first item in
/// the whole plan, so that a command for each item has the number that one process gives it.
///
/// @unchecked Sendable: one thread at a time feeds.
package final class ShardItems: CommandItemIterator, @unchecked Sendable {
  private let feed: ShardFeed
  private let expectsUnchanged: Bool
  private var walk = PlanWalk()
  private var isWalked = false
  private var ordinal: UInt64 = 0

  /// - Parameters:
  ///   - feed: A feed that has no items yet.
  ///   - expectsUnchanged: True to run no command for a file that has changed.
  package init(_ feed: ShardFeed, expectsUnchanged: Bool) {
    self.feed = feed
    self.expectsUnchanged = expectsUnchanged
    feed.observer = { [unowned self] record in observe(record) }
  }

  private func observe(_ record: PlanRecord) {
    if record.hasShard { ordinal += 1 }
    isWalked = walk.contains(record)
  }

  package func next() -> CommandElement? {
    guard let record = feed.next() else { return nil }
    let planned =
      expectsUnchanged && record.kind == .file
      ? PlannedFile(size: record.size, modified: record.modified) : nil
    return .item(CommandItem(Array(record.path), isWalked: isWalked, planned: planned))
  }

  package var number: UInt64? { ordinal }
  package var links: UInt64 { 0 }
  package var filtered: UInt64 { 0 }
  package var excluded: UInt64 { 0 }
}

/// The present walk of a plan, which tells the files that it found from those that were named.
///
/// DESIGN. A record does not say how its file came into the plan, but the order does: a walk
/// begins with its directory, and all that it finds is below that directory and in the order of
/// names. A file that is named after a walk of its own directory has been found there before; it
/// is out of order, unless a filter has excluded it. Such a file counts as found. It makes one
/// difference: a word that begins with `-` gets `./` before it.
struct PlanWalk {
  /// The directory that the walk began at, with a slash at its end; `nil` without a walk.
  private var root: [UInt8]?
  /// The name of the last entry.
  private var last: [UInt8] = []

  /// Returns true if the walk has found the entry of a record. Called with every record of the
  /// plan, in order.
  mutating func contains(_ record: PlanRecord) -> Bool {
    let isFound = follows(record.path)
    if isFound || record.kind == .directory {
      last.removeAll(keepingCapacity: true)
      last.append(contentsOf: record.path)
    }
    if isFound { return true }
    root = nil
    if record.kind == .directory {
      let slash = UInt8(ascii: "/")
      root = record.path.last == slash ? last : last + [slash]
    }
    return false
  }

  private func follows(_ path: UnsafeRawBufferPointer) -> Bool {
    guard let root, path.count > root.count, path.starts(with: root) else { return false }
    return last.withUnsafeBytes { WalkOrder.compare($0, path) } < 0
  }
}
