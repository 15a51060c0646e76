// The sources of a command's items, and the options of their walks.

public import SystemPackage
public import Weir

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
public struct CommandWalk: Sendable {
  /// Policies.
  public var options: FileWalk.Options = []
  /// The filters.
  public var filters: [FileFilter] = []
  /// The maximum depth, at least 1; `nil` for no limit.
  public var maximumDepth: Int?

  /// Options without any filter or limit.
  public init() {}
}
