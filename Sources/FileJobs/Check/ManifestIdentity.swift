// The content of a manifest that several runs read, each for itself.

internal import WeirLibC
package import SystemPackage
internal import Weir

/// The SHA-256 of a manifest, and the means to tell whether the file is still the same.
package struct ManifestIdentity {
  package let sha256: String
  package let path: [UInt8]
  private let directory: Int32
  private let before: stat

  /// Reads a manifest.
  package init(_ path: [UInt8], from directory: FileDescriptor) throws(Errno) {
    self.path = path
    self.directory = directory.rawValue
    let file = try CheckManifest.open(path, from: directory.rawValue)
    do throws(Errno) {
      before = try stat(of: file)
      if before.st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
      if !before.isRegularFile { throw .invalidArgument }
      let digest = try Digest(.sha256)
      try digest.begin()
      var offset = 0
      while true {
        let piece = try file.bytes(at: offset, count: ManifestIdentity.pieceSize)
        if piece.isEmpty { break }
        offset += piece.count
        try digest.update(piece)
      }
      try digest.finish()
      sha256 = digest.hexadecimal
    } catch {
      try? file.close()
      throw error
    }
    try? file.close()
  }

  private static let pieceSize = 1 << 18

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
