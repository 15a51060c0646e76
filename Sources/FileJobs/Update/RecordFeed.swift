// The notes with earlier records for the files that a run finds.

internal import SystemPackage
internal import Weir

/// Gives each file of a run a note with the earlier records of that file.
///
/// @unchecked Sendable: only the thread that walks uses it.
final class RecordFeed: @unchecked Sendable {
  private var partial: RecordJoin?
  private var manifest: RecordJoin?
  private var note: [UInt8] = []
  /// The memory of the last note, valid until the next file is found.
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)

  init(partial: RecordJoin?, manifest: RecordJoin?) {
    self.partial = partial
    self.manifest = manifest
  }

  deinit { memory.deallocate() }

  /// Returns the note of a file; `nil` if there is no record of it.
  func annotate(_ path: UnsafeRawBufferPointer, source: Int) -> UnsafeRawBufferPointer? {
    // A walk finds files only: here `-` is a file, not standard input.
    let path = DashFile.isDash(path) ? DashFile.name : path
    begin()
    RecordFeed.append(&partial, path, source, RecordNote.Flag.partial, &note)
    RecordFeed.append(&manifest, path, source, RecordNote.Flag.manifest, &note)
    return note[0] == 0 ? nil : copyNote()
  }

  /// Returns the sources of a run, with those that are descriptors as items with notes:
  /// the processor asks for notes of paths only.
  func annotated(_ sources: [FileSource]) -> [FileSource] {
    sources.enumerated().map { number, source in
      guard let descriptor = source.openDescriptor else { return source }
      let name = source.nameBytes
      let isDelivered = Locked(false)
      return .items {
        let isFirst = isDelivered.with { isDelivered in
          defer { isDelivered = true }
          return !isDelivered
        }
        return isFirst ? self.item(descriptor, name, source: number) : nil
      }
    }
  }

  /// Returns a descriptor with its record in the manifest only, since the descriptor is
  /// read in any case.
  private func item(
    _ descriptor: FileDescriptor, _ name: [UInt8], source: Int
  ) -> FileItem {
    begin()
    name.withUnsafeBytes {
      RecordFeed.append(&manifest, $0, source, RecordNote.Flag.manifest, &note)
    }
    if note[0] != 0 { note[0] |= RecordNote.Flag.descriptor } else { note.removeAll() }
    let noteCount = note.count
    note += name
    let copy = copyNote()
    return .descriptor(
      descriptor, name: UnsafeRawBufferPointer(rebasing: copy[noteCount...]),
      note: UnsafeRawBufferPointer(rebasing: copy[..<noteCount]))
  }

  private func begin() {
    note.removeAll(keepingCapacity: true)
    note.append(contentsOf: repeatElement(0, count: RecordNote.headerSize))
  }

  private func copyNote() -> UnsafeRawBufferPointer {
    memory.ensure(note.count)
    memory.copyBytes(from: note)
    return UnsafeRawBufferPointer(rebasing: memory[..<note.count])
  }

  /// Appends the record of a file to its note. After a read error the records count as
  /// absent: their files are read again.
  private static func append(
    _ join: inout RecordJoin?, _ path: UnsafeRawBufferPointer, _ source: Int, _ flag: UInt8,
    _ note: inout [UInt8]
  ) {
    do throws(Errno) {
      guard try join?.find(path, source: source) == true, let found = join?.found else { return }
      note[0] |= flag
      note += found
    } catch {
      join = nil
    }
  }
}
