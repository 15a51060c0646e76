internal import WeirLibC
internal import SystemPackage

/// A list of items, read as they are needed.
final class CommandItemList {
  private let descriptor: FileDescriptor
  private let name: [UInt8]
  private let isOwned: Bool
  /// `nil` after a failure.
  private var lines: ManifestReader?
  private var hasPaused = false

  /// The largest argument that the system accepts, with its NUL (MAX_ARG_STRLEN).
  private static let itemBytes = 131_072

  init(_ descriptor: FileDescriptor, separator: UInt8, name: [UInt8], isOwned: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.isOwned = isOwned
    lines = ManifestReader(
      descriptor, terminator: separator, lengthMax: CommandItemList.itemBytes - 1)
  }

  deinit {
    if isOwned { try? descriptor.close() }
  }

  func next() -> CommandItems.Element? {
    guard let lines else { return nil }
    do throws(Errno) {
      while !lines.hasNext {
        if !hasPaused && !isReady {
          hasPaused = true
          return .pause
        }
        hasPaused = false
        try lines.readAhead()
      }
      guard let line = try lines.next() else { return nil }
      if let beginning = lines.overlong { return .failure(beginning, .argListTooLong) }
      let item = Array(line)
      return item.contains(0) ? .failure(item, .invalidArgument) : .item(CommandItem(item))
    } catch {
      self.lines = nil
      return .failure(name, error)
    }
  }

  /// True if a read returns at once. A poll that a signal has interrupted has found nothing.
  private var isReady: Bool {
    var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }
}
