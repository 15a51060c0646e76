// The status of a file: its type, size and times.
//
// DESIGN. FileStatus stays beside swift-system's `Stat`: it holds only the fields that jobs use, is
// filled from the status that C has already read, and has the FileWalk.EntryType of a walk. To read
// a status, the package uses `Stat`.

package import SystemPackage
package import Weir
package import WeirLibC

/// The status of a file, as the system reports it.
///
/// The corresponding C type is `stat`.
package struct FileStatus: Sendable, Hashable {
  /// The type; `.unknown` if the system reports none.
  package let type: FileWalk.EntryType
  /// The size in bytes; for anything but a regular file as the system reports it.
  package let size: UInt64
  /// The time of the last change of the content. Programs can set it.
  package let modified: FileTime
  package let inode: UInt64
  package let device: UInt64
  package let links: UInt64
  /// The owner and the permissions.
  package let rights: FileRights

  var file: FileIdentity { FileIdentity(device: device, inode: inode) }

  package init(_ status: stat) {
    type = FileWalk.EntryType(mode: status.st_mode)
    size = UInt64(bitPattern: Int64(status.st_size))
    modified = FileTime(status.st_mtim)
    inode = UInt64(status.st_ino)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    links = UInt64(status.st_nlink)
    rights = FileRights(
      mode: UInt32(status.st_mode) & 0o7777, user: status.st_uid, group: status.st_gid)
  }
}

/// The owner and the permissions of a file.
package struct FileRights: Sendable, Hashable {
  /// The twelve bits of permissions.
  package var mode: UInt32
  package var user: UInt32
  package var group: UInt32
}

/// A time of a file: seconds since 1970 and a fraction of a second in nanoseconds.
///
/// The corresponding C type is `timespec`.
package struct FileTime: BitwiseCopyable, Sendable, Hashable, Comparable {
  /// The whole seconds since the beginning of 1970; negative for an earlier time.
  package var seconds: Int64
  /// The fraction of the second, 0 to 999,999,999.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension FileWalk.EntryType {
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
