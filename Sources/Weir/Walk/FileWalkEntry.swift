// The entries of a walk.

package import CWeir
public import SystemPackage

extension FileWalk {
  /// An entry of a walk, as a copy that can be stored.
  ///
  ///     for entry in FileWalk("/srv") {
  ///       if let error = entry.error { print("\(entry.path): \(error)") }
  ///     }
  ///
  /// The corresponding C type is `weir_walk_entry_t`.
  public struct Entry: Sendable {
    /// The bytes of the path: the given root, a slash unless it ends in one, and the relative path.
    public let pathBytes: [UInt8]

    /// The depth: 0 for the root, 1 for its content.
    public let depth: Int

    /// The type; that of the target if links are followed.
    public let type: EntryType

    /// The error if the entry could not be read; `nil` otherwise.
    public let error: Errno?

    /// The inode number; that of the target for a followed link; 0 if it is not known.
    package let inode: UInt64

    private let nameStart: Int

    /// The path, as a copy. `FilePath` normalizes `a//b/` to `a/b`; ``pathBytes`` has the exact
    /// bytes.
    public var path: FilePath { pathBytes.withUnsafeBytes { FilePath(bytes: $0) } }

    /// The bytes of the name, which is the last component of the path.
    public var name: ArraySlice<UInt8> { pathBytes[nameStart...] }

    init(copying entry: weir_walk_entry_t) {
      pathBytes = Array(UnsafeRawBufferPointer(start: entry.path, count: entry.path_length))
      nameStart = entry.name_offset
      depth = entry.depth
      type = EntryType(entry.type)
      error = entry.error == 0 ? nil : Errno(rawValue: entry.error)
      inode = entry.inode
    }
  }

  /// The type of a directory entry. The corresponding C type is `weir_entry_type_t`.
  public enum EntryType: Sendable {
    /// A type that is not known, because the status could not be read.
    case unknown
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link that is not followed.
    case symbolicLink
    /// A FIFO, also called a named pipe.
    case fifo
    /// A socket.
    case socket
    /// A device that is read as a stream of bytes, such as a terminal.
    case characterDevice
    /// A device that is read in blocks, such as a disk.
    case blockDevice

    /// The types in the order of the C constants, which begin with 0.
    private static let all: [EntryType] = [
      .unknown, .file, .directory, .symbolicLink, .fifo, .socket, .characterDevice, .blockDevice,
    ]

    init(_ type: weir_entry_type_t) {
      let number = Int(type.rawValue)
      self = number < EntryType.all.count ? EntryType.all[number] : .unknown
    }

    /// The type as the C type.
    package var cType: weir_entry_type_t {
      weir_entry_type_t(UInt32(EntryType.all.firstIndex(of: self) ?? 0))
    }
  }
}

/// The former name of `FileWalk.EntryType`.
@available(*, deprecated, renamed: "FileWalk.EntryType")
public typealias EntryType = FileWalk.EntryType
