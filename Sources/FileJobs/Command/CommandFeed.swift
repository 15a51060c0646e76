// What a run is to do, one command after the other.

internal import CFileKernels
internal import SystemPackage
internal import Weir

/// Makes commands of what the sources name, for the file processor to ask for.
///
/// @unchecked Sendable: the processor asks from one thread at a time, and the rest
/// is behind a lock.
final class CommandFeed: @unchecked Sendable {
  /// What was found, besides commands.
  struct Figures: Sendable {
    var commands: UInt64 = 0
    var items: UInt64 = 0
    var doneBefore: UInt64 = 0
    var failedBefore: UInt64 = 0
    var links: UInt64 = 0
    var filtered: UInt64 = 0
    var excluded: UInt64 = 0
  }

  private let shared = Locked(Figures())

  // The feeding thread's.
  private var names: CommandNames
  private let template: CommandTemplate
  private let options: CommandJobOptions
  private var next: CommandNames.Found?
  private var number: UInt64 = 0
  /// What an item of the processor points into.
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)

  /// How many bytes the arguments of one command may take. xargs has the same, and
  /// what commands wait for the lanes is in memory.
  private static let argumentsMost = 131_072
  private let room: Int

  init(
    _ sources: [CommandSource], _ template: CommandTemplate, _ options: CommandJobOptions,
    sparing written: OwnOutput
  ) {
    names = CommandNames(sources, options.walk, sparing: written)
    self.template = template
    self.options = options
    let room = min(Int(clamping: kernel_argument_room()), CommandFeed.argumentsMost)
    self.room = room - template.cost(of: nil)
  }

  deinit { memory.deallocate() }

  var statistics: Figures { shared.with { $0 } }

  /// The processor's next item.
  func nextItem() -> FileItem? {
    while true {
      guard let found = nextFound() else { return nil }
      switch found {
      case .pause:
        return .flush
      case .failure(let path, let error):
        let name = keep(path, [])
        return .failure(error, path: name.path)
      case .special(let path, let type):
        return .note(keep([], CommandFeed.pack(path, type)).note)
      case .item(let item):
        let batch = batch(from: item)
        guard isWanted(batch) else { continue }
        shared.with { $0.commands += 1 }
        let kept = keep(batch.items[0].bytes, batch.packed)
        return FileItem(path: kept.path, note: kept.note, isWalked: false)
      }
    }
  }

  private func nextFound() -> CommandNames.Found? {
    defer { next = nil }
    return next ?? readName()
  }

  private func readName() -> CommandNames.Found? {
    let found = names.next()
    let (links, filtered, excluded) = (names.links, names.filtered, names.excluded)
    shared.with { statistics -> Void in
      statistics.links = links
      statistics.filtered = filtered
      statistics.excluded = excluded
      if case .item = found { statistics.items += 1 }
    }
    return found
  }

  /// As many items as go with the first one.
  private func batch(from first: CommandItem) -> CommandBatch {
    var items = [first]
    var cost = template.cost(of: first.bytes.count)
    while items.count < options.itemsPerCommand {
      next = next ?? readName()
      // A pause does not cut it: it is to be full.
      if case .pause = next {
        next = nil
        continue
      }
      guard case .item(let item) = next else { break }
      let more = template.cost(of: item.bytes.count)
      if cost + more > room { break }
      cost += more
      items.append(item)
      next = nil
    }
    number += 1
    return CommandBatch(number: number, items: items)
  }

  /// Whether it is to be run: the log may have it.
  private func isWanted(_ batch: CommandBatch) -> Bool {
    guard let log = options.log,
      let isSuccess = log.meet(template.arguments(for: batch.items, number: batch.number))
    else { return true }
    shared.with { statistics -> Void in
      statistics.doneBefore += 1
      if !isSuccess { statistics.failedBefore += 1 }
    }
    return false
  }

  // MARK: - Memory

  /// Where it stays until the next item is asked for: the note first, for its
  /// alignment.
  private func keep(
    _ path: [UInt8], _ note: [UInt8]
  ) -> (path: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer) {
    let count = path.count + note.count
    if count > memory.count {
      memory.deallocate()
      memory = .allocate(byteCount: count * 2, alignment: 8)
    }
    UnsafeMutableRawBufferPointer(rebasing: memory[..<note.count]).copyBytes(from: note)
    UnsafeMutableRawBufferPointer(rebasing: memory[note.count..<count]).copyBytes(from: path)
    return (
      UnsafeRawBufferPointer(rebasing: memory[note.count..<count]),
      UnsafeRawBufferPointer(rebasing: memory[..<note.count])
    )
  }

  private static let types: [EntryType] = [
    .fifo, .socket, .characterDevice, .blockDevice, .symbolicLink, .directory, .file,
  ]

  private static func pack(_ path: [UInt8], _ type: EntryType) -> [UInt8] {
    [UInt8(types.firstIndex(of: type) ?? types.count)] + path
  }

  /// What the note of something special says.
  static func special(in note: UnsafeRawBufferPointer) -> (path: [UInt8], type: EntryType)? {
    guard let first = note.first else { return nil }
    let type = types.indices.contains(Int(first)) ? types[Int(first)] : .unknown
    return (Array(note.dropFirst()), type)
  }
}
