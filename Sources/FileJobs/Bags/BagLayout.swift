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

internal import SystemPackage
internal import Weir
internal import WeirLibC

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
  func prepare(until isCanceled: () -> Bool) throws {
    try examine()
    if !bag.isBag {
      let names = try Fault.of(bag.root, bag.names())
      let isDamaged = names.contains(Array("data".utf8)) && !names.contains(BagLayout.stageName)
      let manifests = names.compactMap(BagManifest.init)
      let evidence =
        (manifests.first(where: \.isTag) ?? manifests.first)?.name
        ?? names.first { [BagDirectory.info, BagDirectory.fetch].contains($0) }
      if isDamaged, let evidence {
        let fault: Message = "has \(evidence), but no bagit.txt"
        throw Fault(bag.root, .refused(fault + "; restore bagit.txt, or remove the other"))
      }
      try expectOwnStage()
      try make(stage.root)
      if !stage.exists(BagDirectory.declaration) {
        try make(stage.path(BagDirectory.payload))
        let text = BagDeclaration.text
        try Fault.of(stage.root, stage.write(text, to: BagDirectory.declaration))
      }
      if stage.exists(BagDirectory.payload) { try move(until: isCanceled) }
      try rename(stage.path(BagDirectory.declaration), BagDirectory.declaration)
      try Fault.of(bag.root, FileSync.writeBack(directory: bag.root))
    }
    removeTemporaries(in: bag)
    removeTemporaries(in: stage)
    _ = withPath(stage.root) { rmdir($0) }
    if !bag.exists(BagDirectory.payload) {
      throw Fault(
        bag.root, .refused("has bagit.txt, but no data; restore data, or remove bagit.txt"))
    }
  }

  /// Throws an error if a bag cannot hold a file of the directory.
  private func examine() throws(Fault) {
    let device = try Fault.of(bag.root, stat(of: bag.root)).st_dev
    let outputs = [FileDescriptor.standardOutput, .standardError]
      .compactMap { try? stat(of: $0) }.filter(\.isRegularFile).map { FileIdentity($0) }
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
      if entry.depth > 1 && outputs.isEmpty { continue }
      let status = try Fault.of(path, LongPath.status(path + [0], followsLinks: false))
      if outputs.contains(FileIdentity(status)) {
        let fault = "is the output of this run, and would differ from its digest"
        throw Fault(path, .refused("\(fault); choose a file outside the bag"))
      }
      if entry.depth == 1 && status.st_dev != device {
        throw Fault(path, .refused("is on another file system, and cannot be moved; unmount it"))
      }
    }
  }

  /// Throws an error if .weir-bag is the user's: its files would become data/, or no part of the bag.
  private func expectOwnStage() throws(Fault) {
    if !bag.exists(BagLayout.stageName) { return }
    let parts = [BagDirectory.declaration, Array("data".utf8)]
    let names = (try? stage.names()) ?? [[]]
    let hasOthers = names.contains { !parts.contains($0) && !isTemporary($0) }
    // The declaration is made after an empty payload.
    let isOwn =
      stage.exists(BagDirectory.declaration)
      ? (try? stage.text(BagDirectory.declaration)) == BagDeclaration.text
      : FileWalk(bytes: stage.path(BagDirectory.payload)).allSatisfy { $0.depth == 0 }
    if hasOthers || !isOwn {
      throw Fault(stage.root, .refused("is no directory that weir has made; rename it"))
    }
  }

  private func make(_ path: [UInt8]) throws(Fault) {
    if withPath(path, { mkdir($0, 0o777) }) != 0 && errno != EEXIST {
      throw Fault(path, .system(Errno(rawValue: errno)))
    }
  }

  private func move(until isCanceled: () -> Bool) throws {
    for name in try Fault.of(bag.root, bag.names()) where name != BagLayout.stageName {
      if isCanceled() { throw Errno.canceled }
      try rename(bag.path(name), BagLayout.stageName + [0x2F] + BagDirectory.payload + name)
    }
    try Fault.of(
      stage.root, FileSync.writeBack(directory: stage.path(BagDirectory.payload)))
    try rename(stage.path("data".utf8), Array("data".utf8))
  }

  /// Renames a file or directory to a new name in the bag, where the lock lets no other run of weir
  /// make one.
  private func rename(_ path: [UInt8], _ name: [UInt8]) throws(Fault) {
    let new = bag.path(name)
    if bag.exists(name) {
      throw Fault(path, .refused("is to become \(new), which exists; remove one of the two"))
    }
    let isDone = withPath(path) { from in withPath(new) { WeirLibC.rename(from, $0) == 0 } }
    if !isDone { throw Fault(path, .system(Errno(rawValue: errno))) }
  }

  /// Removes what a killed run left beside the files that it was to replace.
  private func removeTemporaries(in directory: BagDirectory) {
    for name in (try? directory.names()) ?? [] where isTemporary(name) {
      _ = withPath(directory.path(name)) { unlink($0) }
    }
  }

  /// Returns true for a name such as `manifest-sha512.txt.tmp.HOST.PID` of this host, with `.2` and
  /// so on after it perhaps.
  private func isTemporary(_ name: [UInt8]) -> Bool {
    guard let end = name.firstRange(of: Array(".tmp.".utf8)) else { return false }
    let host = Array("\(HostName.current).".utf8)
    let words = name[end.upperBound...].dropFirst(host.count).split(separator: UInt8(ascii: "."))
    guard name[end.upperBound...].starts(with: host), (1...2).contains(words.count),
      words.allSatisfy({ UInt64(decimal: $0) != nil })
    else { return false }
    let base = Array(name[..<end.lowerBound])
    return [BagDirectory.declaration, BagDirectory.info].contains(base) || BagManifest(base) != nil
  }
}
