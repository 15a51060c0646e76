// Walking a tree.
//
// A walk has one owner and is for one thread at a time, and the path of an entry
// is gone with the next step. So there are three forms: a Sequence, whose entries
// are copies; visit(_:), whose entries are lent, for a walk that passes over most
// of them; and entries, which is walked by a thread of its own and read ahead of.

internal import CWeir
internal import Glibc
public import SystemPackage

/// A walk through a tree, in an order that is the same each time.
///
///     for entry in FileWalk("/usr/share/doc") where entry.type == .file {
///       print(entry.path)
///     }
///
/// The entries of a directory come in the order of their names' bytes, a
/// directory before its contents, and these in its place. What cannot be read is
/// an entry like any other, with an ``Entry/error``, and the walk goes on. Memory
/// is what the names of the directories from the root down take; at most one
/// descriptor is open at a time, and none between two entries.
///
/// It can be walked any number of times, and each time looks at what there is
/// then. In `async` code use ``entries``.
///
/// The corresponding C type is `weir_walk_t`.
public struct FileWalk: Sendable {
  /// Policies of a walk.
  ///
  ///     let walk = FileWalk("/srv", [.followsSymbolicLinks, .staysOnFileSystem])
  ///
  /// The corresponding C type is `weir_walk_flags_t`.
  public struct Options: OptionSet, Sendable {
    /// The policies as C has them.
    public let rawValue: UInt32

    /// Policies as C has them.
    ///
    /// There is no corresponding C function: C takes the number.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// Follow symbolic links that are met: the entry has the type of the target.
    /// One that leads nowhere has `Errno.noSuchFileOrDirectory`, one back to a
    /// directory that the walk is in `Errno.tooManySymbolicLinkLevels`. The root
    /// is followed in any case.
    public static var followsSymbolicLinks: Options { Options(rawValue: 1) }

    /// Do not enter directories on another device than the root: they are
    /// entries without contents.
    public static var staysOnFileSystem: Options { Options(rawValue: 2) }
  }

  private let root: [UInt8]  // ends in NUL
  private let options: Options
  private let filters: [FileFilter]
  private let maximumDepth: Int

  /// A walk; touches no file yet.
  ///
  /// - Parameters:
  ///   - root: Where to begin: a directory, or anything else, which is then the
  ///     only entry. An empty path is an entry with
  ///     `Errno.noSuchFileOrDirectory`.
  ///   - options: Policies; none to pass over links and enter other devices.
  ///   - filters: What it passes over.
  ///   - maximumDepth: How far below the root it goes, at least 1, which is what
  ///     is in the root; `nil` for no limit.
  /// - Complexity: O(*length*) of the path.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_walk_create_with`.
  public init(
    _ root: FilePath, _ options: Options = [], filters: [FileFilter] = [],
    maximumDepth: Int? = nil
  ) {
    self.init(terminated: terminated(root), options, filters, maximumDepth)
  }

  /// A walk from a path by its very bytes, which begin every entry's path:
  /// `FilePath` writes `a//b/` as `a/b`.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes but NUL, at which the path ends.
  ///   - options: Policies.
  ///   - filters: What it passes over.
  ///   - maximumDepth: How far below the root it goes, at least 1, which is what
  ///     is in the root; `nil` for no limit.
  /// - Complexity: O(*length*) of the path.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_walk_create_with`.
  public init(
    bytes: some Sequence<UInt8>, _ options: Options = [], filters: [FileFilter] = [],
    maximumDepth: Int? = nil
  ) {
    self.init(terminated: terminated(bytes), options, filters, maximumDepth)
  }

  private init(
    terminated root: [UInt8], _ options: Options, _ filters: [FileFilter], _ maximumDepth: Int?
  ) {
    guard maximumDepth ?? 1 >= 1 else {
      misuse(
        "a FileWalk was given a maximum depth of \(maximumDepth ?? 0): it is 1 or more, "
          + "or nil for no limit")
    }
    self.root = root
    self.options = options
    self.filters = filters
    self.maximumDepth = maximumDepth ?? 0
  }

  /// What a visitor wants next.
  ///
  /// There is no corresponding C type.
  public enum Step: Sendable {
    /// The next entry.
    case next
    /// What follows the contents of this directory; of anything else the next
    /// entry.
    case skipContents
    /// Nothing more.
    case stop
  }

  /// Goes through the entries without copying their paths.
  ///
  ///     var files = 0
  ///     FileWalk("/srv").visit { entry in
  ///       if entry.name.elementsEqual(".git".utf8) { return .skipContents }
  ///       if entry.type == .file { files += 1 }
  ///       return .next
  ///     }
  ///
  /// - Parameter body: Called with each entry, which is lent, and says how to go
  ///   on.
  /// - Throws: What `body` throws, which ends the walk.
  /// - Complexity: O(*n* log *m*) for *n* entries, of which a directory has *m*:
  ///   its names are sorted.
  ///
  /// Blocks: as the file system does.
  ///
  /// The corresponding C functions are `weir_walk_next` and `weir_walk_skip`.
  @available(*, noasync, message: "it reads directories; iterate over entries instead")
  public func visit<E: Error>(
    _ body: (borrowing LentEntry) throws(E) -> Step
  ) throws(E) {
    let walk = WalkHandle(self)
    while walk.next() {
      switch try body(LentEntry(walk.entry)) {
      case .next: break
      case .skipContents: walk.skip()
      case .stop: return
      }
    }
  }

  /// Makes the walk of ``visit(_:)`` and of the iterators.
  fileprivate func start() -> OpaquePointer? {
    root.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      return filters.withCFilters { filters, count in
        var options = weir_walk_options_t()
        options.flags = self.options.rawValue
        options.max_depth = maximumDepth
        options.filters = filters
        options.filter_count = count
        return weir_walk_create_with(start.assumingMemoryBound(to: CChar.self), &options)
      }
    }
  }
}

extension FileWalk: Sequence {
  /// A walk before its first entry.
  ///
  /// Blocks: no; the iterator does, as the file system does.
  ///
  /// The corresponding C function is `weir_walk_create`.
  @available(*, noasync, message: "it reads directories; iterate over entries instead")
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// Goes through the entries of a walk. Copies of it are the same walk.
  ///
  ///     var entries = FileWalk("/srv").makeIterator()
  ///     while let entry = entries.next() {
  ///       if entry.depth == 2 { entries.skipContents() }
  ///     }
  ///
  /// The corresponding C type is `weir_walk_t`.
  public struct Iterator: IteratorProtocol {
    private let walk: WalkHandle

    fileprivate init(_ walk: FileWalk) {
      self.walk = WalkHandle(walk)
    }

    /// The next entry; `nil` behind the last one.
    ///
    /// - Complexity: O(*length*) of the path, a copy; for a directory of *m* names
    ///   also O(*m* log *m*), to sort them.
    ///
    /// Blocks: as the file system does.
    ///
    /// The corresponding C function is `weir_walk_next`.
    public mutating func next() -> Entry? {
      walk.next() ? Entry(copying: walk.entry) : nil
    }

    /// Passes over the contents of the directory that the last entry was; does
    /// nothing where it was none.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_walk_skip`.
    public mutating func skipContents() {
      walk.skip()
    }

    /// How many things the filters have made it pass over so far. What is in a
    /// directory that was passed over is not counted.
    ///
    /// Blocks: no.
    ///
    /// The corresponding C function is `weir_walk_filtered`.
    public var filteredCount: UInt64 { walk.filteredCount }
  }
}

/// A walk of C's, and its present entry.
final class WalkHandle {
  private let handle: OpaquePointer?
  private let storage = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
  /// Where there can be no walk, there is one entry that says why.
  private var failure: Int32?

  init(_ walk: FileWalk) {
    handle = walk.start()
    // An empty name is nobody's.
    if handle == nil { failure = errno == EINVAL ? ENOENT : errno }
  }

  deinit {
    if let handle { weir_walk_destroy(handle) }
    storage.deallocate()
  }

  /// Of use once ``next()`` was true, until it is called again.
  var entry: weir_walk_entry_t { storage.pointee }

  func next() -> Bool {
    if let handle { return weir_walk_next(handle, storage) }
    guard let failure else { return false }
    self.failure = nil
    let empty = UnsafeRawPointer(StaticString("").utf8Start)
    storage.initialize(
      to: weir_walk_entry_t(
        path: empty.assumingMemoryBound(to: CChar.self), path_length: 0, name_offset: 0,
        depth: 0, type: WEIR_ENTRY_UNKNOWN, error: failure, directory: 0, inode: 0,
        reserved: (0, 0, 0, 0)))
    return true
  }

  func skip() {
    if let handle { weir_walk_skip(handle) }
  }

  var filteredCount: UInt64 { handle.map { weir_walk_filtered($0) } ?? 0 }
}
