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
    while let flags = rest.popFirst() {
      var planned: PlannedFile?
      if flags & CommandInvocation.plannedFlag != 0 {
        planned = PlannedFile(
          note: UnsafeRawBufferPointer(rebasing: rest.prefix(PlannedFile.noteCount)))
        rest = rest.dropFirst(PlannedFile.noteCount)
      }
      let name = rest.prefix { $0 != 0 }
      items.append(
        CommandItem(
          Array(name), isWalked: flags & CommandInvocation.walkedFlag != 0, planned: planned))
      rest = rest.dropFirst(name.count + 1)
    }
    self.items = items
  }

  private static let walkedFlag: UInt8 = 1
  private static let plannedFlag: UInt8 = 2

  /// The invocation as bytes: the number, and for each item flags, its size and time in a plan
  /// if it has them, its name and a NUL.
  var packed: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(CommandInvocation.headerBytes) { $0 + $1.bytes.count + 2 })
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    for item in items {
      bytes.append(
        (item.isWalked ? CommandInvocation.walkedFlag : 0)
          | (item.planned == nil ? 0 : CommandInvocation.plannedFlag))
      if let planned = item.planned { bytes += planned.note }
      bytes.append(contentsOf: item.bytes)
      bytes.append(0)
    }
    return bytes
  }

  private static let headerBytes = MemoryLayout<UInt64>.size
}
