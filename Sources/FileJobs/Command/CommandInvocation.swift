// One invocation of the command: its number and its items.

/// One invocation of the command: its number and its items. It goes through the file
/// processor as the note of an item.
struct CommandInvocation {
  let number: UInt64
  let items: [CommandItem]
}

extension CommandInvocation {
  /// Unpacks an invocation.
  init(packed bytes: UnsafeRawBufferPointer) {
    number = bytes.loadUnaligned(as: UInt64.self)
    var items: [CommandItem] = []
    var rest = bytes[CommandInvocation.headerBytes...]
    while let flag = rest.popFirst() {
      let name = rest.prefix { $0 != 0 }
      items.append(CommandItem(Array(name), isWalked: flag == 1))
      rest = rest.dropFirst(name.count + 1)
    }
    self.items = items
  }

  /// The invocation as bytes: the number, and for each item a flag, its name and a NUL.
  var packed: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(CommandInvocation.headerBytes) { $0 + $1.bytes.count + 2 })
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
