// The manifests of a bag, written anew beside those that it has.
//
// DESIGN. Several files cannot be replaced at once, so their order decides what a kill leaves. The
// manifests of tag files, which have the digests of all others, are removed first and written last:
// a bag that has them is complete, so that a file that differs from them is damaged and never the
// trace of a kill. Between come the manifests of the payload, then bag-info.txt. Files that are equal
// are not replaced.

internal import SystemPackage
internal import WeirLibC

/// The new manifests of a bag, and the comparison with the old ones.
///
/// @unchecked Sendable: the thread that delivers adds the payload while the one that runs the job waits.
final class BagWriter: @unchecked Sendable {
  private let bag: BagDirectory
  private let algorithms: [DigestAlgorithm]
  private let table: BagTable
  private var comparison: BagComparison
  private var files: [ReplacingFile] = []
  private let writers: [BufferedWriter]
  private var payload: (bytes: UInt64, files: UInt64) = (0, 0)
  /// The removed manifests of tag files, whose owner and mode the new ones get.
  private var removed: [[UInt8]: stat] = [:]
  private var hasChanged: Bool {
    comparison.hasChanged || comparison.manifestCount < algorithms.count
  }

  init(
    _ bag: BagDirectory, _ table: BagTable, _ algorithms: [DigestAlgorithm],
    _ receive: @escaping ([UInt8], BagChange) throws -> Void
  ) throws(Fault) {
    (self.bag, self.table, self.algorithms) = (bag, table, algorithms)
    comparison = BagComparison(table, algorithms, isTag: false, receive)
    for algorithm in algorithms {
      let path = bag.path(table.name(of: algorithm, isTag: false))
      do throws(Errno) {
        files.append(try ReplacingFile(path))
      } catch {
        files.forEach { $0.discard() }
        throw Fault(bag.root, .system(error))
      }
    }
    writers = files.map { BufferedWriter($0.descriptor) }
  }

  /// Removes the files that have not got their names.
  func discard() { files.forEach { $0.discard() } }

  // MARK: Payload

  /// Takes a payload file with its size and its digests, in the order of the walk.
  func add(_ name: UnsafeRawBufferPointer, _ output: UnsafeRawBufferPointer) throws {
    payload = (payload.bytes &+ output.littleEndian(at: 0), payload.files + 1)
    var digests: [String] = []
    var begin = MemoryLayout<UInt64>.size
    for (algorithm, writer) in zip(algorithms, writers) {
      let digest = hexadecimal(output[begin..<begin + algorithm.byteCount].rebased)
      begin += algorithm.byteCount
      digests.append(digest)
      try writer.append(line(digest, name))
    }
    try comparison.add(name, digests)
  }

  private func line(_ digest: String, _ name: some Sequence<UInt8>) -> [UInt8] {
    let encoded = BagName.encoded(name, isOld: table.declaration.isOld)
    return Array(digest.utf8) + "  ".utf8 + encoded + [UInt8(ascii: "\n")]
  }

  // MARK: Tag files

  /// Replaces the manifests and bag-info.txt as far as they differ. Calls `permit` with the numbers
  /// of files that the manifests list and of those that are gone, before anything is replaced.
  func finish(
    agent: String, fields: [BagField], permit: (_ listed: UInt64, _ gone: UInt64) throws -> Void
  ) throws {
    try comparison.finish()
    try permit(comparison.count.listed, comparison.count.gone)
    if hasChanged {
      for writer in writers { try writer.flush() }
      try removeTagManifests()
      for (algorithm, file) in zip(algorithms, files) {
        try bag.replace(table.name(of: algorithm, isTag: false), by: file)
      }
    }
    // A file that is not needed is no tag file either.
    discard()
    try writeInfo(agent, fields)
    for (algorithm, text) in zip(algorithms, try tagManifests()) {
      let name = table.name(of: algorithm, isTag: true)
      if try bag.text(name) != text { try bag.write(text, to: name, like: removed[name]) }
    }
  }

  /// Removes the manifests of tag files, before a file that they list is replaced.
  private func removeTagManifests() throws {
    for manifest in table.manifests where manifest.isTag && removed[manifest.name] == nil {
      let path = bag.path(manifest.name)
      removed[manifest.name] = try Fault.of(path, stat(of: path))
      if withPath(path, { unlink($0) }) != 0 { throw Fault(path, .system(Errno(rawValue: errno))) }
    }
    try FileSync.writeBack(directory: bag.root)
  }

  private func writeInfo(_ agent: String, _ fields: [BagField]) throws {
    let former = try bag.text(BagDirectory.info) ?? []
    var info = BagInfo(former)
    let oxum = "\(payload.bytes).\(payload.files)"
    if hasChanged || info.values(BagInfo.oxum) != [oxum] {
      info.set("Bag-Software-Agent", [agent])
      info.set("Bagging-Date", [BagWriter.today])
      info.set(BagInfo.oxum, [oxum])
    }
    info.set(fields)
    if info.text == BagInfo(former).text { return }
    try removeTagManifests()
    try bag.write(info.text, to: BagDirectory.info)
  }

  private static var today: String {
    var (now, date) = (time(nil), tm())
    localtime_r(&now, &date)
    let parts = [Int(date.tm_year) + 1900, Int(date.tm_mon) + 1, Int(date.tm_mday)]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }

  private func tagManifests() throws -> [[UInt8]] {
    var texts: [[UInt8]] = algorithms.map { _ in [] }
    try bag.forEachTagFile(algorithms) { name, digests in
      if let first = name.first, "\t *~".utf8.contains(first) {
        throw Fault(bag.path(name), .refused("has a name that no manifest of a bag can have"))
      }
      for (index, digest) in digests.enumerated() { texts[index] += line(digest, name) }
    }
    return texts
  }
}
