// The files that an update reads, from its plan to the file processor.

internal import Weir

/// The note of a file that is read: the record of its name, and its place in the ledger.
struct UpdateNote {
  private let memory: UnsafeRawBufferPointer

  /// Returns `nil` without a note.
  init?(_ note: UnsafeRawBufferPointer) {
    if note.isEmpty { return nil }
    memory = note
  }

  private var recordCount: Int { Int(memory.littleEndian(at: 0) as UInt32) }

  var record: LedgerEntry? {
    let count = recordCount
    return count == 0
      ? nil : LedgerEntry(UnsafeRawBufferPointer(rebasing: memory[4..<4 + count]))
  }

  /// The key of the place, with its end.
  var place: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[(4 + recordCount)...])
  }

  static func write(
    _ record: LedgerEntry?, _ place: UnsafeRawBufferPointer,
    to memory: inout UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    memory.ensure(4 + (record?.memory.count ?? 0) + place.count)
    var line = LineWriter(memory)
    line.append(littleEndian: UInt32(record?.memory.count ?? 0))
    if let record { line.append(record.memory) }
    line.append(place)
    return UnsafeRawBufferPointer(rebasing: memory[..<line.count])
  }
}

/// The items of a plan that are read, as a source for each source of the run.
///
/// @unchecked Sendable: only the thread that feeds uses it.
final class UpdateFeed: @unchecked Sendable {
  private let reader: SortedRuns.Reader
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private var head: UnsafeRawBufferPointer?
  private var hasBegun = false
  /// The error that has ended the feed.
  private(set) var failure: (any Error)?

  init(_ items: SortedRuns) { reader = items.makeReader() }

  deinit { memory.deallocate() }

  /// Returns a source for each of the run's: the lanes on its storage are the same.
  func sources(_ sources: [FileSource]) -> [FileSource] {
    sources.enumerated().map { number, source in
      let descriptor = source.openDescriptor
      let items = FileSource.items { [self] in
        next(of: number).map { place, item in
          let note = UpdateNote.write(item.record, place, to: &memory)
          if let descriptor, item.header.isDescriptor {
            return .descriptor(descriptor, lent: item.name, note: note)
          }
          return item.header.isNamed
            ? FileItem(lent: item.name, note: note, isWalked: false)
            : .found(lent: item.name, below: Int(item.header.rootCount), note: note)
        }
      }
      return source.storage.map { items.on($0) } ?? items
    }
  }

  /// Returns the next item of a source that is read, with its place; `nil` if there is none.
  private func next(of source: Int) -> (UnsafeRawBufferPointer, UpdateItem)? {
    do {
      if !hasBegun { head = try reader.next() }
      hasBegun = true
      while let record = head {
        let count = LedgerKeys.count(in: record)
        let item = UpdateItem(UnsafeRawBufferPointer(rebasing: record[count...]))
        if item.source > source { return nil }
        if item.step == .read && item.source == source && !isTaken {
          isTaken = true
          return (UnsafeRawBufferPointer(rebasing: record[..<count]), item)
        }
        isTaken = false
        head = try reader.next()
      }
    } catch {
      failure = error
      head = nil
    }
    return nil
  }

  /// True if the head was returned: it is valid until the next one is read.
  private var isTaken = false
}
