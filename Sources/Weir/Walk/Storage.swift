// What files lie on.

internal import CWeir
internal import Glibc
public import SystemPackage

/// What a file or directory lies on, by what that is known, and how many readers
/// that is good for.
///
///     var options = FileProcessorOptions()
///     let storage = try Storage(of: "/srv")
///     options.jobs = storage.readers
///     let sizes = try FileProcessor(options) { (file) throws(Errno) in file.size }
///     for try await file in sizes.results(of: .tree("/srv").on(storage)) {
///       print(file.value ?? 0, file.path)
///     }
///
/// A disk that turns reads one file at a time, in the order in which they lie on
/// it, many times faster than several at once; a server is waited for, and wants
/// many requests under way.
///
/// The corresponding C type is `weir_storage_t`.
public struct Storage: Sendable {
  /// Kinds of storage.
  ///
  /// The corresponding C type is `weir_storage_kind_t`.
  public enum Kind: Sendable {
    /// Nobody says; a disk of a virtual machine too.
    case unknown
    /// A disk that turns, or an array with one in it.
    case rotating
    /// Solid state.
    case solid
    /// A server of files, or something like one.
    case network
    /// The memory of this machine.
    case memory
  }

  /// Of which kind it is.
  public let kind: Kind
  /// The file system, `ext4` or `NFS`; the number of its type where that is all
  /// there is.
  public let fileSystem: String
  /// The disk, `sda`; of several the one that decided; `nil` where none is known.
  public let disk: String?
  /// What it was known by, in words.
  public let evidence: String
  /// How many files to read from it at once; `nil` for as many as there are lanes.
  public var readers: Int?
  /// Whether to read them in the order of their inodes.
  public var readsByInode: Bool
  /// The same for all that shares the disk.
  let device: UInt64

  /// What a descriptor is open on lies on.
  ///
  /// - Parameter descriptor: Of a file or a directory. Of a directory that itself
  ///   is meant, not what is mounted below.
  /// - Throws: What `fstatfs(2)` and `fstat(2)` said.
  ///
  /// Blocks: as these do, for the file system.
  ///
  /// The corresponding C function is `weir_storage_of`.
  public init(of descriptor: FileDescriptor) throws(Errno) {
    var found = weir_storage_t()
    let error = weir_storage_of(
      descriptor.rawValue, &found, MemoryLayout.size(ofValue: found))
    if error != 0 { throw Errno(rawValue: error) }
    self.init(found)
  }

  /// What a path leads to lies on.
  ///
  /// - Parameter path: Of a file or a directory, which is not read.
  /// - Throws: What `open(2)`, `fstatfs(2)` and `fstat(2)` said.
  ///
  /// Blocks: as these do, for the file system.
  ///
  /// The corresponding C function is `weir_storage_of`.
  public init(of path: FilePath) throws(Errno) {
    try self.init(terminated: terminated(path))
  }

  /// What a path leads to lies on, by its very bytes.
  ///
  /// - Parameter bytes: Any bytes but NUL, at which the path ends.
  /// - Throws: What `open(2)`, `fstatfs(2)` and `fstat(2)` said.
  ///
  /// Blocks: as these do, for the file system.
  ///
  /// The corresponding C function is `weir_storage_of`.
  public init(bytes: some Sequence<UInt8>) throws(Errno) {
    try self.init(terminated: terminated(bytes))
  }

  private init(terminated path: [UInt8]) throws(Errno) {
    // O_PATH, which Glibc does not offer: nothing is opened but a way to ask.
    let flags = O_CLOEXEC | 0o10_000_000
    let descriptor = path.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        name.baseAddress.map { open($0, flags) } ?? -1
      }
    }
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    try self.init(of: FileDescriptor(rawValue: descriptor))
  }

  private init(_ found: weir_storage_t) {
    kind = Kind(found.kind)
    fileSystem = Storage.text(found.file_system)
    let disk = Storage.text(found.disk)
    self.disk = disk.isEmpty ? nil : disk
    evidence = Storage.text(found.evidence)
    readers = Int(clamping: found.readers)
    readsByInode = found.by_inode
    device = found.device
  }

  /// What a field of C's holds, up to its NUL.
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
