// The manifests of a bag, written anew beside those that it has.
//
// DESIGN. Several files cannot be replaced at once, so their order decides what a kill leaves. The
// manifests of the payload come first, then bag-info.txt, then the manifests of tag files, which have
// the digests of all others. Between the first and the last of these renames a check finds tag files
// that differ, or no manifest at all; before and after, a bag. What is equal is not replaced.

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// A difference between a payload file and the manifests.
package enum BagChange: Sendable {
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
  private let files: [ReplacingFile]
  private let writers: [BufferedWriter]
  private var payload = PayloadOxum()
  private var hasChanged: Bool
  private let receive: ([UInt8], BagChange) throws -> Void

  init(
    _ bag: BagDirectory, _ table: BagTable, _ algorithms: [DigestAlgorithm],
    _ receive: @escaping ([UInt8], BagChange) throws -> Void
  ) throws(Fault) {
    (self.bag, self.table, self.algorithms, self.receive) = (bag, table, algorithms, receive)
    let isPayload = table.manifests.map { !$0.isTag }
    oldCount = isPayload.count { $0 }
    old = table.records.filter { record in
      if case .manifest(let index) = record.source { isPayload[index] } else { false }
    }
    hasChanged = oldCount < algorithms.count || !table.findings.isEmpty
    files = try Fault.attributing(to: bag.root) { () throws(Errno) in
      var files: [ReplacingFile] = []
      for algorithm in algorithms {
        files.append(try ReplacingFile(bag.path(table.name(of: algorithm, isTag: false))))
      }
      return files
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
    payload.add(output.littleEndian(at: 0))
    let encoded = BagName.encoded(name, isOld: table.declaration.isOld)
    var digests: [UnsafeRawBufferPointer] = []
    var begin = MemoryLayout<UInt64>.size
    for (algorithm, writer) in zip(algorithms, writers) {
      let digest = UnsafeRawBufferPointer(
        rebasing: output[begin..<begin + algorithm.byteCount])
      begin += algorithm.byteCount
      digests.append(digest)
      try writer.append(BagWriter.line(digest, encoded))
    }
    try compare(name, digests)
  }

  private static func line(_ digest: UnsafeRawBufferPointer, _ name: [UInt8]) -> [UInt8] {
    LineWriter.bytes(capacity: digest.count * 2 + name.count + 3) { line in
      line.append(hexadecimal: digest)
      line.append("  ")
      line.append(name)
      line.append(UInt8(ascii: "\n"))
    }
  }

  private func compare(
    _ name: UnsafeRawBufferPointer, _ digests: [UnsafeRawBufferPointer]
  ) throws {
    while place < old.count && WalkOrder.compare(old[place].name, name) < 0 { try drop() }
    let begin = place
    var isSame = true
    while place < old.count && old[place].name.hasSameBytes(as: name) {
      if case .manifest(let index) = old[place].source,
        let own = algorithms.firstIndex(of: table.manifests[index].algorithm)
      {
        isSame = isSame && digests[own].hasSameBytes(as: old[place].digest)
      }
      place += 1
    }
    hasChanged = hasChanged || !isSame || place - begin != oldCount
    if oldCount == 0 { return }
    if place == begin { try receive(Array(name), .new) }
    if !isSame { try receive(Array(name), .edited) }
  }

  /// Drops the lines of a file that is gone.
  private func drop() throws {
    let name = old[place].name
    while place < old.count && old[place].name.hasSameBytes(as: name) { place += 1 }
    hasChanged = true
    try receive(Array(name), .gone)
  }

  // MARK: Tag files

  /// Replaces the manifests and bag-info.txt as far as they differ.
  func finish(agent: String) throws {
    while place < old.count { try drop() }
    for (index, algorithm) in algorithms.enumerated() where hasChanged {
      try writers[index].flush()
      try BagFile.replace(files[index], table.name(of: algorithm, isTag: false), in: bag)
    }
    // A file that is not needed is no tag file either.
    discard()
    try writeInfo(agent)
    let texts = try tagManifests()
    for (algorithm, text) in zip(algorithms, texts) {
      let name = table.name(of: algorithm, isTag: true)
      if try bag.text(name) != text { try BagFile.write(text, to: name, in: bag) }
    }
  }

  private func writeInfo(_ agent: String) throws {
    var info = BagInfo(try bag.text(BagDirectory.info) ?? [])
    let isTrue = info.values(PayloadOxum.label) == ["\(payload)"]
    if isTrue && !hasChanged { return }
    info.set("Bag-Software-Agent", agent)
    info.set("Bagging-Date", BagWriter.today)
    info.set(PayloadOxum.label, "\(payload)")
    try BagFile.write(info.text, to: BagDirectory.info, in: bag)
  }

  private static var today: String {
    var (now, date) = (time(nil), tm())
    localtime_r(&now, &date)
    let parts = [Int(date.tm_year) + 1900, Int(date.tm_mon) + 1, Int(date.tm_mday)]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }

  /// Returns the manifest of the tag files for each algorithm.
  private func tagManifests() throws -> [[UInt8]] {
    let digests = try algorithms.map { algorithm in try Digest(algorithm) }
    var texts: [[UInt8]] = algorithms.map { _ in [] }
    var entries = FileWalk(bytes: bag.root).makeIterator()
    while let entry = entries.next() {
      let name = Array(entry.pathBytes.dropFirst(bag.root.count))
      if let error = entry.error { throw Fault(entry.pathBytes, .system(error)) }
      if entry.depth == 1 && name == Array("data".utf8) { entries.skipContents() }
      if entry.type != .file || (try? BagManifest(name)).flatMap(\.self)?.isTag == true { continue }
      if let first = name.first, [0x09, 0x20, UInt8(ascii: "*"), UInt8(ascii: "~")].contains(first)
      {
        throw Fault(entry.pathBytes, .refused("has a name that no manifest of a bag can have"))
      }
      try Fault.attributing(to: entry.pathBytes) { () throws(Errno) in
        try BagWriter.compute(digests, entry.pathBytes)
      }
      let encoded = BagName.encoded(name, isOld: table.declaration.isOld)
      for index in digests.indices { texts[index] += BagWriter.line(digests[index].bytes, encoded) }
    }
    return texts
  }

  private static func compute(_ digests: [Digest], _ path: [UInt8]) throws(Errno) {
    let file = try LongPath.open(path + [0], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    defer { close(file.rawValue) }
    for digest in digests { try digest.begin() }
    var piece: [UInt8] = []
    while try file.read(appendingTo: &piece, count: 1 << 18) {
      for digest in digests { try digest.update(piece) }
      piece.removeAll(keepingCapacity: true)
    }
    for digest in digests { try digest.finish() }
  }
}
