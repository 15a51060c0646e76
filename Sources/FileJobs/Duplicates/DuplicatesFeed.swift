// What is read in a stage, in the order of the input.

internal import Weir

/// Gives one file after the other to a processor.
///
/// @unchecked Sendable: one thread at a time asks, that which walks.
final class DuplicatesFeed: @unchecked Sendable {
  private let table: DuplicatesTable
  private let count: Int
  /// The name of an item, by which the source is known that it came from.
  private let name: @Sendable (Int) -> UInt32
  private let note: @Sendable (Int) -> DuplicatesStamp
  private let isCanceled: @Sendable () -> Bool
  private var index = 0
  private var path: [UInt8] = []
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)

  /// - Parameters:
  ///   - count: How many.
  ///   - name: The number of the name of one of them.
  ///   - note: What goes along with it.
  init(
    _ table: DuplicatesTable, count: Int, isCanceled: @escaping @Sendable () -> Bool,
    name: @escaping @Sendable (Int) -> UInt32,
    note: @escaping @Sendable (Int) -> DuplicatesStamp
  ) {
    self.table = table
    self.count = count
    self.name = name
    self.note = note
    self.isCanceled = isCanceled
  }

  deinit {
    memory.deallocate()
  }

  /// As sources: one for each of those the files came from that say what they lie on,
  /// since they are read accordingly.
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

  private func source(_ index: Int) -> Int { Int(table[name(index)].source) }

  private func storage(_ index: Int, _ originals: [FileSource]) -> Storage? {
    originals.indices.contains(source(index)) ? originals[source(index)].storage : nil
  }

  private func next() -> FileItem? {
    if isCanceled() { return nil }
    path.removeAll(keepingCapacity: true)
    table.names.append(table[name(index)].place, to: &path)
    let stamp = note(index)
    index += 1
    let room = DuplicatesStamp.byteCount + path.count
    if memory.count < room {
      memory.deallocate()
      memory = .allocate(byteCount: room * 2, alignment: 8)
    }
    memory.storeBytes(of: stamp, as: DuplicatesStamp.self)
    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[DuplicatesStamp.byteCount...])
    rest.copyBytes(from: path)
    return FileItem(
      path: UnsafeRawBufferPointer(rebasing: rest[..<path.count]),
      note: UnsafeRawBufferPointer(rebasing: memory[..<DuplicatesStamp.byteCount]),
      isWalked: false)
  }
}
