// Where items come from: paths, which are walked, and lists.

internal import Glibc
public import SystemPackage
public import Weir

/// Something that names items.
public enum CommandSource: Sendable {
  /// A path: a directory is walked, and anything else is an item as it stands,
  /// whether there is such a file or not.
  case path([UInt8])
  /// Items that stand one after the other in what a descriptor gives, each ended
  /// by a byte, the last one perhaps not. They need not be files.
  case list(FileDescriptor, separator: UInt8, name: [UInt8])
  /// The same, in a file that is opened when its turn comes.
  case listFile([UInt8], separator: UInt8)
}

/// How trees are walked.
public struct CommandWalk: Sendable {
  /// Policies.
  public var options: FileWalk.Options = []
  /// What is passed over.
  public var filters: [FileFilter] = []
  /// How deep, at least 1; `nil` for no limit.
  public var maximumDepth: Int?

  /// Everything.
  public init() {}
}

/// What sources have named, one after the other. For one thread at a time.
struct CommandNames {
  enum Found {
    case item(CommandItem)
    /// A directory or a list, or an item that cannot be an argument.
    case failure([UInt8], Errno)
    case special([UInt8], EntryType)
    /// What comes next may take its time.
    case pause
  }

  /// Symbolic links that were not followed, and what filters took out.
  private(set) var links: UInt64 = 0
  private(set) var filtered: UInt64 = 0
  /// What this process writes, where a walk came upon it.
  private(set) var excluded: UInt64 = 0

  private var sources: ArraySlice<CommandSource>
  private let walk: CommandWalk
  private let written: OwnOutput
  private var tree: FileWalk.Iterator?
  private var root: [UInt8] = []
  private var list: CommandList?

  init(_ sources: [CommandSource], _ walk: CommandWalk, sparing written: OwnOutput) {
    self.sources = sources[...]
    self.walk = walk
    self.written = written
  }

  /// The next one; `nil` behind the last.
  mutating func next() -> Found? {
    while true {
      if tree != nil {
        if let found = nextOfTree() { return found }
      } else if list != nil {
        if let found = list?.next() { return found }
        list = nil
      } else if let source = sources.popFirst() {
        if let found = begin(source) { return found }
      } else {
        return nil
      }
    }
  }

  private mutating func begin(_ source: CommandSource) -> Found? {
    switch source {
    case .path(let path):
      // Nobody else's directory is walked for an empty word.
      if path.isEmpty { return .item(CommandItem(path)) }
      root = path
      tree = FileWalk(
        bytes: path, walk.options, filters: walk.filters, maximumDepth: walk.maximumDepth
      ).makeIterator()
    case .list(let descriptor, let separator, let name):
      list = CommandList(descriptor, separator: separator, name: name, isOwned: false)
    case .listFile(let path, let separator):
      do throws(Errno) {
        let descriptor = try DescriptorBudget.retrying { () throws(Errno) in
          try CommandList.open(path)
        }
        list = CommandList(descriptor, separator: separator, name: path, isOwned: true)
      } catch {
        return .failure(path, error)
      }
    }
    return nil
  }

  private mutating func nextOfTree() -> Found? {
    let before = tree?.filteredCount ?? 0
    let entry = tree?.next()
    filtered += (tree?.filteredCount ?? 0) - before
    guard let entry else {
      tree = nil
      return nil
    }
    if entry.depth == 0 && entry.type != .directory { return .item(CommandItem(root)) }
    if let error = entry.error { return .failure(entry.pathBytes, error) }
    switch entry.type {
    case .directory: return nil
    case .file:
      if written.contains(entry) {
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

/// The items of a list, read as they are needed.
private final class CommandList {
  private let descriptor: FileDescriptor
  private let separator: UInt8
  private let name: [UInt8]
  private let isOwned: Bool
  private var bytes: [UInt8] = []
  private var place = 0
  private var isAtEnd = false
  /// Whether the last answer was that it may take its time.
  private var hasPaused = false

  private static let pieceBytes = 65536
  /// What is longer is no argument (MAX_ARG_STRLEN), and not kept.
  private static let itemBytes = 131_072
  private static let shownBytes = 1024

  init(_ descriptor: FileDescriptor, separator: UInt8, name: [UInt8], isOwned: Bool) {
    self.descriptor = descriptor
    self.separator = separator
    self.name = name
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { try? descriptor.close() }
  }

  static func open(_ path: [UInt8]) throws(Errno) -> FileDescriptor {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    let descriptor = Glibc.open(terminated, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: descriptor)
  }

  func next() -> CommandNames.Found? {
    var isTooLong = false
    while true {
      if let end = bytes[place...].firstIndex(of: separator) {
        return found(upTo: end, behind: end + 1, isTooLong)
      }
      if isAtEnd {
        return place < bytes.count || isTooLong
          ? found(upTo: bytes.count, behind: bytes.count, isTooLong) : nil
      }
      if bytes.count - place > CommandList.itemBytes {
        isTooLong = true
        bytes.removeSubrange(place + CommandList.shownBytes..<bytes.count)
      }
      if !hasPaused && !isReady {
        hasPaused = true
        return .pause
      }
      hasPaused = false
      do throws(Errno) {
        try readMore()
      } catch {
        isAtEnd = true
        bytes = []
        place = 0
        return .failure(name, error)
      }
    }
  }

  private func found(upTo end: Int, behind: Int, _ isTooLong: Bool) -> CommandNames.Found {
    let item = Array(bytes[place..<end])
    place = behind
    if isTooLong { return .failure(Array(item.prefix(CommandList.shownBytes)), .argListTooLong) }
    return item.contains(0) ? .failure(item, .invalidArgument) : .item(CommandItem(item))
  }

  private var isReady: Bool {
    var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) != 0
  }

  private func readMore() throws(Errno) {
    bytes.removeSubrange(..<place)
    place = 0
    let old = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: CommandList.pieceBytes))
    var count: Int
    repeat {
      count = bytes.withUnsafeMutableBytes { memory in
        memory.baseAddress.map { read(descriptor.rawValue, $0 + old, CommandList.pieceBytes) } ?? 0
      }
    } while count < 0 && errno == EINTR
    let error = errno
    bytes.removeLast(CommandList.pieceBytes - max(count, 0))
    if count < 0 { throw Errno(rawValue: error) }
    isAtEnd = count == 0
  }
}
