// What is known of a file that is open.

#if Tool
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// What is recorded of a file beside its content.
  struct FileStatus {
    /// `nil` where it has none that mtree(5) knows, as a pipe that was given as a
    /// descriptor.
    var type: EntryType?
    /// Of a regular file.
    var size: UInt64?
    /// When it was changed, of a regular file.
    var time: FileTime?
  }

  extension OpenFile {
    func fileStatus() throws(Errno) -> FileStatus {
      var status = stat()
      guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      let size = UInt64(max(0, status.st_size))
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        let time = FileTime(
          seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
        return FileStatus(type: .file, size: size, time: time)
      case S_IFBLK: return FileStatus(type: .blockDevice)
      default: return FileStatus()
      }
    }
  }
#endif
