// The sources of a run, and the items that they name, one after the other.

internal import WeirLibC
public import SystemPackage
package import Weir

/// A source of items.
public enum CommandSource: Sendable {
  /// A path. A directory is walked; anything else is an item as it is, even if there is
  /// no such file.
  case path([UInt8])
  /// Items that are read from a descriptor, each ended by a byte, the last one perhaps
  /// not. They need not be files.
  case list(FileDescriptor, separator: UInt8, name: [UInt8])
  /// The same in a file, which is opened in its turn.
  case listFile([UInt8], separator: UInt8)
}

/// A closure that decides on an item by its bytes.
package typealias CommandSelector = @Sendable ([UInt8]) -> Bool

/// Options of the walks.
package struct CommandWalk: Sendable {
  package var options: FileWalk.Options = []
  package var filters: [FileFilter] = []
  /// The maximum depth, at least 1; `nil` for no limit.
  package var maximumDepth: Int?

  package init() {}
}

/// An item that a command is run for: a file that a walk has found, or a name from the
/// command line or a list.
public struct CommandItem: Sendable, Hashable {
  /// The bytes of the item, without a NUL.
  public let bytes: [UInt8]
  package let isWalked: Bool
  /// The size and the time that the file must still have; `nil` to run the command anyway.
  let planned: PlannedFile?

  package init(_ bytes: [UInt8], isWalked: Bool = false, planned: PlannedFile? = nil) {
    (self.bytes, self.isWalked, self.planned) = (bytes, isWalked, planned)
  }
}

package enum CommandElement {
  case item(CommandItem)
  /// A directory or a list that cannot be read, or an item that cannot be an argument.
  case failure([UInt8], Errno)
  case special([UInt8], FileWalk.EntryType)
  /// The next element may take a while.
  case pause
}

/// An iterator over the items of several sources, or of a shard.
///
/// @unchecked Sendable: one thread at a time feeds.
package final class CommandItems: @unchecked Sendable {
  typealias Element = CommandElement

  /// Symbolic links that were not followed, files that the filters excluded, and those of a walk that
  /// this process writes.
  private(set) var (links, filtered, excluded): (UInt64, UInt64, UInt64) = (0, 0, 0)
  /// The number of the command that begins with the last item; `nil` to count the commands.
  private(set) var number: UInt64?

  private var sources: ArraySlice<CommandSource> = []
  private var walk = CommandWalk()
  private var excludedFiles = ExcludedFiles()
  private var isSelected: CommandSelector?
  private var tree: FileWalk.Iterator?
  private var root: [UInt8] = []
  private var list: CommandItemList?
  private var shard: ShardFeed?
  private var expectsUnchanged = false
  /// True after a directory of a shard: a walk has found the file, or it was named after one, which
  /// a record does not tell. So a word that begins with `-` gets `./` before it.
  private var isWalked = false

  init(
    _ sources: [CommandSource], _ walk: CommandWalk, excluding files: ExcludedFiles,
    select: CommandSelector? = nil
  ) {
    self.sources = sources[...]
    self.walk = walk
    excludedFiles = files
    isSelected = select
  }

  /// Makes the items of a shard. The number of a command is that of its first item in the whole
  /// plan, so that a command for each item has the number that one process gives it. With
  /// `expectsUnchanged`, no command is run for a file that has changed.
  package init(_ feed: ShardFeed, expectsUnchanged: Bool) {
    (shard, self.expectsUnchanged) = (feed, expectsUnchanged)
    feed.observer = { [unowned self] record in
      if record.hasShard { number = (number ?? 0) + 1 }
      if record.kind == .directory { isWalked = true }
    }
  }

  private func next(of shard: ShardFeed) -> Element? {
    guard let record = shard.next() else { return nil }
    let planned =
      expectsUnchanged && record.kind == .file
      ? PlannedFile(size: record.size, modified: record.modified) : nil
    return .item(CommandItem(Array(record.path), isWalked: isWalked, planned: planned))
  }

  func next() -> Element? {
    if let shard { return next(of: shard) }
    while let element = nextOfAll() {
      guard let isSelected else { return element }
      switch element {
      case .item(let item): if isSelected(item.bytes) { return element }
      case .special(let path, _): if isSelected(path) { return element }
      case .failure, .pause: return element
      }
    }
    return nil
  }

  private func nextOfAll() -> Element? {
    while true {
      if tree != nil {
        if let element = nextOfTree() { return element }
      } else if list != nil {
        if let element = list?.next() { return element }
        list = nil
      } else if let source = sources.popFirst() {
        if let element = begin(source) { return element }
      } else {
        return nil
      }
    }
  }

  private func begin(_ source: CommandSource) -> Element? {
    switch source {
    case .path(let path):
      // An empty word is an item: a walk would take it for the working directory.
      if path.isEmpty { return .item(CommandItem(path)) }
      root = path
      tree = FileWalk(
        bytes: path, walk.options, filters: walk.filters, maximumDepth: walk.maximumDepth
      ).makeIterator()
    case .list(let descriptor, let separator, let name):
      list = CommandItemList(descriptor, separator: separator, name: name, isOwned: false)
    case .listFile(let path, let separator):
      do throws(Errno) {
        let descriptor = try DescriptorBudget.retrying { () throws(Errno) in
          try openFile(path, O_RDONLY)
        }
        list = CommandItemList(descriptor, separator: separator, name: path, isOwned: true)
      } catch {
        return .failure(path, error)
      }
    }
    return nil
  }

  private func nextOfTree() -> Element? {
    let before = tree?.filteredCount ?? 0
    let entry = tree?.next()
    filtered += (tree?.filteredCount ?? 0) - before
    guard let entry else {
      tree = nil
      return nil
    }
    if entry.depth == 0 && entry.type != .directory {
      // Any name is an item. But what could not be examined may be a directory, to be walked.
      if let error = entry.error,
        [EIO, ENOMEM, ESTALE, ETIMEDOUT].contains(error.rawValue)
      {
        return .failure(entry.pathBytes, error)
      }
      return .item(CommandItem(root))
    }
    if let error = entry.error { return .failure(entry.pathBytes, error) }
    switch entry.type {
    case .directory: return nil
    case .file:
      if excludedFiles.contains(entry) {
        excluded += 1
        return nil
      }
      return .item(CommandItem(entry.pathBytes, isWalked: true))
    case .symbolicLink:
      links += 1
      return nil
    default: return .special(entry.pathBytes, entry.type)
    }
  }
}
