// The sources of a file processor.

internal import CWeir
public import SystemPackage

/// A source for a ``FileProcessor``.
///
/// ``file(_:)-(FilePath)`` is one file, ``tree(_:)-(FilePath)`` a directory with its content, and
/// ``path(_:)-(FilePath)`` either. A path keeps its bytes: those of its files begin with them.
///
/// The corresponding C type is `weir_files_source_t`.
public struct FileSource: Sendable {
  enum Kind: Sendable {
    case path
    case file
    case descriptor(Int32)
    case list(Int32, separator: UInt8)
    case listFile(separator: UInt8)
    case items(@Sendable () -> FileItem?)
  }

  let kind: Kind
  /// Ends in NUL.
  let name: [UInt8]
  private var kept: StorageReaders?

  init(kind: Kind, name: [UInt8]) {
    self.kind = kind
    self.name = name
  }

  /// Returns the same source with the readers of its storage.
  package func on(_ storage: StorageReaders) -> FileSource {
    var source = self
    source.kept = storage
    return source
  }

  /// True for a source that refuses a directory.
  var isFile: Bool { if case .file = kind { true } else { false } }

  /// The storage of the source; `nil` if none was set.
  package var storage: StorageReaders? { kept }

  /// The descriptor of a source created by ``descriptor(_:name:)``; `nil` for any other source.
  package var openDescriptor: FileDescriptor? {
    if case .descriptor(let number) = kind { FileDescriptor(rawValue: number) } else { nil }
  }

  /// The bytes of the name or path of the source; empty for ``items(_:)``.
  package var nameBytes: [UInt8] { Array(name.dropLast()) }

  /// Returns a source for a file, or for a directory that is walked. The path is normalized as a
  /// `FilePath` is: `a//b/` becomes `a/b`. The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(_ path: FilePath) -> FileSource {
    FileSource(kind: .path, name: terminated(path))
  }

  /// Returns a source for a file, or for a directory that is walked, with the exact bytes of its
  /// path; a NUL ends it.
  ///
  ///     let paths = CommandLine.arguments.dropFirst().map { FileSource.path(bytes: $0.utf8) }
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(bytes: some Sequence<UInt8>) -> FileSource {
    FileSource(kind: .path, name: terminated(bytes))
  }

  /// Returns a source for a directory, which is walked. Any other file is the only file of its
  /// tree. The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func tree(_ path: FilePath) -> FileSource {
    .path(path)
  }

  /// Returns a source for a directory; otherwise like ``tree(_:)-(FilePath)``. The corresponding C
  /// constant is `WEIR_SOURCE_PATH`.
  public static func tree(_ path: String) -> FileSource {
    .path(FilePath(path))
  }

  /// Returns a source for one file. A directory fails with ``FileProcessorError/isDirectory``. The
  /// corresponding C constant is `WEIR_ITEM_FILE`.
  public static func file(_ path: FilePath) -> FileSource {
    FileSource(kind: .file, name: terminated(path))
  }

  /// Returns a source for one file; otherwise like ``file(_:)-(FilePath)``. The corresponding C
  /// constant is `WEIR_ITEM_FILE`.
  public static func file(_ path: String) -> FileSource {
    .file(FilePath(path))
  }

  /// Returns a source for the content of a descriptor of any kind, from its current offset to the
  /// end. The descriptor stays open during the run, and is not closed. The bytes of the name are
  /// shown for it. The corresponding C constant is `WEIR_SOURCE_DESCRIPTOR`.
  public static func descriptor(
    _ descriptor: FileDescriptor, name: some Sequence<UInt8>
  ) -> FileSource {
    FileSource(kind: .descriptor(descriptor.rawValue), name: terminated(name))
  }

  /// Returns a source for a list of names. Each name is read like a ``path(bytes:)``, in order, but
  /// a symbolic link to a directory is skipped unless ``FileProcessorOptions/followsSymbolicLinks``
  /// is set.
  ///
  /// An empty name fails with `Errno.noSuchFileOrDirectory`, a name that contains a NUL with
  /// `Errno.invalidArgument`. The list is read as names are needed, from the current offset of the
  /// descriptor to its end, so it may be larger than memory.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that stays open during the run, and is not closed.
  ///   - separator: The byte that ends each name; optional after the last name.
  ///   - name: The bytes of the list's own name. If the list cannot be read, a file of this name
  ///     fails.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_LIST`.
  public static func list(
    _ descriptor: FileDescriptor, separator: UInt8 = UInt8(ascii: "\n"),
    name: some Sequence<UInt8>
  ) -> FileSource {
    FileSource(
      kind: .list(descriptor.rawValue, separator: separator), name: terminated(name))
  }

  /// Returns a source for a list that is opened in its turn: of many lists, one is open at a time.
  /// A FIFO waits for its writer. If the list cannot be read, a file of this name fails.
  package static func list(
    bytes: some Sequence<UInt8>, separator: UInt8 = UInt8(ascii: "\n")
  ) -> FileSource {
    FileSource(kind: .listFile(separator: separator), name: terminated(bytes))
  }

  /// Returns a source for the items that a closure supplies.
  ///
  ///     import SystemPackage
  ///
  ///     let sizes = try FileProcessor { file in file.size }
  ///     let names = OwnedQueue<[FilePath]>(label: "names", context: ["/etc/hosts"])
  ///     let source = FileSource.items {
  ///       names.sync { names in names.popLast() }.map { name in FileItem(name) }
  ///     }
  ///     for try await file in sizes.results(of: source) { print(file.path, file.size) }
  ///
  /// - Parameter next: Called by one thread at a time, the thread that walks, until it returns
  ///   `nil`. Cancelling the run does not wake it.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_ITEMS`.
  public static func items(_ next: @escaping @Sendable () -> FileItem?) -> FileSource {
    FileSource(kind: .items(next), name: [0])
  }
}

/// The readers that suit a storage. All sources on one device share them; the order of delivery does
/// not change, and there are never more readers than lanes.
package struct StorageReaders: Sendable {
  fileprivate let device: UInt64
  fileprivate let maximum: Int?
  fileprivate let byInode: Bool

  /// Creates readers for a device: any number if `maximum` is `nil`.
  package init(device: UInt64, maximum: Int?, byInode: Bool) {
    self.device = device
    self.maximum = maximum
    self.byInode = byInode
  }
}

/// A closure that supplies the items of one run, in a reference that C can hold.
private final class FileItems {
  private let next: () -> FileItem?
  /// Keeps the memory of the item that C reads.
  private var last: FileItem?

  init(_ next: @escaping () -> FileItem?) {
    self.next = next
  }

  /// The pointer for C, which does not own the object.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The C function for the pointer.
  static let next:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<weir_files_item_t>) -> Bool = {
      context, place in
      guard let context else { fatalError("the file processor lost the closure of its items") }
      let items = Unmanaged<FileItems>.fromOpaque(context).takeUnretainedValue()
      items.last = items.next()
      guard let item = items.last else { return false }
      place.pointee = item.cItem
      return true
    }
}

extension Array where Element == FileSource {
  /// Calls `body` with the sources as C types.
  func withCSources<R>(
    storage: StorageReaders? = nil, _ body: (UnsafePointer<weir_files_source_t>, Int) -> R
  ) -> R {
    let items = map(\.items)
    return withCStrings(map(\.name)) { names in
      var sources = indices.map { index in
        self[index].cSource(names[index], self[index].storage ?? storage, items[index])
      }
      sources.append(weir_files_source_t())  // so that the array has an address
      return sources.withUnsafeBufferPointer { sources in
        guard let base = sources.baseAddress else { fatalError("the sources are gone") }
        return withExtendedLifetime(items) { body(base, count) }
      }
    }
  }
}

extension FileSource {
  /// The items of one run; `nil` for a source of another kind.
  fileprivate var items: FileItems? {
    switch kind {
    case .items(let next): return FileItems(next)
    case .file:
      var item: FileItem? = FileItem(path: nameBytes, isWalked: false)
      return FileItems { item.take() }
    default: return nil
    }
  }

  fileprivate func cSource(
    _ name: UnsafePointer<CChar>?, _ storage: StorageReaders?, _ items: FileItems?
  ) -> weir_files_source_t {
    var source = weir_files_source_t()
    source.path = name
    if let storage {
      source.readers = UInt32(clamping: storage.maximum ?? 0)
      source.device = storage.device
      if storage.byInode { source.flags = WEIR_SOURCE_BY_INODE.rawValue }
    }
    switch kind {
    case .path: source.kind = WEIR_SOURCE_PATH
    case .descriptor(let descriptor):
      source.kind = WEIR_SOURCE_DESCRIPTOR
      source.descriptor = descriptor
    case .list(let descriptor, let separator):
      source.kind = WEIR_SOURCE_LIST
      source.descriptor = descriptor
      source.separator = Int32(separator)
    case .listFile(let separator):
      source.kind = WEIR_SOURCE_LIST_FILE
      source.separator = Int32(separator)
    case .items, .file:
      source.kind = WEIR_SOURCE_ITEMS
      source.next = FileItems.next
      source.context = items?.context
    }
    return source
  }
}
