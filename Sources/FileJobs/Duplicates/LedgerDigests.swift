// The digests of files that have not changed since a run of `weir hash -o`, in place of a read.
//
// DESIGN. Only a record with the present size and time, to the nanosecond, and without an open point
// counts, as for an update. Of a digest the first 128 bits do, as many as of XXH128. Names are compared
// as they are, without `.` and repeated slashes; a name that is found in no record is read. So is a file
// whose canonical path is not that of its record: a copy in another directory, or a file behind a link
// that took the place of a recorded directory.

package import SystemPackage
internal import Weir

/// The recorded digests of files by name: 220 bytes of memory each in a table that has just grown.
package struct LedgerDigests: Sendable {
  private struct Known {
    let size: UInt64
    let time: FileTime
    let digest: DuplicatesCandidates.Digest
  }

  private let records: [Int: Known]
  private let names: LedgerNames
  /// The algorithm of all digests: the first one of the first record.
  let algorithm: DigestAlgorithm

  /// Reads the records in an mtree(5) manifest, or those beside a manifest of text as far as the two
  /// agree; `nil` if there is none with a size, a time and a digest of 128 bits or more.
  ///
  /// Blocks: as reading files does.
  ///
  /// - Throws: The error of an open or a read.
  package init?(_ manifest: CheckManifest) throws(Errno) {
    let lines = try RecordedLines(manifest, isZeroTerminated: nil)
    var (found, hadLedger) = (Found(), lines.hasLedger)
    while let line = try lines.next() {
      if case .entry(let entry) = line {
        found.take(entry)
      } else if let record = lines.record {
        found.take(record.entry)
      } else if hadLedger && !lines.hasLedger {
        // Another digest of the record before may be wrong.
        found.records[LedgerNames.hash(line.name)] = nil
      }
      hadLedger = lines.hasLedger
    }
    names = LedgerNames(directory: lines.header?.directory ?? [])
    guard let algorithm = found.algorithm else { return nil }
    (records, self.algorithm) = (found.records, algorithm)
  }

  private struct Found {
    var records: [Int: Known] = [:]
    var algorithm: DigestAlgorithm?

    mutating func take(_ entry: MtreeEntry) {
      let hash = LedgerNames.hash(entry.name)
      guard entry.type == .file, !entry.isIgnored, entry.open == nil,
        let size = entry.size, let time = entry.time, !entry.hasWholeSeconds,
        let algorithm = algorithm ?? entry.digests.first?.algorithm,
        let digest = entry.digest(algorithm).flatMap(DuplicatesCandidates.Digest.init)
      else {
        records[hash] = nil
        return
      }
      self.algorithm = algorithm
      records[hash] = Known(size: size, time: time, digest: digest)
    }
  }

  /// Returns the digest of a file by a name of it; `nil` if the file is to be read.
  func digest(of name: [UInt8], _ entry: DuplicatesTable.Entry) -> DuplicatesCandidates.Digest? {
    guard let record = name.withUnsafeBytes({ records[LedgerNames.hash($0)] }),
      record.size == entry.size && record.time == entry.modified, isRecorded(name)
    else { return nil }
    return record.digest
  }

  /// Returns true if a file is where its record says. Other programs do not record the directory.
  private func isRecorded(_ name: [UInt8]) -> Bool {
    names.directory.isEmpty || realPath(name) == names.path(of: name)
  }
}

extension DuplicatesCandidates {
  /// Returns the digest of a file by the first of its names that has a record.
  func digest(of file: UInt32, in recorded: LedgerDigests) -> Digest? {
    names(of: file).lazy.compactMap { recorded.digest(of: self.table.path($0), self.table[$0]) }
      .first
  }

  /// Returns true if a file of a class has a recorded digest, which no beginning and end decides.
  func has(_ recorded: LedgerDigests?, in one: Class) -> Bool {
    guard let recorded else { return false }
    return members[one.range].contains { digest(of: $0, in: recorded) != nil }
  }
}

extension DuplicatesCandidates.Digest {
  /// Takes the first 128 bits of a digest; `nil` if it is shorter.
  init?(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count < DuplicatesLane.recordCount { return nil }
    self = bytes.loadUnaligned(as: DuplicatesCandidates.Digest.self)
  }
}
