// The files of manifests by their content: an archive of which nothing is read.
//
// DESIGN. A file takes 60 bytes, its name and its digests. The digests are kept whole: the table
// that is searched has only eight bytes of each, and every hit is compared with all that its line
// records. So a false hit takes a collision of the manifest's own algorithm. Rejected: to keep
// the eight bytes alone and to read the line again at a hit. The manifest may be a pipe, and may
// change.

internal import SystemPackage
internal import Weir

/// The files that manifests record, found by their content.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it afterwards.
package final class KnownFiles: @unchecked Sendable {
  /// The lines of a manifest that were read.
  package struct Reading: Sendable {
    /// The number of files with a digest.
    package fileprivate(set) var files = 0
    /// The number of lines that name no digest that can be compared, and the first of them.
    package fileprivate(set) var unusable = 0
    package fileprivate(set) var firstUnusable = 0
    /// True if a file has no recorded size.
    package fileprivate(set) var lacksSize = false
    /// The reason for which the rest of the manifest was not read.
    package fileprivate(set) var failure: CheckManifestFailure?
  }

  private struct Entry {
    let name: UInt64
    let facts: UInt64
    let directory: UInt32
    let manifest: UInt32
  }

  /// The first bytes of the longest digest of an entry.
  private struct Key {
    let prefix: UInt64
    let entry: UInt32

    static func precedes(_ left: Key, _ right: Key) -> Bool {
      (left.prefix, left.entry) < (right.prefix, right.entry)
    }
  }

  private let store = DuplicatesPaths()
  private var entries: [Entry] = []
  private var keys: [Key] = []
  private var used: Set<DigestAlgorithm> = []
  /// The recorded sizes.
  private var sizes: [UInt64] = []
  private var lacksSize = false

  package init() {}

  /// The algorithms of the recorded digests.
  var algorithms: [DigestAlgorithm] { DigestAlgorithm.allCases.filter(used.contains) }

  // MARK: Filling

  /// Adds the files of a manifest.
  ///
  /// - Parameters:
  ///   - number: The number of the manifest.
  ///   - untagged: The algorithms of untagged lines; any if there is none.
  package func add(
    _ manifest: CheckManifest, number: Int, untagged: [DigestAlgorithm]
  ) -> Reading {
    var reading = Reading()
    var (name, facts) = ([UInt8](), KnownFacts(size: nil))
    func finish() {
      if !facts.isEmpty { add(name, facts, UInt32(clamping: number), &reading) }
      facts = KnownFacts(size: nil)
    }
    reading.failure = manifest.forEachLine(false, untagged: untagged) { line, lineNumber in
      var isUsable = true
      switch line {
      case .checksum(let line):
        // Consecutive lines of one name are one file, as for a check.
        if facts.isFull || !name.elementsEqual(line.name) { finish() }
        name.removeAll(keepingCapacity: true)
        name.append(contentsOf: line.name)
        facts.append(line.digest, line.algorithm, or: line.alternative)
      case .entry(let entry):
        if entry.isIgnored || !(entry.type.map { $0 == .file } ?? true) { break }
        (name, facts) = (Array(entry.name), KnownFacts(size: entry.size))
        for digest in entry.digests { facts.append(digest.bytes, digest.algorithm) }
        isUsable = !facts.isEmpty
        finish()
      case .malformed:
        isUsable = false
      }
      if isUsable { return true }
      reading.unusable += 1
      if reading.unusable == 1 { reading.firstUnusable = lineNumber }
      return true
    }
    finish()
    return reading
  }

  private func add(
    _ name: [UInt8], _ facts: KnownFacts, _ manifest: UInt32, _ reading: inout Reading
  ) {
    // The highest number means "none".
    guard entries.count < Int(UInt32.max) else { return reading.failure = .failed(.overflow) }
    used.formUnion(facts.algorithms)
    if let size = facts.size { sizes.append(size) } else { reading.lacksSize = true }
    keys.append(Key(prefix: KnownFiles.prefix(of: facts.longest), entry: UInt32(entries.count)))
    let location = name.withUnsafeBytes { store.add($0) }
    entries.append(
      Entry(
        name: location.name, facts: facts.bytes.withUnsafeBytes { store.store($0) },
        directory: location.directory, manifest: manifest))
    reading.files += 1
  }

  /// Ends the filling.
  package func finish() {
    keys.sort(by: Key.precedes)
    lacksSize = sizes.count < entries.count
    sizes = lacksSize ? [] : sizes.sorted()
  }

  private static func prefix(of digest: some Sequence<UInt8>) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Searching

  /// Returns true if a file of a size can have the content of a recorded one.
  func mayContain(size: UInt64) -> Bool {
    if lacksSize { return true }
    let index = sizes.indices.binarySearch { sizes[$0] >= size }
    return index < sizes.count && sizes[index] == size
  }

  /// Returns the number of the first recorded file with a content; `nil` if there is none.
  ///
  /// - Parameter digests: The digests of the content by ``algorithms``.
  func find(size: UInt64, _ digests: [Digest]) -> UInt32? {
    digests.compactMap { digest in
      let prefix = KnownFiles.prefix(of: digest.bytes)
      var index = keys.indices.binarySearch { keys[$0].prefix >= prefix }
      while index < keys.count, keys[index].prefix == prefix {
        let entry = keys[index].entry
        let facts = KnownFacts(store.bytes(at: entries[Int(entry)].facts))
        if facts.match(size: size, digests, of: algorithms) { return entry }
        index += 1
      }
      return nil
    }.min()
  }

  /// Returns the name of a recorded file, and the number of its manifest.
  package func name(of number: UInt32) -> (name: [UInt8], manifest: Int) {
    let entry = entries[Int(number)]
    let location = DuplicatesPaths.Location(directory: entry.directory, name: entry.name)
    return (store.path(location), Int(entry.manifest))
  }
}

/// The recorded size and digests of a file as bytes: the size, or all ones for none; then for each
/// digest its algorithm, another one or 255, its length, and its bytes.
private struct KnownFacts {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  private static let headSize = 3
  private static let none: UInt8 = 255

  init(size: UInt64?) { bytes.append(littleEndian: size ?? .max) }

  init(_ stored: UnsafeRawBufferPointer) { bytes = Array(stored) }

  mutating func append(
    _ digest: UnsafeRawBufferPointer, _ algorithm: DigestAlgorithm,
    or alternative: DigestAlgorithm? = nil
  ) {
    let other = alternative.map { UInt8($0.index) } ?? KnownFacts.none
    bytes += [UInt8(algorithm.index), other, UInt8(digest.count)] + digest
    count += 1
  }

  var isEmpty: Bool { bytes.count == MemoryLayout<UInt64>.size }
  var isFull: Bool { count == DigestAlgorithm.countMax }

  var size: UInt64? {
    let size: UInt64 = bytes.withUnsafeBytes { $0.littleEndian(at: 0) }
    return size == .max ? nil : size
  }

  private typealias Recorded = (algorithms: [DigestAlgorithm], digest: ArraySlice<UInt8>)

  private var digests: [Recorded] {
    var all: [Recorded] = []
    var begin = MemoryLayout<UInt64>.size
    while begin < bytes.count {
      let indices = bytes[begin..<begin + 2].filter { $0 != KnownFacts.none }
      let end = begin + KnownFacts.headSize + Int(bytes[begin + 2])
      let digest = bytes[begin + KnownFacts.headSize..<end]
      all.append((indices.map { DigestAlgorithm(index: Int($0)) }, digest))
      begin = end
    }
    return all
  }

  var algorithms: [DigestAlgorithm] { digests.flatMap(\.algorithms) }

  var longest: ArraySlice<UInt8> {
    digests.map(\.digest).reduce([]) { $1.count > $0.count ? $1 : $0 }
  }

  /// Returns true if a content has the recorded size and every recorded digest.
  func match(size: UInt64, _ own: [Digest], of algorithms: [DigestAlgorithm]) -> Bool {
    if let recorded = self.size, recorded != size { return false }
    return digests.allSatisfy { recorded in
      zip(algorithms, own).contains { algorithm, digest in
        recorded.algorithms.contains(algorithm) && digest.bytes.elementsEqual(recorded.digest)
      }
    }
  }
}
