internal import SystemPackage
internal import Weir

/// Gives each file of a run a note with the earlier records of that file.
///
/// @unchecked Sendable: only the thread that walks uses it.
final class RecordFeed: @unchecked Sendable {
  /// One value, so that a file is one access to the object: Swift checks each.
  private var joins: RecordJoins

  init(partial: RecordJoin?, manifest: RecordJoin?) {
    joins = RecordJoins(partial: partial, manifest: manifest)
  }

  deinit { joins.deallocate() }

  /// Returns the note of a file; `nil` if there is no record of it.
  func annotate(_ path: UnsafeRawBufferPointer, source: Int) -> UnsafeRawBufferPointer? {
    joins.note(path, source)
  }

  /// The error that has ended the reading of the manifest, after the walk.
  var failure: Errno? { joins.failure }

  /// Returns the sources of a run, with those that are descriptors as items with notes:
  /// the processor asks for notes of paths only.
  func annotated(_ sources: [FileSource]) -> [FileSource] {
    sources.enumerated().map { number, source in
      guard let descriptor = source.openDescriptor else { return source }
      let name = source.nameBytes
      let isNext = Locked(true)
      return .items {
        let isFirst = isNext.with { isNext in
          defer { isNext = false }
          return isNext
        }
        if !isFirst { return nil }
        // The note has the record of the manifest only: the descriptor is read in any case.
        let (name, note) = self.joins.note(ofDescriptor: name, number)
        return .descriptor(descriptor, lent: name, note: note)
      }
    }
  }
}

/// The joins of a run's files with the records of earlier runs, and the note that they make.
private struct RecordJoins {
  /// One join, and the flag of its records in a note.
  private struct Side {
    let flag: UInt8
    var join: RecordJoin
    /// The read error, after which the records count as absent: their files are read again.
    var failure: Errno?
  }

  /// The joins with the unfinished run and with the manifest, in this order; either may be
  /// absent.
  private var sides: [Side] = []
  /// The memory of the last note, valid until the next file is found.
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private var count = 0

  init(partial: RecordJoin?, manifest: RecordJoin?) {
    if let partial { sides.append(Side(flag: RecordNote.Flag.partial, join: partial)) }
    if let manifest { sides.append(Side(flag: RecordNote.Flag.manifest, join: manifest)) }
  }

  func deallocate() { memory.deallocate() }

  /// The error that has ended the reading of the manifest.
  var failure: Errno? { sides.last { $0.flag == RecordNote.Flag.manifest }?.failure }

  /// Makes the note of a file; returns `nil` if there is no record of it.
  mutating func note(_ path: UnsafeRawBufferPointer, _ source: Int) -> UnsafeRawBufferPointer? {
    // A walk finds files only: here `-` is a file, not standard input.
    let path = DashFile.isDash(path) ? DashFile.name : path
    begin()
    for index in sides.indices { find(path, source, at: index) }
    return memory[0] == 0 ? nil : UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  /// Makes the note of a descriptor, which is empty without a record, and a copy of the
  /// descriptor's name that is valid as long.
  mutating func note(
    ofDescriptor name: [UInt8], _ source: Int
  ) -> (name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer) {
    begin()
    if let index = sides.firstIndex(where: { $0.flag == RecordNote.Flag.manifest }) {
      name.withUnsafeBytes { find($0, source, at: index) }
    }
    if memory[0] != 0 { memory[0] |= RecordNote.Flag.descriptor } else { count = 0 }
    let begin = count
    reserve(name.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[begin...]).copyBytes(from: name)
    let all = UnsafeRawBufferPointer(rebasing: memory[..<(begin + name.count)])
    return (
      UnsafeRawBufferPointer(rebasing: all[begin...]),
      UnsafeRawBufferPointer(rebasing: all[..<begin])
    )
  }

  private mutating func begin() {
    count = RecordNote.headerSize
    memory.storeBytes(of: 0, as: UInt64.self)
  }

  /// Appends the record of a file to the note.
  private mutating func find(_ path: UnsafeRawBufferPointer, _ source: Int, at index: Int) {
    if sides[index].failure != nil { return }
    do throws(Errno) {
      guard let match = try sides[index].join.find(path, source: source) else { return }
      let length = PackedRecord.length(of: match.pointee)
      reserve(length)
      PackedRecord.write(
        match.pointee,
        to: UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + length]))
      memory[0] |= sides[index].flag
      count += length
    } catch {
      sides[index].failure = error
    }
  }

  /// Makes room after the note.
  private mutating func reserve(_ length: Int) {
    if memory.count - count >= length { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (count + length) * 2, alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }
}
