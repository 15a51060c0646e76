// A walk through a tree.
//
// DESIGN. A walk serves one thread at a time, and the next step invalidates the path of an entry.
// So there are two forms: a Sequence, whose entries are copies, and entries, which reads ahead.

internal import CWeir
public import SystemPackage
internal import WeirLibC

/// A walk through a tree, in the same order each time.
///
///     for entry in FileWalk("/usr/share/doc") where entry.type == .file {
///       print(entry.path)
///     }
///
/// The entries of a directory are in the byte order of their names; the content of a directory
/// follows the directory. An entry that cannot be read has an ``Entry/error``, and the walk goes
/// on. The memory of a walk holds the names of the directories from the root down. At most two
/// descriptors are open at a time, and none between two entries.
///
/// While listing directories takes long, as on a server, up to 16 threads list those ahead that the
/// walk will enter next, in the same order. This takes up to 4 MiB and two free permits of
/// ``DescriptorBudget`` for each listing in progress, which may end after the walk.
///
/// The path of the root may lead through symbolic links. Below the root a walk enters no directory
/// through a link, unless the links are followed by request: a directory that has been replaced by
/// a link is an entry with `Errno.tooManySymbolicLinkLevels` or `Errno.notDirectory`. A file that
/// you open by the path of its entry has no such protection; those of a ``FileProcessor`` have.
///
/// A walk can be repeated, and reads the tree each time. In `async` code use ``entries``.
///
/// The corresponding C type is `weir_walk_t`.
public struct FileWalk: Sendable {
  /// The options of a walk, as the C flags.
  package struct Options: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    package static var followsSymbolicLinks: Options { Options(rawValue: 1) }
    package static var staysOnFileSystem: Options { Options(rawValue: 2) }
  }

  fileprivate let root: [UInt8]  // ends in NUL
  private let options: Options
  private let filters: [FileFilter]
  private let maximumDepth: Int

  /// Creates a walk. It reads no file yet.
  ///
  /// - Parameters:
  ///   - root: The root: a directory, or any other file, which is then the only entry. An empty
  ///     path is an entry with `Errno.noSuchFileOrDirectory`.
  ///   - followsSymbolicLinks: True to follow symbolic links. An entry then has the type of its
  ///     target. A link without a target has `Errno.noSuchFileOrDirectory`, a link to a directory
  ///     above it `Errno.tooManySymbolicLinkLevels`. A link as the root is always followed.
  ///   - staysOnFileSystem: True not to enter directories on another device than the root's.
  ///   - maximumDepth: The maximum depth, at least 1: the content of the root; `nil` for no limit.
  ///
  /// Blocks: no. The corresponding C function is `weir_walk_create_with`.
  public init(
    _ root: FilePath, followsSymbolicLinks: Bool = false, staysOnFileSystem: Bool = false,
    filters: [FileFilter] = [], maximumDepth: Int? = nil
  ) {
    var options = Options()
    if followsSymbolicLinks { options.insert(.followsSymbolicLinks) }
    if staysOnFileSystem { options.insert(.staysOnFileSystem) }
    self.init(terminated: terminated(root), options, filters, maximumDepth)
  }

  /// Creates a walk from a path as a string, which is normalized as a `FilePath` is. Blocks: no.
  /// The corresponding C function is `weir_walk_create_with`.
  public init(
    _ root: String, followsSymbolicLinks: Bool = false, staysOnFileSystem: Bool = false,
    filters: [FileFilter] = [], maximumDepth: Int? = nil
  ) {
    self.init(
      FilePath(root), followsSymbolicLinks: followsSymbolicLinks,
      staysOnFileSystem: staysOnFileSystem, filters: filters, maximumDepth: maximumDepth)
  }

  /// Creates a walk from a path with exact bytes, which begin the path of every entry; a NUL ends
  /// it.
  package init(
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

  /// Creates the C walk of an iterator.
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
  /// Returns an iterator, which blocks as the file system does. The corresponding C function is
  /// `weir_walk_create`.
  @available(*, noasync, message: "it reads directories; iterate over entries instead")
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// The iterator over the entries of a walk. Copies of it share the walk.
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

    /// Returns the next entry, or `nil` after the last one.
    ///
    /// - Complexity: O(*length*) of the path; for a directory of *m* names also O(*m* log *m*).
    ///
    /// Blocks: as the file system does. The corresponding C function is `weir_walk_next`.
    public mutating func next() -> Entry? {
      walk.next() ? Entry(copying: walk.entry) : nil
    }

    /// Skips the content of the last entry, if that is a directory. Blocks: no. The corresponding C
    /// function is `weir_walk_skip`.
    public mutating func skipContents() {
      walk.skip()
    }

    /// The number of entries that filters have skipped so far, without the content of directories.
    package var filteredCount: UInt64 { walk.filteredCount }
  }
}

/// A walk of the C library, with its current entry.
final class WalkHandle {
  private let handle: OpaquePointer?
  private let storage = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
  /// The error of a walk that could not be created; it becomes the only entry.
  private var failure: Int32?
  /// The path of that entry.
  private let root: UnsafeMutableBufferPointer<UInt8>

  init(_ walk: FileWalk) {
    handle = walk.start()
    // An empty name refers to no file.
    if handle == nil { failure = errno == EINVAL ? ENOENT : errno }
    root = .allocate(capacity: handle == nil ? walk.root.count : 0)
    if handle == nil { _ = root.initialize(fromContentsOf: walk.root) }
  }

  deinit {
    if let handle { weir_walk_destroy(handle) }
    storage.deallocate()
    root.deallocate()
  }

  /// The entry; valid after ``next()`` returned true, until the next call.
  var entry: weir_walk_entry_t { storage.pointee }

  func next() -> Bool {
    if let handle { return weir_walk_next(handle, storage) }
    guard let failure, let path = UnsafeRawPointer(root.baseAddress) else { return false }
    self.failure = nil
    let slash = UInt8(ascii: "/")
    let name = root.dropLast().lastIndex { $0 != slash }.map { root[..<$0] } ?? root[..<0]
    storage.initialize(
      to: weir_walk_entry_t(
        path: path.assumingMemoryBound(to: CChar.self), path_length: root.count - 1,
        name_offset: name.lastIndex(of: slash).map { $0 + 1 } ?? 0,
        depth: 0, type: WEIR_ENTRY_UNKNOWN, error: failure, directory: 0, inode: 0,
        reserved: (0, 0, 0, 0)))
    return true
  }

  func skip() {
    if let handle { weir_walk_skip(handle) }
  }

  var filteredCount: UInt64 { handle.map { weir_walk_filtered($0) } ?? 0 }
}
