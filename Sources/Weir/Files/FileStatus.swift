// What the system says of a file.

internal import CWeir
internal import Glibc

/// What the system says of a file.
///
///     let kept = try FileProcessor { (file) throws(Errno) in
///       let status = try file.pathStatus()
///       return status.type == .file && status.size > 1 << 20
///     }
///
/// The corresponding C type is `stat`.
public struct FileStatus: Sendable, Hashable {
  /// What it is; `.unknown` where nobody could look.
  public internal(set) var type: EntryType
  /// Its size in bytes; of what is no regular file whatever the system says.
  public internal(set) var size: UInt64
  /// When its content was last changed, as far as nobody has said otherwise.
  public internal(set) var modified: FileTime
  /// Its number on its device.
  public internal(set) var inode: UInt64
  /// The number of the device that it is on.
  public internal(set) var device: UInt64
  /// How many names it has.
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

extension EntryType {
  package init(mode: UInt32) {
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
