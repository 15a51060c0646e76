// What no walk of a run is to find.
//
// DESIGN. The file processor passes over what it has opened and knows for its own
// output. A run opens nothing: a walk would hand the log to a command, and gzip would
// replace it. So the walk asks here, and what the directory says of a file decides
// for nearly all of them.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What this process writes, which no walk is to find.
struct OwnOutput {
  private var files: [FileIdentity] = []

  /// What these descriptors are open on, as far as it is files.
  init(_ descriptors: [FileDescriptor] = []) {
    for descriptor in descriptors {
      var status = stat()
      if fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        files.append(FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
      }
    }
  }

  /// Whether a walk has come upon one of them. The walk has its number in its
  /// directory, so that hardly any file is looked at for this.
  func contains(_ entry: FileWalk.Entry) -> Bool {
    guard files.contains(where: { entry.inode == 0 || $0.inode == entry.inode }) else {
      return false
    }
    guard let status = try? LongPath.status(entry.pathBytes + [0], followsLinks: true) else {
      return false
    }
    return files.contains(
      FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
  }
}
