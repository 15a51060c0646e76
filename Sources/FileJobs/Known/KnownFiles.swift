// The files of manifests by their content: an archive of which nothing is read.
//
// DESIGN. The digests are kept whole: the table that is searched has only eight bytes of each, and
// every hit is compared with all that its line records. So a false hit takes a collision of the
// manifest's own algorithm. Rejected: to keep the eight bytes alone and to read the line again at a
// hit. The manifest may be a pipe, and may change. To join the sorted contents of both sides, as for
// moves: then nothing could be said of a file before all were read.

internal import SystemPackage
internal import Weir

/// The files that manifests record, found by their content.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it afterwards.
package final class KnownFiles: @unchecked Sendable {
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

  /// The first bytes of the longest digest of a file, and the place of its record.
  private struct Key {
    let prefix: UInt64
    let place: Int
  }

  /// The number of bytes of digests after which another line of a name is another file.
  private static let digestsMax = 1 << 10

  private let names = DuplicatesPaths()
  /// For each file its manifest, the length of its entry, the entry, and the location of its name.
  private let records = ByteBuffer()
  private var keys: [Key] = []
  private var used: Set<UInt8> = []
  private var sizes = SizeSet()

  package init() {}

  var algorithms: [DigestAlgorithm] { used.sorted().map { DigestAlgorithm(index: Int($0)) } }

  // MARK: Filling

  /// Adds the files of a manifest. The ledger beside it has the end of its lines, their algorithms,
  /// and sizes. `untagged` has the algorithms of untagged lines; any if there is none.
  package func add(
    _ manifest: CheckManifest, number: Int, untagged: [DigestAlgorithm]
  ) -> Reading {
    var reading = Reading()
    var (name, digests, size) = ([UInt8](), [UInt8](), UInt64?.none)
    func finish() {
      if !digests.isEmpty {
        add(name, digests, size, UInt32(clamping: number))
        reading.files += 1
        if size == nil { reading.lacksSize = true }
      }
      digests.removeAll(keepingCapacity: true)
    }
    func take(_ line: CheckManifest.Line, _ lines: RecordedLines) {
      var isUsable = true
      switch line {
      case .checksum(let line):
        // Consecutive lines of one name are one file, as for a check.
        if digests.count > KnownFiles.digestsMax || !name.elementsEqual(line.name) { finish() }
        name.removeAll(keepingCapacity: true)
        name.append(contentsOf: line.name)
        let record = lines.record
        // Nobody knows whether a file with an open point still has its content.
        if record?.entry.open != nil { return finish() }
        size = record?.entry.size
        digests.append(
          record.map { EntryDigest($0.algorithm, line.digest) }
            ?? EntryDigest(line.algorithm, or: line.alternative, line.digest))
      case .entry(let entry):
        if entry.isIgnored || entry.open != nil || !(entry.type.map { $0 == .file } ?? true) {
          break
        }
        (name, size) = (Array(entry.name), entry.size)
        digests = Array(entry.digests.bytes)
        isUsable = !digests.isEmpty
        finish()
      case .malformed: isUsable = false
      case .nothing: break
      }
      if isUsable { return }
      reading.unusable += 1
      if reading.unusable == 1 { reading.firstUnusable = lines.lines.lineNumber }
    }
    do throws(Errno) {
      let lines = try RecordedLines(manifest, isZeroTerminated: nil, untagged: untagged)
      while let line = try lines.next() { take(line, lines) }
      reading.failure = lines.lines.foreign.map { .foreign($0) }
    } catch {
      reading.failure = CheckManifestFailure(error.rawValue)
    }
    finish()
    return reading
  }

  private func add(_ name: [UInt8], _ digests: [UInt8], _ size: UInt64?, _ manifest: UInt32) {
    sizes.insert(size)
    withUnsafeBytes(of: name.withUnsafeBytes { names.add($0) }) { name in
      digests.withUnsafeBytes { digests in
        used.insert(algorithmsOf: digests)
        var entry = InventoryEntry(.file)
        (entry.size, entry.digests, entry.text) = (size, digests, name)
        let longest = EntryDigests(digests).map(\.bytes).reduce(.empty) {
          $1.count > $0.count ? $1 : $0
        }
        keys.append(Key(prefix: KnownFiles.prefix(of: longest), place: records.count))
        let bytes = entry.bytes
        records.replace(after: records.count, writing: 8 + bytes.count) { line in
          line.append(littleEndian: manifest)
          line.append(littleEndian: UInt32(bytes.count))
          line.append(bytes)
        }
      }
    }
  }

  package func finish() { keys.sort { ($0.prefix, $0.place) < ($1.prefix, $1.place) } }

  private static func prefix(of digest: some Sequence<UInt8>) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Searching

  /// Returns true if a file of a size can have the content of a recorded one.
  func mayContain(size: UInt64) -> Bool { sizes.mayContain(size) }

  /// Returns the place of the first recorded file with the content; `nil` if there is none. The
  /// digests are those by ``algorithms``.
  func find(size: UInt64, _ digests: [Digest]) -> Int? {
    digests.compactMap { digest in
      let prefix = KnownFiles.prefix(of: digest.bytes)
      var index = keys.indices.binarySearch { keys[$0].prefix >= prefix }
      while index < keys.count, keys[index].prefix == prefix {
        if match(entry(at: keys[index].place), size, digests) { return keys[index].place }
        index += 1
      }
      return nil
    }.min()
  }

  private func entry(at place: Int) -> InventoryEntry {
    let count = Int(records.bytes.littleEndian(at: place + 4) as UInt32)
    return InventoryEntry(records.bytes[place + 8..<place + 8 + count].rebased)
  }

  private func match(_ entry: InventoryEntry, _ size: UInt64, _ own: [Digest]) -> Bool {
    if let recorded = entry.size, recorded != size { return false }
    return EntryDigests(entry.digests).allSatisfy { recorded in
      zip(algorithms, own).contains { algorithm, digest in
        recorded.isOf(UInt8(algorithm.index)) && digest.bytes.hasSameBytes(as: recorded.bytes)
      }
    }
  }

  package func name(of place: Int) -> (name: [UInt8], manifest: Int) {
    let manifest: UInt32 = records.bytes.littleEndian(at: place)
    let location = entry(at: place).text.loadUnaligned(as: DuplicatesPaths.Location.self)
    return (names.path(location), Int(manifest))
  }
}
