internal import Weir

/// The items of a plan that are read, as a source for each source of the run. The note of a file is
/// its item.
///
/// @unchecked Sendable: only the thread that feeds uses it.
final class UpdateFeed: @unchecked Sendable {
  private let reader: SortedRuns.Reader
  private var head: UnsafeRawBufferPointer?
  private var hasBegun = false
  /// True if the head was returned: it is valid until the next one is read.
  private var isTaken = false
  private(set) var failure: (any Error)?

  init(_ items: SortedRuns) { reader = items.makeReader() }

  /// Returns a source for each of the run's: the lanes on its storage are the same.
  func sources(_ sources: [FileSource]) -> [FileSource] {
    sources.enumerated().map { number, source in
      let descriptor = source.openDescriptor
      let items = FileSource.items { [self] in
        next(of: number).map { item in
          if let descriptor, item.header.isDescriptor {
            return .descriptor(descriptor, lent: item.name, note: item.bytes)
          }
          return item.header.isNamed
            ? FileItem(lent: item.name, note: item.bytes, isWalked: false)
            : .found(lent: item.name, below: Int(item.header.rootCount), note: item.bytes)
        }
      }
      return source.storage.map { items.on($0) } ?? items
    }
  }

  /// Returns the next item of a source that is read; `nil` if there is none.
  private func next(of source: Int) -> UpdateItem? {
    do {
      if !hasBegun { head = try reader.next() }
      hasBegun = true
      while let record = head {
        let item = UpdateItem(record)
        if item.source > source { return nil }
        if item.step == .read && item.source == source && !isTaken {
          isTaken = true
          return item
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
}
