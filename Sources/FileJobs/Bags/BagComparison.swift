internal import SystemPackage
internal import Weir
internal import WeirLibC

/// A difference between a file of a bag and the manifests, as a report names it.
package enum BagChange: String, CaseIterable, Sendable {
  case new, edited, gone
}

/// A comparison of the payload, or of the tag files, with the manifests that list them.
struct BagComparison {
  private let table: BagTable
  private let algorithms: [DigestAlgorithm]
  /// The lines of these manifests, sorted by name, which is the order of the walk.
  private let lines: [BagStatement]
  private var place = 0
  let manifestCount: Int
  private(set) var hasChanged = false
  /// The number of files that the manifests list, and of those that are gone.
  private(set) var count: (listed: UInt64, gone: UInt64) = (0, 0)
  private let receive: ([UInt8], BagChange) throws -> Void

  init(
    _ table: BagTable, _ algorithms: [DigestAlgorithm], isTag: Bool,
    _ receive: @escaping ([UInt8], BagChange) throws -> Void
  ) {
    (self.table, self.algorithms, self.receive) = (table, algorithms, receive)
    manifestCount = table.manifests.count { $0.isTag == isTag }
    lines = table.records.filter { record in
      record.source >= 0 && table.manifests[record.source].isTag == isTag
        && BagName.isPayload(record.name) != isTag
        && (!isTag || BagManifest(Array(record.name))?.isTag != true)
    }
  }

  /// Compares a file, in the order of the walk, by its hexadecimal digests by each algorithm.
  mutating func add(_ name: UnsafeRawBufferPointer, _ digests: [String]) throws {
    while place < lines.count && WalkOrder.compare(lines[place].name, name) < 0 { try drop() }
    let isListed = place < lines.count && lines[place].name.hasSameBytes(as: name)
    let own = isListed ? lines.sameName(at: place) : []
    let isSame = own.allSatisfy { line in
      let index = algorithms.firstIndex { $0 == table.manifests[line.source].algorithm }
      return index.map { digests[$0] == hexadecimal(line.digest) } ?? true
    }
    place += own.count
    if isListed { count.listed += 1 }
    hasChanged = hasChanged || !isSame || own.count != manifestCount
    if manifestCount > 0 && !isListed { try receive(Array(name), .new) }
    if !isSame { try receive(Array(name), .edited) }
  }

  /// Drops the lines of a file that is gone.
  private mutating func drop() throws {
    let own = lines.sameName(at: place)
    count = (count.listed + 1, count.gone + 1)
    (place, hasChanged) = (own.endIndex, true)
    try receive(Array(own[own.startIndex].name), .gone)
  }

  /// Drops the lines of the files that no walk has found.
  mutating func finish() throws {
    while place < lines.count { try drop() }
  }
}

extension BagDirectory {
  /// Calls a function with each tag file and its digests. The manifests of tag files are none.
  func forEachTagFile(
    _ algorithms: [DigestAlgorithm], _ body: ([UInt8], _ digests: [String]) throws -> Void
  ) throws {
    var entries = FileWalk(bytes: root).makeIterator()
    while let entry = entries.next() {
      let name = name(of: entry)
      if let error = entry.error { throw Fault(entry.pathBytes, .system(error)) }
      if entry.depth == 1 && name == Array("data".utf8) { entries.skipContents() }
      if entry.type != .file || BagManifest(name)?.isTag == true { continue }
      let digests = try Fault.attributing(to: entry.pathBytes) { () throws(Errno) in
        let file = try LongPath.open(name, beneath: root, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        defer { try? file.close() }
        if try !stat(of: file).isRegularFile { throw .invalidArgument }
        return try Digest.hexadecimal(algorithms, of: file)
      }
      try body(name, digests)
    }
  }

  /// Compares the tag files with the manifests of tag files.
  ///
  /// - Throws: A `Fault` if one of the files that a job writes differs, or is missing, and is not
  ///   accepted: the digests in a damaged manifest prove nothing.
  func compareTagFiles(
    with table: BagTable, _ algorithms: [DigestAlgorithm], accepting accepted: [FileFilter],
    _ receive: @escaping ([UInt8], BagChange) throws -> Void
  ) throws {
    guard let seal = table.manifests.first(where: \.isTag) else { return }
    var comparison = BagComparison(table, algorithms, isTag: true) { name, change in
      let isOwn = [BagDirectory.declaration, BagDirectory.info].contains(name)
      let isAccepted = accepted.contains { $0.matches(name) }
      if change == .new || isAccepted || !isOwn && BagManifest(name) == nil {
        return try receive(name, change)
      }
      let fault =
        change == .gone ? "is missing, and \(seal.text) lists it" : "is not as \(seal.text) says"
      throw Fault(
        path(name),
        .refused(
          """
          \(fault); see weir check \(root), and restore the file, or add --accept \(name) \
          to record it as it is
          """))
    }
    try forEachTagFile(algorithms) { name, digests in
      try name.withUnsafeBytes { try comparison.add($0, digests) }
    }
    try comparison.finish()
  }
}
