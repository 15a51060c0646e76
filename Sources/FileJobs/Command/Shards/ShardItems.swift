internal import SystemPackage
internal import Weir

/// An iterator over the items of a shard. The number of a command is that of its first item in
/// the whole plan, so that a command for each item has the number that one process gives it.
///
/// @unchecked Sendable: one thread at a time feeds.
package final class ShardItems: CommandItemIterator, @unchecked Sendable {
  private let feed: ShardFeed
  private let expectsUnchanged: Bool
  /// True after a directory: a walk has found the file. A record does not say so, and a file that
  /// is named after a walk counts as found too. It makes one difference: a word that begins with
  /// `-` gets `./` before it.
  private var isWalked = false
  private var ordinal: UInt64 = 0

  /// - Parameters:
  ///   - feed: A feed that has no items yet.
  ///   - expectsUnchanged: True to run no command for a file that has changed.
  package init(_ feed: ShardFeed, expectsUnchanged: Bool) {
    self.feed = feed
    self.expectsUnchanged = expectsUnchanged
    feed.observer = { [unowned self] record in
      if record.hasShard { ordinal += 1 }
      if record.kind == .directory { isWalked = true }
    }
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
