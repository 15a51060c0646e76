// The records of a former manifest, or of an interrupted run, in the order of their keys.
//
// DESIGN. A ledger in the order of the run is read in step with the walk, with one record in memory.
// The next file of a walk mostly has the next record: their names are compared, and no key is made. If
// another record of this name follows, the ledger was edited, and is not in step. Any other manifest
// passes through sorted runs, and so do the records of an interrupted run. Lines of one name become one
// entry: a list of a checksum tool has a line for each algorithm, and a ledger one for each PATH that
// has the file. Of several records of an interrupted run the last one counts.

internal import SystemPackage
internal import Weir

/// A reader of entries. An entry is valid until the next one is read.
final class LedgerEntries {
  /// The records of a ledger in step, or those that were sorted.
  private let records: LedgerRecords?
  private let sorted: SortedRuns.Reader?
  private let (keys, record) = (LedgerKeyWriter(), EntryBuffer())
  /// The name and the source of the last record, if it was skipped.
  private let skipped = ByteBuffer()
  private var skippedSource: Int?
  /// The name of the manifest; `nil` for the records of an interrupted run.
  private let name: [UInt8]?
  /// The record that follows the present entry.
  private var head: UnsafeRawBufferPointer?
  private let present = ByteBuffer()
  private let (files, links) = (EntryBuffer(), EntryBuffer())
  private var (hasFile, hasLink) = (false, false)

  private(set) var hasEntry = true
  /// The number of files, and that of lines without a digest that can be compared.
  private(set) var count: UInt64 = 0
  private(set) var uselessCount: UInt64 = 0

  /// A record in sorted runs has its number after the key.
  private static let numberCount = 4

  /// Reads the first entry of a manifest. `runs` makes empty sorted runs.
  init(
    _ manifest: FormerManifest, _ keys: LedgerKeys, runs: () -> SortedRuns, check: () throws -> Void
  ) throws {
    name = manifest.name
    if keys.isInStep {
      (records, sorted) = (LedgerRecords(manifest), nil)
    } else {
      let runs = runs()
      if manifest.isLedger {
        let records = LedgerRecords(manifest)
        try LedgerEntries.sort(keys, of: manifest.names, into: runs, check, records.next)
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
      (records, sorted) = (nil, runs.makeReader())
    }
    head = try next()
    try advance()
  }

  init(
    _ partial: FileDescriptor, _ keys: LedgerKeys, _ runs: SortedRuns, _ check: () throws -> Void
  ) throws {
    name = nil
    let reader = RecordReader(partial, unreadable: .end)
    try LedgerEntries.sort(keys, of: keys.names, into: runs, check) {
      while try reader.advance() {
        // A record with a mark is none of a content that was read.
        if reader.entry.open == nil { return reader.entry }
      }
      return nil
    }
    (records, sorted) = (nil, runs.makeReader())
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
    var orderMax = 0
    if let source = skippedSource.take() {
      orderMax = -1
      _ = keys.write(skipped.bytes, group: source)
      present.replace(after: 0, by: keys.key)
      head = try next()
    }
    guard let first = head else { return hasEntry = false }
    let key = first[..<first.keyCount].rebased
    // A ledger that was edited may have lost its order: then nothing is in step.
    if records != nil && present.bytes.order(to: key) > orderMax { throw OutOfStep() }
    present.replace(after: 0, by: key)
    repeat {
      if let head { try take(head) }
      head = try next()
    } while hasSameKey(head)
    if hasFile { count += 1 }
  }

  /// Skips the record after the present entry, which counts no more, if it is of a file with this name
  /// and has no open point. Returns the record, which is valid until the next call.
  func skip(_ name: UnsafeRawBufferPointer, of source: Int) -> InventoryEntry? {
    let read = head.map { InventoryEntry($0[($0.keyCount + 1)...].rebased) }
    guard let records, !hasLink, let found = read ?? records.reader.peek(), !found.isLink,
      found.open == nil, found.source ?? 0 == source,
      found.recordName.hasSameBytes(as: name),
      head != nil || records.agreement?.skip(found) ?? true
    else { return nil }
    if head == nil { records.reader.skip() }
    (head, skippedSource) = (nil, source)
    skipped.replace(after: 0, by: name)
    count += 1
    return found
  }

  /// Returns the next record, after its key.
  private func next() throws -> UnsafeRawBufferPointer? {
    guard let records else { return try sorted?.next() }
    guard let entry = try records.next() else { return nil }
    guard keys.write(entry.recordName, group: entry.source ?? 0) else {
      throw Fault(unreadableLineOf: name ?? [])
    }
    record.put(keys.key, entry)
    return record.bytes
  }

  /// Reads up to a key; keys come in order. Returns the record of its file; `nil` if there is none.
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
    let begin = key.count + 1 + (records != nil ? 0 : LedgerEntries.numberCount)
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

/// A reader of the records of a ledger, in step with the manifest of text that it is beside.
private final class LedgerRecords {
  let manifest: FormerManifest
  let reader: RecordReader
  let agreement: TextAgreement?

  init(_ manifest: FormerManifest) {
    self.manifest = manifest
    reader = RecordReader(manifest.descriptor, unreadable: .failure, listsLinks: true)
    agreement = TextAgreement(manifest)
  }

  func next() throws -> InventoryEntry? {
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
