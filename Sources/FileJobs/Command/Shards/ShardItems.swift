// The items of a shard of a plan, each with the number that it has in the whole plan.

internal import SystemPackage
internal import Weir

/// An iterator over the items of a shard. The number of a command is that of its first item in
/// the whole plan, so that a command for each item has the number that one process gives it. A plan
/// does not say which files were named and which a walk has found: all count as found, so that a
/// word that begins with `-` gets `./` before it.
///
/// @unchecked Sendable: one thread at a time feeds.
package final class ShardItems: CommandItemIterator, @unchecked Sendable {
  private let feed: ShardFeed
  private let expectsUnchanged: Bool

  /// - Parameters:
  ///   - feed: A feed that has no items yet.
  ///   - expectsUnchanged: True to run no command for a file that has changed.
  package init(_ feed: ShardFeed, expectsUnchanged: Bool) {
    self.feed = feed
    self.expectsUnchanged = expectsUnchanged
  }

  package func next() -> CommandElement? {
    guard let record = feed.next() else { return nil }
    let planned =
      expectsUnchanged && record.kind == .file
      ? PlannedFile(size: record.size, modified: record.modified) : nil
    return .item(CommandItem(Array(record.path), isWalked: true, planned: planned))
  }

  package var number: UInt64? { feed.ordinal }
  package var links: UInt64 { 0 }
  package var filtered: UInt64 { 0 }
  package var excluded: UInt64 { 0 }
}
