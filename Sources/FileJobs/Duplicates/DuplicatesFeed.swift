// The feed of a stage: the files to read, in the order of the input.

internal import Weir

/// A feed that gives a processor one file after the other.
///
/// @unchecked Sendable: one thread at a time calls it, the feeding thread.
final class DuplicatesFeed: @unchecked Sendable {
  private let table: DuplicatesTable
  private let count: Int
  /// Returns the table number of an item, which has the path and the source.
  private let number: @Sendable (Int) -> UInt32
  private let metadata: @Sendable (Int) -> DuplicatesMetadata
  private let isCanceled: @Sendable () -> Bool
  private var index = 0
  private var path: [UInt8] = []
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)

  /// - Parameters:
  ///   - count: The number of items.
  ///   - number: Returns the table number of an item.
  ///   - metadata: Returns the note of an item.
  init(
    _ table: DuplicatesTable, count: Int, isCanceled: @escaping @Sendable () -> Bool,
    number: @escaping @Sendable (Int) -> UInt32,
    metadata: @escaping @Sendable (Int) -> DuplicatesMetadata
  ) {
    self.table = table
    self.count = count
    self.number = number
    self.metadata = metadata
    self.isCanceled = isCanceled
  }

  deinit {
    memory.deallocate()
  }

  /// Returns the items as sources: one for each original source with a known storage, which
  /// decides how its files are read.
  func sources(_ originals: [FileSource]) -> [FileSource] {
    var sources: [FileSource] = []
    var begin = 0
    while begin < count {
      let storage = self.storage(begin, originals)
      var end = begin + 1
      while end < count
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

  private func source(_ index: Int) -> Int { Int(table[number(index)].source) }

  private func storage(_ index: Int, _ originals: [FileSource]) -> Storage? {
    originals.indices.contains(source(index)) ? originals[source(index)].storage : nil
  }

  private func next() -> FileItem? {
    if isCanceled() { return nil }
    path.removeAll(keepingCapacity: true)
    table.paths.append(table[number(index)].location, to: &path)
    let metadata = metadata(index)
    index += 1
    memory.ensure(DuplicatesMetadata.byteCount + path.count)
    memory.storeBytes(of: metadata, as: DuplicatesMetadata.self)
    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[DuplicatesMetadata.byteCount...])
    rest.copyBytes(from: path)
    return FileItem(
      lent: UnsafeRawBufferPointer(rebasing: rest[..<path.count]),
      note: UnsafeRawBufferPointer(rebasing: memory[..<DuplicatesMetadata.byteCount]),
      isWalked: false)
  }
}
