internal import Weir

/// A feed that gives a processor one file after the other.
///
/// @unchecked Sendable: one thread at a time calls it, the feeding thread.
final class DuplicatesFeed: @unchecked Sendable {
  /// A file among the candidates, and the number in its note.
  struct Item {
    let file: UInt32
    let number: UInt32
  }

  private let candidates: DuplicatesCandidates
  private let items: [Item]
  private let stages: JobStages
  private var index = 0
  private var path: [UInt8] = []
  private let memory = ByteBuffer()

  init(_ candidates: DuplicatesCandidates, _ items: [Item], _ stages: JobStages) {
    (self.candidates, self.items, self.stages) = (candidates, items, stages)
  }

  /// Returns the items as sources: one for each original source with a known storage, which
  /// decides how its files are read.
  func sources(_ originals: [FileSource]) -> [FileSource] {
    var sources: [FileSource] = []
    var begin = 0
    while begin < items.count {
      let storage = self.storage(begin, originals)
      var end = begin + 1
      while end < items.count
        && (source(end) == source(begin)
          || storage == nil && self.storage(end, originals) == nil)
      {
        end += 1
      }
      let last = end
      let items = FileSource.items { [self] in index < last ? next() : nil }
      sources.append(storage.map { items.on($0) } ?? items)
      begin = end
    }
    return sources
  }

  private func entry(_ index: Int) -> DuplicatesTable.Entry {
    candidates.table[candidates.name(of: items[index].file)]
  }

  private func source(_ index: Int) -> Int { Int(entry(index).source) }

  private func storage(_ index: Int, _ originals: [FileSource]) -> StorageReaders? {
    originals.indices.contains(source(index)) ? originals[source(index)].storage : nil
  }

  private func next() -> FileItem? {
    if stages.isCanceled { return nil }
    path.removeAll(keepingCapacity: true)
    candidates.table.paths.append(entry(index).location, to: &path)
    let metadata = candidates.metadata(of: items[index].file, number: items[index].number)
    index += 1
    memory.replace(after: 0, writing: DuplicatesMetadata.byteCount + path.count) { line in
      withUnsafeBytes(of: metadata) { line.append($0) }
      line.append(path)
    }
    let bytes = memory.bytes
    return FileItem(
      lent: bytes[DuplicatesMetadata.byteCount...].rebased,
      note: bytes[..<DuplicatesMetadata.byteCount].rebased,
      isWalked: false)
  }
}
