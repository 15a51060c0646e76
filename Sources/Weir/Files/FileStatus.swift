// The status of a file: its type, size and times.
//
// DESIGN. FileStatus stays beside swift-system's `Stat`: it holds only the six fields that
// jobs use, is filled from the status that C has already read, compares times, and has the
// EntryType that a walk reports, with a case for "unknown". To read a status, the package
// uses `Stat`.

internal import CWeir
package import SystemPackage
internal import WeirLibC

/// The status of a file, as the system reports it.
///
///     let kept = try FileProcessor { file in
///       let status = try file.pathStatus()
///       return status.type == .file && status.size > 1 << 20
///     }
///
/// The corresponding C type is `stat`.
public struct FileStatus: Sendable, Hashable {
  /// The type; `.unknown` if the system reports none.
  public internal(set) var type: EntryType
  /// The size in bytes. For anything but a regular file, the value is what the
  /// system reports.
  public internal(set) var size: UInt64
  /// The time of the last change of the content. Programs can set it.
  public internal(set) var modified: FileTime
  /// The inode number, unique on the device.
  public internal(set) var inode: UInt64
  /// The number of the device that holds the file.
  public internal(set) var device: UInt64
  /// The number of hard links.
  public internal(set) var links: UInt64

  init(_ status: stat) {
    type = EntryType(mode: status.st_mode)
    size = UInt64(bitPattern: Int64(status.st_size))
    modified = FileTime(status.st_mtim)
    inode = UInt64(status.st_ino)
    device = UInt64(status.st_dev)
    links = UInt64(status.st_nlink)
  }
}

/// The type of a directory entry.
///
/// The corresponding C type is `weir_entry_type_t`.
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

  init(_ type: weir_entry_type_t) {
    self =
      switch type {
      case WEIR_ENTRY_FILE: .file
      case WEIR_ENTRY_DIRECTORY: .directory
      case WEIR_ENTRY_SYMLINK: .symbolicLink
      case WEIR_ENTRY_FIFO: .fifo
      case WEIR_ENTRY_SOCKET: .socket
      case WEIR_ENTRY_CHARACTER_DEVICE: .characterDevice
      case WEIR_ENTRY_BLOCK_DEVICE: .blockDevice
      default: .unknown
      }
  }

  /// The type in the mode of a status.
  var cType: weir_entry_type_t {
    switch self {
    case .file: WEIR_ENTRY_FILE
    case .directory: WEIR_ENTRY_DIRECTORY
    case .symbolicLink: WEIR_ENTRY_SYMLINK
    case .fifo: WEIR_ENTRY_FIFO
    case .socket: WEIR_ENTRY_SOCKET
    case .characterDevice: WEIR_ENTRY_CHARACTER_DEVICE
    case .blockDevice: WEIR_ENTRY_BLOCK_DEVICE
    case .unknown: WEIR_ENTRY_UNKNOWN
    }
  }

  package init(mode: CInterop.Mode) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .unknown
      }
  }
}

/// A time of a file: seconds since 1970 and a fraction of a second in nanoseconds.
///
///     let time = FileTime(seconds: 0, nanoseconds: 5)
///     print(time < FileTime(seconds: 1, nanoseconds: 0))
///
/// The corresponding C type is `timespec`.
public struct FileTime: Sendable, Hashable, Comparable {
  /// The whole seconds since the beginning of 1970; negative for an earlier time.
  public var seconds: Int64
  /// The fraction of the second, 0 to 999,999,999.
  public var nanoseconds: Int32

  /// Creates a time.
  ///
  /// - Parameters:
  ///   - seconds: The whole seconds since the beginning of 1970; negative for an
  ///     earlier time.
  ///   - nanoseconds: The fraction of the second that follows.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// Returns a Boolean value that indicates whether one time is before another.
  ///
  /// There is no corresponding C function.
  public static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
