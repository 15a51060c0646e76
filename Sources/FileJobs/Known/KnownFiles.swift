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
    let location: DuplicatesPaths.Location
    let digests: UInt64
    /// The highest number if the size is not recorded.
    let size: UInt64
    let manifest: UInt32
  }

  /// The first bytes of the longest digest of an entry.
  private struct Key {
    let prefix: UInt64
    let entry: UInt32
  }

  /// The number of bytes of digests after which another line of a name is another file.
  private static let digestsMax = 1 << 10

  private let store = DuplicatesPaths()
  private var entries: [Entry] = []
  private var keys: [Key] = []
  private var used: Set<UInt8> = []
  private var sizes: [UInt64] = []
  private var lacksSize = false

  package init() {}

  /// The algorithms of the recorded digests.
  var algorithms: [DigestAlgorithm] { used.sorted().map { DigestAlgorithm(index: Int($0)) } }

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
    var (name, digests) = ([UInt8](), [UInt8]())
    func finish(size: UInt64 = .max) {
      if !digests.isEmpty { add(name, digests, size, UInt32(clamping: number), &reading) }
      digests.removeAll(keepingCapacity: true)
    }
    reading.failure = manifest.forEachLine(false, untagged: untagged) { line, lineNumber in
      var isUsable = true
      switch line {
      case .checksum(let line):
        // Consecutive lines of one name are one file, as for a check.
        if digests.count > KnownFiles.digestsMax || !name.elementsEqual(line.name) { finish() }
        name.removeAll(keepingCapacity: true)
        name.append(contentsOf: line.name)
        digests.append(EntryDigest(line.algorithm, or: line.alternative, line.digest))
      case .entry(let entry):
        if entry.isIgnored || !(entry.type.map { $0 == .file } ?? true) { break }
        name = Array(entry.name)
        for digest in entry.digests { digests.append(EntryDigest(digest.algorithm, digest.bytes)) }
        isUsable = !digests.isEmpty
        finish(size: entry.size ?? .max)
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
    _ name: [UInt8], _ digests: [UInt8], _ size: UInt64, _ manifest: UInt32,
    _ reading: inout Reading
  ) {
    // The highest number means "none".
    guard entries.count < Int(UInt32.max) else { return reading.failure = .failed(.overflow) }
    if size == .max { reading.lacksSize = true } else { sizes.append(size) }
    digests.withUnsafeBytes { bytes in
      used.insert(algorithmsOf: bytes)
      let longest = EntryDigests(bytes).map(\.bytes).reduce(.empty) {
        $1.count > $0.count ? $1 : $0
      }
      keys.append(Key(prefix: KnownFiles.prefix(of: longest), entry: UInt32(entries.count)))
      entries.append(
        Entry(
          location: name.withUnsafeBytes { store.add($0) }, digests: store.store(bytes),
          size: size, manifest: manifest))
    }
    reading.files += 1
  }

  package func finish() {
    keys.sort { ($0.prefix, $0.entry) < ($1.prefix, $1.entry) }
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
        if match(entries[Int(keys[index].entry)], size, digests) { return keys[index].entry }
        index += 1
      }
      return nil
    }.min()
  }

  /// Returns true if a content has the recorded size and every recorded digest.
  private func match(_ entry: Entry, _ size: UInt64, _ own: [Digest]) -> Bool {
    if entry.size != .max && entry.size != size { return false }
    return EntryDigests(store.bytes(at: entry.digests)).allSatisfy { recorded in
      zip(algorithms, own).contains { algorithm, digest in
        recorded.isOf(UInt8(algorithm.index)) && digest.bytes.hasSameBytes(as: recorded.bytes)
      }
    }
  }

  /// Returns the name of a recorded file, and the number of its manifest.
  package func name(of number: UInt32) -> (name: [UInt8], manifest: Int) {
    let entry = entries[Int(number)]
    return (store.path(entry.location), Int(entry.manifest))
  }
}
