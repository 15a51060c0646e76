// Items for a file processor, given by a function.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

/// An item that owns its bytes.
struct Item {
  var kind = WEIR_ITEM_PATH
  var path: Path = []
  var note: [UInt8] = []
  var error: Int32 = 0
  var descriptor: Int32 = -1

  static func path(_ path: Path, _ note: [UInt8] = []) -> Item { Item(path: path, note: note) }
  static func file(_ path: Path, _ note: [UInt8] = []) -> Item {
    Item(kind: WEIR_ITEM_FILE, path: path, note: note)
  }
  static func note(_ note: [UInt8]) -> Item { Item(kind: WEIR_ITEM_NOTE, note: note) }
  static func failure(_ error: Int32, _ path: Path, _ note: [UInt8] = []) -> Item {
    Item(kind: WEIR_ITEM_FAILURE, path: path, note: note, error: error)
  }
  static func descriptor(_ descriptor: Int32, _ name: Path, _ note: [UInt8] = []) -> Item {
    Item(kind: WEIR_ITEM_DESCRIPTOR, path: name, note: note, descriptor: descriptor)
  }
  static let flush = Item(kind: WEIR_ITEM_FLUSH)
}

/// A source of items. Path and note of each stand in memory that is spoilt as
/// soon as the next is asked for, and the path has no NUL.
final class ItemFeed: @unchecked Sendable {
  private let next: @Sendable () -> Item?
  private var lent: UnsafeMutableRawBufferPointer?
  /// How often it was asked, the last time included.
  private(set) var asked = 0

  init(_ next: @escaping @Sendable () -> Item?) { self.next = next }

  convenience init(_ items: [Item]) {
    let rest = Locked(Array(items.reversed()))
    self.init { rest.with { $0.popLast() } }
  }

  deinit { spoil() }

  private func spoil() {
    lent?.initializeMemory(as: UInt8.self, repeating: 0x21)
    lent?.deallocate()
    lent = nil
  }

  private func lend(_ item: Item, in place: UnsafeMutablePointer<weir_files_item_t>) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: item.path.count + 1 + item.note.count, alignment: 1)
    lent = bytes
    bytes.copyBytes(from: item.path + [0x7E] + item.note)
    place.pointee.kind = item.kind
    place.pointee.error = item.error
    place.pointee.descriptor = item.descriptor
    place.pointee.path = UnsafeRawPointer(bytes.baseAddress!).assumingMemoryBound(to: CChar.self)
    place.pointee.path_length = item.path.count
    place.pointee.note = UnsafeRawPointer(bytes.baseAddress! + item.path.count + 1)
    place.pointee.note_length = item.note.count
  }

  /// Of use for as long as this is.
  var source: weir_files_source_t {
    var source = weir_files_source_t()
    source.kind = WEIR_SOURCE_ITEMS
    source.context = Unmanaged.passUnretained(self).toOpaque()
    source.next = { context, place in
      let feed = Unmanaged<ItemFeed>.fromOpaque(context!).takeUnretainedValue()
      feed.spoil()
      feed.asked += 1
      guard let item = feed.next() else { return false }
      feed.lend(item, in: place)
      return true
    }
    return source
  }
}

extension Processor {
  func run(items: [Item]) -> Int32 { run(ItemFeed(items)) }

  func run(_ feed: ItemFeed) -> Int32 {
    withExtendedLifetime(feed) { run(sources: [feed.source]) }
  }
}
