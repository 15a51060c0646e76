// The move of a directory's content to data/, the payload of a bag.
//
// DESIGN. Only renames move the content, so nothing is ever there twice or in part, and each place
// where a kill can stop the move tells where to continue. The new layout is made in .weir-bag/:
//
//   1. .weir-bag/data/ and then .weir-bag/bagit.txt are made; the order tells a beginning from an end.
//   2. Each name of the directory is moved to .weir-bag/data/. What is there is the payload.
//   3. .weir-bag/data/ becomes data/, and then .weir-bag/bagit.txt becomes bagit.txt.
//
// Only the last rename makes a bag of the directory. Before it, the same command continues, and
// a check says that there is no bag. (Rejected: to move the names to data/ itself. The
// directory may have a data/ of its own, and after a kill nobody could tell the two apart.)

internal import CFileKernels
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The layout of a directory that is to be a bag.
struct BagLayout {
  let bag: BagDirectory
  private let stage: BagDirectory

  private static let stageName = Array(".weir-bag".utf8)

  init(_ bag: BagDirectory) {
    self.bag = bag
    stage = BagDirectory(bag.path(BagLayout.stageName))
  }

  /// Makes a bag without manifests, or continues to, unless the directory is a bag. Examines all
  /// names before it moves one.
  func prepare(until isCanceled: () -> Bool) throws(Fault) {
    try examine()
    if !bag.isBag {
      try makeStage()
      if stage.exists(BagDirectory.payload) { try move(until: isCanceled) }
      if !bag.isBag { try rename(stage.path(BagDirectory.declaration), BagDirectory.declaration) }
      try Fault.attributing(to: bag.root) { () throws(Errno) in
        try FileSync.writeBack(directory: bag.root)
      }
    }
    removeTemporaries(in: bag)
    removeTemporaries(in: stage)
    _ = withPath(stage.root) { rmdir($0) }
    if !bag.exists(BagDirectory.payload) {
      throw Fault(
        bag.root, .refused("has bagit.txt, but no data; restore data, or remove bagit.txt"))
    }
  }

  // MARK: Names

  /// Throws an error if a bag cannot hold a file of the directory.
  private func examine() throws(Fault) {
    let device = try Fault.of(bag.root, stat(of: bag.root)).st_dev
    for entry in FileWalk(bytes: bag.root) where entry.depth > 0 {
      let path = entry.pathBytes
      if let error = entry.error { throw Fault(path, .system(error)) }
      if !entry.name.withUnsafeBytes({ JSONName.isUTF8($0) }) {
        throw Fault(path, .refused("has a name that is not UTF-8; rename it"))
      }
      if entry.type != .file && entry.type != .directory {
        let kind = entry.type == .symbolicLink ? "a symbolic link" : "not a regular file"
        throw Fault(path, .refused("is \(kind), which a bag does not keep; replace or remove it"))
      }
      if entry.depth > 1 { continue }
      let other = try Fault.of(path, stat(of: path, followsLinks: false)).st_dev
      if other != device {
        throw Fault(path, .refused("is on another file system, and cannot be moved; unmount it"))
      }
    }
  }

  // MARK: The move

  private func makeStage() throws(Fault) {
    try make(stage.root)
    if stage.exists(BagDirectory.declaration) { return }
    try make(stage.path(BagDirectory.payload))
    try Fault.attributing(to: stage.root) { () throws(Errno) in
      try BagFile.write(BagDeclaration.text, to: BagDirectory.declaration, in: stage)
    }
  }

  private func make(_ path: [UInt8]) throws(Fault) {
    if withPath(path, { mkdir($0, 0o777) }) != 0 && errno != EEXIST {
      throw Fault(path, .system(Errno(rawValue: errno)))
    }
  }

  private func move(until isCanceled: () -> Bool) throws(Fault) {
    for name in try Fault.of(bag.root, bag.names()) where name != BagLayout.stageName {
      if isCanceled() { throw Fault(bag.root, .system(.canceled)) }
      try rename(bag.path(name), BagLayout.stageName + [0x2F] + BagDirectory.payload + name)
    }
    try Fault.attributing(to: stage.root) { () throws(Errno) in
      try FileSync.writeBack(directory: stage.path(BagDirectory.payload))
    }
    try rename(stage.path("data"), Array("data".utf8))
  }

  /// Renames a file or directory to a new name in the bag.
  private func rename(_ path: [UInt8], _ name: [UInt8]) throws(Fault) {
    let new = bag.path(name)
    var error = withPath(path) { from in withPath(new) { kernel_rename_new(from, $0) } }
    if error == EINVAL || error == ENOSYS {
      // A file system that cannot refuse to replace.
      let isFree = (try? stat(of: new, followsLinks: false)) == nil
      error =
        isFree
        ? withPath(path) { from in withPath(new) { WeirLibC.rename(from, $0) == 0 ? 0 : errno } }
        : EEXIST
    }
    if error == EEXIST {
      throw Fault(path, .refused("is to become \(name: new), which exists; remove one of the two"))
    }
    if error != 0 { throw Fault(path, .system(Errno(rawValue: error))) }
  }

  /// Removes what a killed run left beside the files that it was to replace.
  private func removeTemporaries(in directory: BagDirectory) {
    for name in (try? directory.names()) ?? [] where BagFile.isTemporary(name) {
      _ = withPath(directory.path(name)) { unlink($0) }
    }
  }
}

/// The files that Weir writes into a bag.
enum BagFile {
  /// Replaces a tag file, which keeps its owner and its mode.
  static func write(
    _ text: [UInt8], to name: [UInt8], in bag: BagDirectory
  ) throws(Errno) {
    let file = try ReplacingFile(bag.path(name))
    do throws(Errno) {
      try file.descriptor.write(all: text)
      try replace(file, name, in: bag)
    } catch {
      file.discard()
      throw error
    }
  }

  static func replace(
    _ file: ReplacingFile, _ name: [UInt8], in bag: BagDirectory
  ) throws(Errno) {
    if let before = try? stat(of: bag.path(name)) { file.descriptor.copyOwnership(of: before) }
    try file.replace()
  }

  /// Returns true for a name such as `manifest-sha512.txt.tmp.HOST.PID`.
  static func isTemporary(_ name: [UInt8]) -> Bool {
    let middle = Array(".tmp.".utf8)
    guard let end = name.indices.first(where: { name[$0...].starts(with: middle) }) else {
      return false
    }
    let base = Array(name[..<end])
    return base == BagDirectory.declaration || base == BagDirectory.info
      || (try? BagManifest(base)).flatMap(\.self) != nil
  }
}
