// What one command is run for, on its way through the file processor.

internal import SystemPackage
internal import Weir

/// The items of one command, and its number.
struct CommandBatch {
  let number: UInt64
  let items: [CommandItem]

  init(number: UInt64, items: [CommandItem]) {
    self.number = number
    self.items = items
  }

  /// As it was packed.
  init(packed bytes: UnsafeRawBufferPointer) {
    number = bytes.loadUnaligned(as: UInt64.self)
    var items: [CommandItem] = []
    var rest = bytes[CommandBatch.headerBytes...]
    while let flag = rest.popFirst() {
      let name = rest.prefix { $0 != 0 }
      items.append(CommandItem(Array(name), isWalked: flag == 1))
      rest = rest.dropFirst(name.count + 1)
    }
    self.items = items
  }

  /// In one piece: the number, and for each item a byte, its name and a NUL.
  var packed: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(CommandBatch.headerBytes) { $0 + $1.bytes.count + 2 })
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    for item in items {
      bytes.append(item.isWalked ? 1 : 0)
      bytes.append(contentsOf: item.bytes)
      bytes.append(0)
    }
    return bytes
  }

  private static let headerBytes = MemoryLayout<UInt64>.size
}
