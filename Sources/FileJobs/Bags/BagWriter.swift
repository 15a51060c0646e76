// The manifests of a bag, written anew beside those that it has.
//
// DESIGN. Several files cannot be replaced at once, so their order decides what a kill leaves. The
// manifests of the payload come first, then bag-info.txt, then the manifests of tag files, which have
// the digests of all others. Between the first and the last of these renames a check finds tag files
// that differ, or no manifest at all; before and after, a bag. What is equal is not replaced.

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// A difference between a payload file and the manifests, as a report names it.
package enum BagChange: String, CaseIterable, Sendable {
  case new, edited, gone
}

/// The new manifests of a bag, and the comparison with the old ones.
///
/// @unchecked Sendable: one thread at a time uses it.
final class BagWriter: @unchecked Sendable {
  private let bag: BagDirectory
  private let algorithms: [DigestAlgorithm]
  private let table: BagTable
  /// The lines of the old manifests, sorted by name, which is the order of the walk.
  private let old: [BagRecord]
  private var place = 0
  private let oldCount: Int
  private var files: [ReplacingFile] = []
  private let writers: [BufferedWriter]
  private var payload: (bytes: UInt64, files: UInt64) = (0, 0)
  private var hasChanged: Bool
  private let receive: ([UInt8], BagChange) throws -> Void

  init(
    _ bag: BagDirectory, _ table: BagTable, _ algorithms: [DigestAlgorithm],
    _ receive: @escaping ([UInt8], BagChange) throws -> Void
  ) throws(Fault) {
    (self.bag, self.table, self.algorithms, self.receive) = (bag, table, algorithms, receive)
    oldCount = table.manifests.count { !$0.isTag }
    old = table.records.filter { $0.source >= 0 && !table.manifests[$0.source].isTag }
    hasChanged = oldCount < algorithms.count || !table.findings.isEmpty
    for algorithm in algorithms {
      let path = bag.path(table.name(of: algorithm, isTag: false))
      files.append(try Fault.of(bag.root, ReplacingFile(path)))
    }
    writers = files.map { BufferedWriter($0.descriptor) }
  }

  /// Removes the files that have not got their names.
  func discard() { files.forEach { $0.discard() } }

  // MARK: Payload

  /// Takes a payload file, in the order of the walk.
  ///
  /// - Parameter output: Its size and its digests.
  func add(_ name: UnsafeRawBufferPointer, _ output: UnsafeRawBufferPointer) throws {
    payload = (payload.bytes &+ output.littleEndian(at: 0), payload.files + 1)
    var digests: [UnsafeRawBufferPointer] = []
    var begin = MemoryLayout<UInt64>.size
    for (algorithm, writer) in zip(algorithms, writers) {
      let digest = UnsafeRawBufferPointer(rebasing: output[begin..<begin + algorithm.byteCount])
      begin += algorithm.byteCount
      digests.append(digest)
      try writer.append(line(hexadecimal(digest), name))
    }
    try compare(name, digests)
  }

  private func line(_ digest: String, _ name: some Sequence<UInt8>) -> [UInt8] {
    let encoded = BagName.encoded(name, isOld: table.declaration.isOld)
    return Array(digest.utf8) + "  ".utf8 + encoded + [UInt8(ascii: "\n")]
  }

  private func compare(
    _ name: UnsafeRawBufferPointer, _ digests: [UnsafeRawBufferPointer]
  ) throws {
    while place < old.count && WalkOrder.compare(old[place].name, name) < 0 { try drop() }
    let isListed = place < old.count && old[place].name.hasSameBytes(as: name)
    let lines = isListed ? old.sameName(at: place) : []
    let isSame = lines.allSatisfy { line in
      let own = algorithms.firstIndex { $0 == table.manifests[line.source].algorithm }
      return own.map { digests[$0].hasSameBytes(as: line.digest) } ?? true
    }
    place += lines.count
    hasChanged = hasChanged || !isSame || lines.count != oldCount
    if oldCount > 0 && !isListed { try receive(Array(name), .new) }
    if !isSame { try receive(Array(name), .edited) }
  }

  /// Drops the lines of a file that is gone.
  private func drop() throws {
    let lines = old.sameName(at: place)
    try receive(Array(old[place].name), .gone)
    (place, hasChanged) = (lines.endIndex, true)
  }

  // MARK: Tag files

  /// Replaces the manifests and bag-info.txt as far as they differ.
  func finish(agent: String) throws {
    while place < old.count { try drop() }
    for (index, algorithm) in algorithms.enumerated() where hasChanged {
      try writers[index].flush()
      try bag.replace(table.name(of: algorithm, isTag: false), by: files[index])
    }
    // A file that is not needed is no tag file either.
    discard()
    try writeInfo(agent)
    for (algorithm, text) in zip(algorithms, try tagManifests()) {
      let name = table.name(of: algorithm, isTag: true)
      if try bag.text(name) != text { try bag.write(text, to: name) }
    }
  }

  private func writeInfo(_ agent: String) throws {
    var info = BagInfo(try bag.text(BagDirectory.info) ?? [])
    let oxum = "\(payload.bytes).\(payload.files)"
    if !hasChanged && info.values(BagInfo.oxum) == [oxum] { return }
    info.set("Bag-Software-Agent", agent)
    info.set("Bagging-Date", BagWriter.today)
    info.set(BagInfo.oxum, oxum)
    try bag.write(info.text, to: BagDirectory.info)
  }

  private static var today: String {
    var (now, date) = (time(nil), tm())
    localtime_r(&now, &date)
    let parts = [Int(date.tm_year) + 1900, Int(date.tm_mon) + 1, Int(date.tm_mday)]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }

  /// Returns the manifest of the tag files for each algorithm.
  private func tagManifests() throws -> [[UInt8]] {
    var texts: [[UInt8]] = algorithms.map { _ in [] }
    var entries = FileWalk(bytes: bag.root).makeIterator()
    while let entry = entries.next() {
      let name = bag.name(of: entry)
      if let error = entry.error { throw Fault(entry.pathBytes, .system(error)) }
      if entry.depth == 1 && name == Array("data".utf8) { entries.skipContents() }
      if entry.type != .file || BagManifest(name)?.isTag == true { continue }
      if let first = name.first, "\t *~".utf8.contains(first) {
        throw Fault(entry.pathBytes, .refused("has a name that no manifest of a bag can have"))
      }
      try Fault.attributing(to: entry.pathBytes) { () throws(Errno) in
        let file = try LongPath.open(
          entry.pathBytes + [0], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { try? file.close() }
        for (index, algorithm) in algorithms.enumerated() {
          texts[index] += line(try Digest.hexadecimal(algorithm, of: file), name)
        }
      }
    }
    return texts
  }
}
