// The records of a former manifest, or of an interrupted run, in the order of their keys.
//
// DESIGN. A ledger in the order of the run is read in step with the walk, with one record in memory.
// Any other manifest passes through sorted runs, and so do the records of an interrupted run. Lines of
// one name become one entry: a list of a checksum tool has a line for each algorithm, and a ledger one
// for each PATH that has the file. Of several records of an interrupted run the last one counts.

internal import SystemPackage
internal import Weir

/// A reader of entries. An entry is valid until the next one is read.
final class LedgerEntries {
  private let next: () throws -> UnsafeRawBufferPointer?
  private let isInStep: Bool
  /// The name of the manifest; `nil` for the records of an interrupted run.
  private let name: [UInt8]?
  /// The record that follows the present entry.
  private var head: UnsafeRawBufferPointer?
  private let present = ByteBuffer()
  private let (files, links) = (EntryBuffer(), EntryBuffer())
  private var (hasFile, hasLink) = (false, false)

  /// True if there is an entry; false at the end.
  private(set) var hasEntry = true
  /// The number of files, and that of lines without a digest that can be compared.
  private(set) var count: UInt64 = 0
  private(set) var uselessCount: UInt64 = 0

  /// A record in sorted runs has its number after the key.
  private static let numberCount = 4

  /// Reads the first entry of a manifest.
  ///
  /// - Parameter runs: Makes empty sorted runs.
  init(
    _ manifest: FormerManifest, _ keys: LedgerKeys, runs: () -> SortedRuns, check: () throws -> Void
  ) throws {
    (name, isInStep) = (manifest.name, keys.isInStep)
    if keys.isInStep {
      let (records, writer) = (LedgerEntries.records(of: manifest), LedgerKeyWriter())
      let buffer = EntryBuffer()
      next = {
        guard let entry = try records() else { return nil }
        let source = entry.source ?? 0
        guard keys.write(entry.recordName, source: source, of: manifest.names, by: writer) else {
          throw Fault(unreadableLineOf: manifest.name)
        }
        buffer.put(writer.key, entry)
        return buffer.bytes
      }
    } else {
      let runs = runs()
      if manifest.isLedger {
        let records = LedgerEntries.records(of: manifest)
        try LedgerEntries.sort(keys, of: manifest.names, into: runs, check, records)
      } else {
        let lines = try manifest.makeLines()
        var useless: UInt64 = 0
        try LedgerEntries.sort(keys, of: manifest.names, into: runs, check) {
          while let (name, line) = try lines.next() {
            if line.isOther && line.type != .blockDevice { continue }
            if line.digests.isEmpty {
              useless += 1
              continue
            }
            var entry = line
            entry.text = name
            // A record of weir has no time without a size.
            if entry.size == nil { entry.time = nil }
            return entry
          }
          return nil
        }
        uselessCount = useless + lines.faults.lines
      }
      let reader = runs.makeReader()
      next = { try reader.next() }
    }
    head = try next()
    try advance()
  }

  /// Reads the first record of an interrupted run.
  init(
    _ partial: FileDescriptor, _ keys: LedgerKeys, _ runs: SortedRuns, _ check: () throws -> Void
  ) throws {
    (name, isInStep) = (nil, false)
    let records = RecordReader(partial, unreadable: .end)
    try LedgerEntries.sort(keys, of: keys.names, into: runs, check) {
      while try records.advance() {
        // A record with a mark is none of a content that was read.
        if records.entry.open == nil { return records.entry }
      }
      return nil
    }
    let reader = runs.makeReader()
    next = { try reader.next() }
    head = try next()
    try advance()
  }

  /// Returns the candidates for a digest without a tag, those of a run first.
  static func untagged(_ algorithms: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let usual = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "xxh64"]
    return (algorithms + usual.compactMap { DigestAlgorithm($0) }).withoutDuplicates
  }

  // MARK: Entries

  var key: UnsafeRawBufferPointer { present.bytes }
  /// The record of the file that has the key, and that of the link; `nil` if there is none.
  var file: InventoryEntry? { hasFile ? files.entry : nil }
  var link: InventoryEntry? { hasLink ? links.entry : nil }

  func advance() throws {
    (hasFile, hasLink) = (false, false)
    guard let first = head else { return hasEntry = false }
    let key = first[..<first.keyCount].rebased
    // A ledger that was edited may have lost its order: then nothing is in step.
    if isInStep && present.bytes.order(to: key) > 0 { throw OutOfStep() }
    present.replace(after: 0, by: key)
    repeat {
      if let head { try take(head) }
      head = try next()
    } while hasSameKey(head)
    if hasFile { count += 1 }
  }

  /// Reads up to a key. Returns the record of its file; `nil` if there is none. Keys are asked for in
  /// their order.
  func find(_ key: UnsafeRawBufferPointer) throws -> InventoryEntry? {
    while hasEntry, self.key.order(to: key) < 0 { try advance() }
    return hasEntry && self.key.hasSameBytes(as: key) ? file : nil
  }

  private func hasSameKey(_ record: UnsafeRawBufferPointer?) -> Bool {
    guard let record, record.count > key.count, record[key.count] == 0 else { return false }
    return record[..<key.count].rebased.hasSameBytes(as: key)
  }

  /// The error of a ledger whose entries are not in the order of its run.
  struct OutOfStep: Error {}

  private func take(_ record: UnsafeRawBufferPointer) throws {
    let begin = key.count + 1 + (isInStep ? 0 : LedgerEntries.numberCount)
    let payload = record[begin...].rebased
    let entry = InventoryEntry(payload)
    if entry.isLink {
      links.put(key, payload: payload)
      hasLink = true
    } else if let name, hasFile {
      if mergeDigests(of: entry) { return }
      throw Fault(
        name,
        .refused(
          """
          has two digests of \(Array(entry.recordName)) that differ; see weir check, and \
          remove the wrong line
          """))
    } else {
      files.put(key, payload: payload)
      hasFile = true
    }
  }

  /// Adds digests to the file. Returns false if two of one algorithm differ.
  private func mergeDigests(of entry: InventoryEntry) -> Bool {
    var known = files.entry
    var digests = [UInt8](known.digests)
    for digest in EntryDigests(entry.digests) {
      if let own = known.digest(digest.index) {
        if !own.hasSameBytes(as: digest.bytes) { return false }
      } else {
        digests.append(digest)
      }
    }
    let payload = digests.withUnsafeBytes { digests in
      known.digests = digests
      return known.bytes
    }
    payload.withUnsafeBytes { files.put(key, payload: $0) }
    return true
  }

  // MARK: Records

  /// Returns a reader of the records of a ledger, in step with the manifest of text that it is beside.
  private static func records(of manifest: FormerManifest) -> () throws -> InventoryEntry? {
    let reader = RecordReader(manifest.descriptor, unreadable: .failure, listsLinks: true)
    let agreement = TextAgreement(manifest)
    return {
      do throws(Errno) {
        if try reader.advance() {
          try agreement?.expect(reader.entry)
          return reader.entry
        }
        try agreement?.finish()
        return nil
      } catch {
        throw agreement?.fault(error) ?? Fault(manifest: manifest.name, error)
      }
    }
  }

  /// Sorts records by their keys, and those of one key by their numbers.
  private static func sort(
    _ keys: LedgerKeys, of names: LedgerNames, into runs: SortedRuns, _ check: () throws -> Void,
    _ next: () throws -> InventoryEntry?
  ) throws {
    let writer = LedgerKeyWriter()
    var number: UInt32 = 0
    while let entry = try next() {
      try check()
      guard keys.write(entry.recordName, source: entry.source ?? 0, of: names, by: writer) else {
        continue
      }
      try runs.append(writing: writer.key.count + 1 + numberCount + entry.count) { line in
        line.append(writer.key)
        line.append(UInt8(0))
        line.append(bigEndian: number)
        entry.write(to: &line)
      }
      number += 1
    }
    try runs.finish()
  }
}
