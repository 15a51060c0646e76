internal import WeirLibC
package import SystemPackage

/// The SHA-256 of a manifest, and the means to tell whether the file is still the same.
package struct ManifestIdentity {
  package let sha256: String
  package let path: [UInt8]
  private let directory: Int32
  private let before: stat

  package init(_ path: [UInt8], from directory: FileDescriptor) throws(Errno) {
    self.path = path
    self.directory = directory.rawValue
    let file = try CheckManifest.open(path, from: directory.rawValue)
    defer { try? file.close() }
    before = try stat(of: file)
    if before.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
    if !before.isRegularFile { throw .invalidArgument }
    sha256 = try Digest.hexadecimal([.sha256], of: file)[0]
  }

  /// True unless the file has changed since it was read.
  package var isCurrent: Bool {
    var now = stat()
    let directory = directory
    guard withPath(path, { fstatat(directory, $0, &now, 0) }) == 0 else { return false }
    return FileIdentity(now) == FileIdentity(before) && now.st_size == before.st_size
      && now.st_mtim.tv_sec == before.st_mtim.tv_sec
      && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
      && now.st_ctim.tv_sec == before.st_ctim.tv_sec
      && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec
  }
}
