internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The files that no walk of a run may find, since this process writes them.
///
/// DESIGN. The file processor skips its own output when it has opened it. `weir run` opens nothing:
/// a walk would give the log to a command, and gzip would replace it.
struct ExcludedFiles {
  private var files: [FileIdentity] = []
  /// A file that may be created during the walk.
  private let future: [UInt8]?

  /// The regular files among those that the descriptors are open on, and one that has no descriptor
  /// yet.
  init(_ descriptors: [FileDescriptor] = [], besides future: [UInt8]? = nil) {
    self.future = future
    for descriptor in descriptors {
      if let status = try? stat(of: descriptor), status.isRegularFile {
        files.append(FileIdentity(status))
      }
    }
  }

  /// Returns true if a walk has found one of the files. The walk knows the inode from the
  /// directory, so that hardly any file needs a stat.
  func contains(_ entry: FileWalk.Entry) -> Bool {
    let future = future.flatMap { entry.pathBytes.lastComponent == $0.lastComponent ? $0 : nil }
    guard
      future != nil
        || files.contains(where: { entry.inode == 0 || $0.inode == entry.inode }),
      let status = try? LongPath.status(entry.pathBytes + [0], followsLinks: true)
    else { return false }
    let other = future.flatMap { try? stat(of: $0) }.map { FileIdentity($0) }
    return other == FileIdentity(status) || files.contains(FileIdentity(status))
  }
}
