// The search for the former record of a new file.
//
// DESIGN. A record can be that of a new file if it has the file's size and time and no file has
// its name any more. Two degrees of proof follow.
//
//  - The record tells: its last component is that of the file, and no other such record has it
//    too, nor has one of a file that is there, with other digests. Then its digest is taken without
//    reading the file, as an update takes that of a file whose name, size and time are the same.
//    (Rejected: to take of several the one that shares most directories with the file. After
//    directories are renamed crosswise it is the wrong one.)
//    A time without a fraction of a second tells nothing: programs that install or unpack files
//    give all of them such times (those of a package store are 1), so that another version of a
//    file has the same.
//  - The digest tells: the file is read, as every new file is, and its digests are the record's.
//
// The search is made by the lanes, so that files on a server are examined side by side. Which file
// gets a record that several could have is decided when all are known: ``RecordChanges``.

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// A record that may be the former one of a new file.
struct FormerRecord {
  /// As of ``RecordPosition/place``.
  let place: Int64
  let name: [UInt8]
  /// The packed record.
  let bytes: [UInt8]

  /// Returns true if another record has these digests too.
  func hasDigests(of other: FormerRecord) -> Bool {
    withRecord { record in
      other.withRecord { other in
        record.digests.algorithms.allSatisfy {
          record.digests.digest($0) == other.digests.digest($0)
        }
      }
    }
  }

  func withRecord<R, E: Error>(_ body: (PackedRecord) throws(E) -> R) throws(E) -> R {
    try bytes.withUnsafeBufferPointer { (bytes) throws(E) in
      try body(PackedRecord(UnsafeRawBufferPointer(bytes)))
    }
  }
}

/// A search for the former records of new files, for all lanes.
package final class MoveSearch: Sendable {
  private let manifest: PreviousManifest
  private let followsLinks: Bool
  private let file: FileDescriptor?
  private let name: [UInt8]
  /// The index, once a file was searched; `nil` if it failed.
  private let index = Locked<MoveIndex??>(nil)
  private let error = Locked<Errno?>(nil)

  /// The error after which files were not searched. Then moved files count as new, and rot in them
  /// is not seen: the run has failed.
  package var failure: Fault? { error.with { $0 }.map { Fault(name, .system($0)) } }

  /// The largest number of records that are examined for a file.
  private static let examinedMax = 256

  /// - Parameters:
  ///   - output: The output, beside which the index is.
  ///   - followsLinks: True if the run follows symbolic links.
  package init(
    of output: OutputFile, _ manifest: PreviousManifest, followsLinks: Bool
  ) throws(Fault) {
    self.manifest = manifest
    self.followsLinks = followsLinks
    (name, file) = (RecordChanges.scratchName(of: output), try RecordChanges.scratch(of: output))
  }

  /// Closes the index, after the run.
  package func close() { if let file { try? file.close() } }

  /// Returns the records that a new file may have had, the likeliest first, and whether they tell
  /// it without its content: then all have one name.
  ///
  /// - Parameter reader: The reader of the lane, made at the first search: the files of a renamed
  ///   directory come in the order of their records.
  func records(
    of name: UnsafeRawBufferPointer, _ status: FileStatus, by reader: inout RecordReader?
  ) -> (all: [FormerRecord], tell: Bool) {
    let (named, isSure) = gone(status, name.lastComponent, &reader)
    if status.modified.nanoseconds != 0, isSure, let first = named.first,
      named.allSatisfy({ $0.name == first.name })
    {
      return (named, true)
    }
    // Those of the same last component may be beyond the number that is examined.
    let others = gone(status, nil, &reader).records.filter { other in
      !named.contains { $0.place == other.place }
    }
    let all = (named + others).map { (MoveSearch.sharedComponents($0.name, name), $0) }
    return (all.sorted { ($1.0, $0.1.place) < ($0.0, $1.1.place) }.map(\.1), false)
  }

  /// Returns the number of components at the end of two names that are the same.
  private static func sharedComponents(
    _ left: [UInt8], _ right: UnsafeRawBufferPointer
  ) -> Int {
    let slash = UInt8(ascii: "/")
    let pairs = zip(
      left.split(separator: slash).reversed(), right.split(separator: slash).reversed())
    return pairs.prefix { $0.elementsEqual($1) }.count
  }

  // MARK: Records

  /// Returns the records with a size, a time and perhaps a last component whose names lead to no
  /// file any more, and whether all records with these were examined and have the same digests.
  private func gone(
    _ status: FileStatus, _ base: UnsafeRawBufferPointer?, _ reader: inout RecordReader?
  ) -> (records: [FormerRecord], isSure: Bool) {
    do throws(Errno) {
      let (found, isAll) = try read(status, base, &reader)
      let gone = found.filter { self.status(of: $0.name).map { $0 != .file } ?? true }
      return (gone, isAll && found.allSatisfy { $0.hasDigests(of: found[0]) })
    } catch {
      note(error)
      return ([], false)
    }
  }

  private func note(_ error: Errno) { self.error.with { $0 = $0 ?? error } }

  private func read(
    _ status: FileStatus, _ base: UnsafeRawBufferPointer?, _ reader: inout RecordReader?
  ) throws(Errno) -> (records: [FormerRecord], isAll: Bool) {
    let made = index.with { index in
      if let index { return index }
      do throws(Errno) {
        index = .some(try MoveIndex(manifest.reader(), in: file))
      } catch {
        index = .some(nil)
        note(error)
      }
      return index ?? nil
    }
    guard let made else { return ([], false) }
    let places = try made.places(
      status.size, status.modified, base: base, max: MoveSearch.examinedMax + 1)
    if places.isEmpty { return ([], true) }
    let records = reader ?? manifest.reader()
    reader = records
    var found: [FormerRecord] = []
    for place in places.prefix(MoveSearch.examinedMax) {
      if records.position.place != place { records.move(to: RecordPosition(place: place)) }
      guard let record = try records.next(), record.line.size == status.size,
        record.line.time == status.modified,
        base.map(record.name.lastComponent.hasSameBytes(as:)) ?? true
      else { continue }
      found.append(
        FormerRecord(
          place: place, name: Array(record.name), bytes: PackedRecord.bytes(of: record)))
    }
    return (found, places.count <= MoveSearch.examinedMax)
  }

  /// Returns the type of the file that has the name of a record; `nil` if there is none. One that
  /// cannot be examined counts as a file.
  private func status(of name: [UInt8]) -> EntryType? {
    let path = manifest.names == manifest.now ? name : manifest.names.path(of: name)
    do throws(Errno) {
      let status = try LongPath.status(path + [0], followsLinks: followsLinks)
      return EntryType(mode: status.st_mode)
    } catch {
      return error.isMissing ? nil : .file
    }
  }
}
