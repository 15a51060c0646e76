// What runs before have recorded, given to the files that are found.

internal import SystemPackage
internal import Weir

/// Annotates the files of a run with what runs before have recorded of them.
///
/// @unchecked Sendable: the thread that walks alone uses it.
final class RecordFeed: @unchecked Sendable {
  private var former: RecordJoin?
  private var old: RecordJoin?
  private var note: [UInt8] = []
  /// Lent until the next file is found.
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)

  init(former: RecordJoin?, old: RecordJoin?) {
    self.former = former
    self.old = old
  }

  deinit { memory.deallocate() }

  /// The note of a file; `nil` where nothing is known of it.
  func annotate(_ path: UnsafeRawBufferPointer, source: Int) -> UnsafeRawBufferPointer? {
    // What is found is no descriptor.
    let path = DashFile.isDash(path) ? DashFile.name : path
    begin()
    RecordFeed.look(in: &former, path, source, RecordNotes.former, &note)
    RecordFeed.look(in: &old, path, source, RecordNotes.old, &note)
    return note[0] == 0 ? nil : lend()
  }

  /// Sources of descriptors as such that bring their notes along: the processor asks
  /// about paths alone.
  func annotated(_ sources: [FileSource]) -> [FileSource] {
    sources.enumerated().map { number, source in
      guard let descriptor = source.openDescriptor else { return source }
      let name = source.nameBytes
      let isGiven = Locked(false)
      return .items {
        let isFirst = isGiven.with { isGiven in
          defer { isGiven = true }
          return !isGiven
        }
        return isFirst ? self.item(descriptor, name, source: number) : nil
      }
    }
  }

  /// A descriptor with what is known of it: of the manifest alone, since it is read in
  /// any case.
  private func item(
    _ descriptor: FileDescriptor, _ name: [UInt8], source: Int
  ) -> FileItem {
    begin()
    name.withUnsafeBytes { RecordFeed.look(in: &old, $0, source, RecordNotes.old, &note) }
    if note[0] != 0 { note[0] |= RecordNotes.descriptor } else { note.removeAll() }
    let noteCount = note.count
    note += name
    let lent = lend()
    return .descriptor(
      descriptor, name: UnsafeRawBufferPointer(rebasing: lent[noteCount...]),
      note: UnsafeRawBufferPointer(rebasing: lent[..<noteCount]))
  }

  private func begin() {
    note.removeAll(keepingCapacity: true)
    note.append(contentsOf: repeatElement(0, count: RecordNotes.headSize))
  }

  private func lend() -> UnsafeRawBufferPointer {
    if memory.count < note.count {
      memory.deallocate()
      memory = .allocate(byteCount: note.count * 2, alignment: 8)
    }
    memory.copyBytes(from: note)
    return UnsafeRawBufferPointer(rebasing: memory[..<note.count])
  }

  /// What cannot be read is as what is not there: files are read again.
  private static func look(
    in join: inout RecordJoin?, _ path: UnsafeRawBufferPointer, _ source: Int, _ flag: UInt8,
    _ note: inout [UInt8]
  ) {
    do throws(Errno) {
      guard try join?.find(path, source: source) == true, let found = join?.note else { return }
      note[0] |= flag
      note += found
    } catch {
      join = nil
    }
  }
}
