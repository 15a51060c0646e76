// What a file processor is to read.

internal import CWeir
public import SystemPackage

/// Something for a ``FileProcessor`` to read: a file, a tree, what comes out of
/// a descriptor, the names of a list, or items that a closure gives.
///
/// A path is kept as the bytes it was given as. They come out again in
/// ``OpenFile/path`` and ``FileResult/path``, followed by the way from there
/// where a tree was walked.
///
/// The corresponding C type is `weir_files_source_t`.
public struct FileSource: Sendable {
  enum Kind: Sendable {
    case path
    case descriptor(Int32)
    case list(Int32, separator: UInt8)
    case listFile(separator: UInt8)
    case items(FileItems)
  }

  let kind: Kind
  /// Ends in NUL.
  let name: [UInt8]
  private var kept: Storage?

  init(kind: Kind, name: [UInt8]) {
    self.kind = kind
    self.name = name
  }

  /// The same, to be read as is good for what it lies on: by so many readers,
  /// those of other sources on the same disk included, and in the order of the
  /// inodes where that is of use. Files are delivered in their own order all the
  /// same, and readers are not more than there are lanes.
  ///
  ///     let source = FileSource.tree("/srv").on(try Storage(of: "/srv"))
  ///
  /// - Parameter storage: What ``Storage/init(of:)-(FilePath)`` says, or that with
  ///   other readers.
  ///
  /// There is no corresponding C function: C has `readers`, `flags` and `device`
  /// in `weir_files_source_t`.
  public func on(_ storage: Storage) -> FileSource {
    var source = self
    source.kept = storage
    return source
  }

  /// What it was said to lie on; `nil` where nothing was said.
  ///
  ///     let source = FileSource.tree("/srv").on(try Storage(of: "/srv"))
  ///     print(source.storage?.fileSystem ?? "not known")
  ///
  /// There is no corresponding C function.
  public var storage: Storage? { kept }

  /// The descriptor that is read, of a source that was made by ``descriptor(_:name:)``;
  /// `nil` for every other one.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// There is no corresponding C function: it is a field of `weir_files_source_t`.
  public var openDescriptor: FileDescriptor? {
    if case .descriptor(let number) = kind { FileDescriptor(rawValue: number) } else { nil }
  }

  /// The bytes of the name or path that it was made with; empty for
  /// ``items(_:)``.
  ///
  /// - Complexity: O(*n*) in bytes. Blocks: no.
  ///
  /// There is no corresponding C function: it is a field of `weir_files_source_t`.
  public var nameBytes: [UInt8] { Array(name.dropLast()) }

  /// A file, or a directory that is walked.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(_ path: FilePath) -> FileSource {
    FileSource(kind: .path, name: terminated(path))
  }

  /// A file or directory, by the very bytes of its path: `FilePath` writes
  /// `a//b/` as `a/b`.
  ///
  /// - Parameter bytes: Any bytes but NUL, at which the path ends.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(bytes: some Sequence<UInt8>) -> FileSource {
    FileSource(kind: .path, name: terminated(bytes))
  }

  /// A tree: the same as a path, for reading aloud.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func tree(_ path: FilePath) -> FileSource {
    .path(path)
  }

  /// What comes out of a descriptor of any kind, from where it stands to its
  /// end. It is not closed.
  ///
  /// - Parameters:
  ///   - descriptor: Has to stay open during the run.
  ///   - name: The name to show for it, as bytes.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_DESCRIPTOR`.
  public static func descriptor(
    _ descriptor: FileDescriptor, name: some Sequence<UInt8>
  ) -> FileSource {
    FileSource(kind: .descriptor(descriptor.rawValue), name: terminated(name))
  }

  /// The names in a list: what they name is read as if it had been given as a
  /// ``path(bytes:)``, one after the other.
  ///
  /// An empty name fails with `Errno.noSuchFileOrDirectory`, one with a NUL in it
  /// with `Errno.invalidArgument`. The list is read as its names are needed, from
  /// where the descriptor stands to its end, so it may be longer than memory; what
  /// was listed does not wait for what is not there yet.
  ///
  /// - Parameters:
  ///   - descriptor: Has to stay open during the run; it is not closed.
  ///   - separator: What ends each name; the last one may lack it.
  ///   - name: The list's own name, as bytes: a file of that name fails where the
  ///     list cannot be read.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_LIST`.
  public static func list(
    _ descriptor: FileDescriptor, separator: UInt8 = UInt8(ascii: "\n"),
    name: some Sequence<UInt8>
  ) -> FileSource {
    FileSource(
      kind: .list(descriptor.rawValue, separator: separator), name: terminated(name))
  }

  /// The names in a list, which is opened when its turn comes and closed behind
  /// its last name: of many lists one is open at a time.
  ///
  /// Else it is as ``list(_:separator:name:)``. A FIFO waits for its writer.
  ///
  /// - Parameters:
  ///   - bytes: The list's path; any bytes but NUL, at which it ends. A file of
  ///     that name fails where the list cannot be opened or read.
  ///   - separator: What ends each name; the last one may lack it.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_LIST_FILE`.
  public static func list(
    bytes: some Sequence<UInt8>, separator: UInt8 = UInt8(ascii: "\n")
  ) -> FileSource {
    FileSource(kind: .listFile(separator: separator), name: terminated(bytes))
  }

  /// What a closure gives, one after the other.
  ///
  ///     let sizes = try FileProcessor { (file) throws(Errno) in file.size }
  ///     let names = OwnedQueue<[StaticString]>(label: "names", context: ["/etc/hosts"])
  ///     let source = FileSource.items {
  ///       names.sync { names in names.popLast() }.map { name in
  ///         FileItem(
  ///           path: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  ///       }
  ///     }
  ///     try sizes.run([source]) { batch in print(batch.count) }
  ///
  /// - Parameter next: Called by one thread at a time, that which walks; `nil` ends
  ///   the source, and it is not called again in this run. Cancelling the run does
  ///   not wake it.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_ITEMS`.
  public static func items(_ next: @escaping @Sendable () -> FileItem?) -> FileSource {
    FileSource(kind: .items(FileItems(next)), name: [0])
  }
}

/// A closure that gives items, behind a reference that C can hold. The source
/// keeps it alive, and the run the source.
final class FileItems: Sendable {
  private let next: @Sendable () -> FileItem?

  init(_ next: @escaping @Sendable () -> FileItem?) {
    self.next = next
  }

  /// Lent to C.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The function that goes with it.
  static let next:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<weir_files_item_t>) -> Bool = {
      context, place in
      guard let context else { fatalError("the file processor lost the closure of its items") }
      let items = Unmanaged<FileItems>.fromOpaque(context).takeUnretainedValue()
      guard let item = items.next() else { return false }
      place.pointee = item.cItem
      return true
    }
}

extension Array where Element == FileSource {
  /// Calls `body` with the sources as C has them.
  func withCSources<R>(
    storage: Storage? = nil, _ body: (UnsafePointer<weir_files_source_t>, Int) -> R
  ) -> R {
    // All names in one buffer, so that one pointer keeps them all alive.
    var names: [UInt8] = []
    var offsets: [Int] = []
    for source in self {
      offsets.append(names.count)
      names.append(contentsOf: source.name)
    }
    names.append(0)  // so that there is a first one
    return names.withUnsafeBytes { names in
      let sources = zip(self, offsets).map { source, offset in
        source.cSource(at: names, offset: offset, storage: source.storage ?? storage)
      }
      return sources.withUnsafeBufferPointer { sources in
        guard let base = sources.baseAddress else {
          let none = FileSource(kind: .path, name: [])
          return body([none.cSource(at: names, offset: 0, storage: nil)], 0)
        }
        return body(base, sources.count)
      }
    }
  }
}

extension FileSource {
  fileprivate func cSource(
    at names: UnsafeRawBufferPointer, offset: Int, storage: Storage?
  ) -> weir_files_source_t {
    guard let start = names.baseAddress else { fatalError("the names of the sources are gone") }
    let path = (start + offset).assumingMemoryBound(to: CChar.self)
    var source = weir_files_source_t()
    source.path = path
    if let storage {
      source.readers = UInt32(clamping: storage.readers ?? 0)
      source.device = storage.device
      if storage.readsByInode { source.flags = WEIR_SOURCE_BY_INODE.rawValue }
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
    case .items(let items):
      source.kind = WEIR_SOURCE_ITEMS
      source.next = FileItems.next
      source.context = items.context
    }
    return source
  }
}
