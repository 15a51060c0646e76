// The entries of the former manifest in the order of their keys.
//
// DESIGN. A ledger in the order of the run is read in step with the walk, with one record in memory.
// Any other manifest passes through sorted runs. Lines of one name become one entry: a list of a
// checksum tool has a line for each algorithm, and a ledger one for each PATH that has the file.

internal import CFileKernels
internal import SystemPackage
internal import Weir

/// A reader of entries. An entry is valid until the next one is read.
final class FormerEntries {
  private let manifest: FormerManifest
  private let keys: LedgerKeys
  private let next: () throws -> UnsafeRawBufferPointer?
  /// The record that follows the present entry.
  private var head: UnsafeRawBufferPointer?
  private var hasBegun = false
  private var file: [UInt8] = []
  private var link: [UInt8] = []

  /// The key of the entry, with its end; empty at the end of the manifest.
  private(set) var key: [UInt8] = []
  /// The number of files, and that of lines without a digest that can be compared.
  private(set) var count: UInt64 = 0
  private(set) var uselessCount: UInt64 = 0

  /// - Parameter runs: Makes empty sorted runs.
  init(
    _ manifest: FormerManifest, _ keys: LedgerKeys, runs: () -> SortedRuns, check: () throws -> Void
  ) throws {
    self.manifest = manifest
    self.keys = keys
    if keys.isInStep {
      next = FormerEntries.inStep(manifest, keys)
    } else {
      let sorted = runs()
      uselessCount = try FormerEntries.sort(manifest, keys, into: sorted, check)
      let reader = sorted.makeReader()
      next = { try reader.next() }
    }
  }

  /// Returns the candidates for a digest without a tag, those of a run first.
  static func untagged(_ algorithms: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    return (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
  }

  // MARK: Entries

  /// Reads the next entry; returns false at the end.
  func advance() throws -> Bool {
    if !hasBegun { head = try next() }
    hasBegun = true
    file.removeAll(keepingCapacity: true)
    link.removeAll(keepingCapacity: true)
    guard let first = head else {
      key = []
      return false
    }
    let keyCount = LedgerKeys.count(in: first)
    try expectOrder(UnsafeRawBufferPointer(rebasing: first[..<keyCount]))
    key.removeAll(keepingCapacity: true)
    key.append(contentsOf: first[..<keyCount])
    repeat {
      if let head { try take(UnsafeRawBufferPointer(rebasing: head[keyCount...])) }
      head = try next()
    } while hasSameKey(head)
    if !file.isEmpty { count += 1 }
    return true
  }

  private func hasSameKey(_ record: UnsafeRawBufferPointer?) -> Bool {
    guard let record, record.count > key.count else { return false }
    return key.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: record[..<key.count]).hasSameBytes(as: $0)
    }
  }

  /// A ledger that was edited may have lost its order: then nothing is in step.
  private func expectOrder(_ next: UnsafeRawBufferPointer) throws {
    if keys.isInStep && key.withUnsafeBytes({ $0.order(to: next) }) > 0 { throw OutOfStep() }
  }

  /// The error of a ledger whose entries are not in the order of its run.
  struct OutOfStep: Error {}

  private func take(_ bytes: UnsafeRawBufferPointer) throws {
    let entry = LedgerEntry(bytes)
    if entry.isLink {
      link.removeAll(keepingCapacity: true)
      link.append(contentsOf: bytes)
    } else if file.isEmpty {
      file.append(contentsOf: bytes)
    } else {
      let merged = file.withUnsafeBytes { FormerEntries.merge(LedgerEntry($0), entry) }
      guard let merged else {
        let name = Array(entry.name)
        throw Fault(
          manifest.name,
          .refused(
            """
            has two digests of \(name: name) that differ; see weir check, and remove the wrong line
            """))
      }
      file = merged
    }
  }

  /// Returns an entry with the digests of two; `nil` if two digests of one algorithm differ.
  private static func merge(_ first: LedgerEntry, _ second: LedgerEntry) -> [UInt8]? {
    let known = first.digests
    var (indices, rest) = (Array(known.indices), Array(known.rest))
    for algorithm in second.digests.algorithms {
      guard let digits = second.digests.digits(of: algorithm) else { continue }
      if let other = known.digits(of: algorithm) {
        if !other.hasSameBytes(as: digits) { return nil }
      } else {
        indices.append(UInt8(algorithm.index))
        rest += Array(" \(algorithm.name)=".utf8) + digits
      }
    }
    return first.bytes(indices: indices, rest: rest)
  }

  /// Calls a closure with the entry of the file and that of the link that have the key.
  func withEntry<R>(_ body: (_ file: LedgerEntry?, _ link: LedgerEntry?) throws -> R) rethrows -> R
  {
    try file.withUnsafeBytes { file in
      try link.withUnsafeBytes { link in
        try body(
          file.isEmpty ? nil : LedgerEntry(file), link.isEmpty ? nil : LedgerEntry(link))
      }
    }
  }

  // MARK: In step

  private static func inStep(
    _ manifest: FormerManifest, _ keys: LedgerKeys
  ) -> () throws -> UnsafeRawBufferPointer? {
    let reader = RecordReader(manifest.descriptor, unreadable: .failure, listsLinks: true)
    let agreement = TextAgreement(manifest)
    let (memory, writer) = (GrowingMemory(), KeyWriter())
    return {
      do throws(Errno) {
        guard try reader.advance() else {
          try agreement?.finish()
          return nil
        }
        try agreement?.expect(reader.record.pointee)
      } catch {
        throw agreement?.fault(error) ?? Fault(manifest: manifest.name, error)
      }
      let record = reader.record.pointee
      guard
        let count = keys.write(
          record.name, source: record.source ?? 0, of: manifest.names, by: writer,
          to: &memory.bytes)
      else { throw Fault(manifest.name, .unreadableLine) }
      return memory.append(record, after: count)
    }
  }

  // MARK: Sorting

  /// Sorts the entries by their keys. Returns the number of lines without one.
  private static func sort(
    _ manifest: FormerManifest, _ keys: LedgerKeys, into runs: SortedRuns,
    _ check: () throws -> Void
  ) throws -> UInt64 {
    let (memory, writer) = (GrowingMemory(), KeyWriter())
    var useless: UInt64 = 0
    func append(_ record: FileRecord) throws {
      try check()
      guard
        let count = keys.write(
          record.name, source: record.source ?? 0, of: manifest.names, by: writer,
          to: &memory.bytes)
      else { return useless += 1 }
      let bytes = memory.append(record, after: count)
      try runs.append(writing: bytes.count) { $0.append(bytes) }
    }
    if manifest.isLedger {
      let reader = RecordReader(manifest.descriptor, unreadable: .failure, listsLinks: true)
      let agreement = TextAgreement(manifest)
      do {
        while try reader.advance() {
          try agreement?.expect(reader.record.pointee)
          try append(reader.record.pointee)
        }
        try agreement?.finish()
      } catch let error as Errno {
        throw agreement?.fault(error) ?? Fault(manifest: manifest.name, error)
      }
    } else {
      useless += try appendLines(of: manifest, append)
    }
    try runs.finish()
    return useless
  }

  /// Calls a closure with a record for each line of another program's manifest. Returns the number
  /// of lines that have no digest.
  private static func appendLines(
    of manifest: FormerManifest, _ append: (FileRecord) throws -> Void
  ) throws -> UInt64 {
    var useless: UInt64 = 0
    var failure: (any Error)?
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { memory.deallocate() }
    func take(
      _ name: UnsafeRawBufferPointer, _ size: UInt64?, _ time: FileTime?,
      _ digests: [(DigestAlgorithm, UnsafeRawBufferPointer)]
    ) {
      let indices = UnsafeMutableRawBufferPointer(rebasing: memory[..<digests.count])
      for (place, digest) in digests.enumerated() { indices[place] = UInt8(digest.0.index) }
      // An entry of weir has no time without a size.
      let rest = MtreeLine(digests.map(\.0)).writeRest(
        size: size, time: size == nil ? nil : time, digests: digests.map(\.1),
        to: UnsafeMutableRawBufferPointer(rebasing: memory[digests.count...]))
      let line = RecordLine(
        name: name, size: size, time: time,
        digests: RecordDigests(rest: rest, indices: UnsafeRawBufferPointer(indices)))
      do { try append(FileRecord(line)) } catch { failure = error }
    }
    let unread = CheckManifest.descriptor(manifest.descriptor).forEachLine(
      manifest.isText && manifest.isZeroTerminated, untagged: untagged(manifest.algorithms)
    ) { line, _ in
      switch line {
      case .checksum(let line): take(line.name, nil, nil, [(line.algorithm, line.digest)])
      case .entry(let entry):
        if let type = entry.type, type != .file && type != .blockDevice { return true }
        if entry.digests.isEmpty {
          useless += 1
        } else {
          take(entry.name, entry.size, entry.time, entry.digests.map { ($0.algorithm, $0.bytes) })
        }
      case .malformed: useless += 1
      }
      return failure == nil
    }
    if let failure { throw failure }
    if case .failed(let error)? = unread { throw Fault(manifest.name, .system(error)) }
    return useless
  }
}

/// Memory that grows, in a reference.
final class GrowingMemory {
  var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)

  deinit { bytes.deallocate() }

  /// Packs a record after `count` bytes that are there. Returns all bytes.
  func append(_ record: FileRecord, after count: Int) -> UnsafeRawBufferPointer {
    let needed = count + LedgerEntry.capacity(of: record)
    if bytes.count < needed {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: needed * 2, alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      bytes.deallocate()
      bytes = larger
    }
    let length = LedgerEntry.write(
      record, to: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
    return UnsafeRawBufferPointer(rebasing: bytes[..<(count + length)])
  }
}
