internal import CWeir
package import SystemPackage
package import Weir
internal import WeirLibC

/// The storage of a file or directory, as far as known, with the number of readers that suits it.
///
/// A rotating disk reads one file at a time, in disk order, many times faster than several at
/// once. A network server answers with a delay, so many requests should be in progress.
///
/// The corresponding C type is `weir_storage_t`.
package struct Storage: Sendable {
  /// The kinds of storage, as in `weir_storage_kind_t`.
  package enum Kind: Sendable {
    /// An unknown kind, such as a disk of a virtual machine.
    case unknown
    /// A rotating disk, or an array that contains one.
    case rotating
    case solid
    /// A file server, or a similar service.
    case network
    case memory
  }

  package let kind: Kind
  /// The file system, such as `ext4` or `NFS`; the number of its type if it has no known name.
  package let fileSystem: String
  /// The disk, such as `sda`; of several disks the one that decided the kind; `nil` if none is
  /// known.
  package let disk: String?
  /// The source of the information, in words.
  package let evidence: String
  /// The number of files to read at once; `nil` for as many as there are lanes.
  /// Setting it also sets ``maximumReaders``.
  package var readers: Int? {
    didSet { maximumReaders = readers }
  }
  /// The number of files to read at once at most, while the storage makes its readers wait; `nil`
  /// for as many as there are lanes.
  package var maximumReaders: Int?
  /// True if files are best read in the order of their inodes.
  package var readsByInode: Bool
  /// The device number, equal for everything on the same disk.
  let device: UInt64

  /// Creates a description of the storage of an open file.
  ///
  /// - Parameter descriptor: A descriptor of a file or directory. For a directory, the storage of
  ///   the directory itself, not of file systems mounted below it.
  /// - Throws: The errors of `fstatfs(2)` and `fstat(2)`.
  ///
  /// Blocks: as these do, for the file system.
  ///
  /// The corresponding C function is `weir_storage_of`.
  package init(of descriptor: FileDescriptor) throws(Errno) {
    var found = weir_storage_t()
    let error = weir_storage_of(descriptor.rawValue, &found, MemoryLayout.size(ofValue: found))
    if error != 0 { throw Errno(rawValue: error) }
    self.init(found)
  }

  /// Creates a description of the storage of a path, whose file is not read; a NUL ends it. Throws
  /// the errors of `open(2)`, `fstatfs(2)` and `fstat(2)`.
  ///
  /// Blocks: as these do, for the file system. The corresponding C function is `weir_storage_of`.
  @available(*, noasync, message: "it asks the file system")
  package init(bytes: some Sequence<UInt8>) throws(Errno) {
    let descriptor = try openFile(Array(bytes.prefix { $0 != 0 }), openPathOnly)
    defer { close(descriptor.rawValue) }
    try self.init(of: descriptor)
  }

  package var forReading: StorageReaders {
    StorageReaders(device: device, maximum: maximumReaders, byInode: readsByInode)
  }

  private init(_ found: weir_storage_t) {
    kind = Kind(found.kind)
    fileSystem = Storage.text(found.file_system)
    let disk = Storage.text(found.disk)
    self.disk = disk.isEmpty ? nil : disk
    evidence = Storage.text(found.evidence)
    readers = Int(clamping: found.readers)
    maximumReaders = Int(clamping: found.readers_max)
    readsByInode = found.by_inode
    device = found.device
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension Storage.Kind {
  init(_ kind: weir_storage_kind_t) {
    self =
      switch kind {
      case WEIR_STORAGE_ROTATING: .rotating
      case WEIR_STORAGE_SOLID: .solid
      case WEIR_STORAGE_NETWORK: .network
      case WEIR_STORAGE_MEMORY: .memory
      default: .unknown
      }
  }
}
