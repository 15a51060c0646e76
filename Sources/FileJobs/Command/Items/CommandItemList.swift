internal import WeirLibC
internal import SystemPackage

/// A list of items, read as they are needed.
final class CommandItemList {
  private let descriptor: FileDescriptor
  private let separator: UInt8
  private let name: [UInt8]
  private let isOwned: Bool
  private var bytes: [UInt8] = []
  /// The index of the first unread byte.
  private var begin = 0
  private var isAtEnd = false
  private var hasPaused = false
  /// True if the end of a longer item than can be kept is still to come.
  private var isTooLong = false

  private static let pieceBytes = 65536
  /// The size of the largest argument that the system accepts, with its NUL
  /// (MAX_ARG_STRLEN). A longer item is an error, however it arrives.
  private static let itemBytes = 131_072
  /// The part of a longer item that its error shows.
  private static let shownBytes = 1024

  init(_ descriptor: FileDescriptor, separator: UInt8, name: [UInt8], isOwned: Bool) {
    self.descriptor = descriptor
    self.separator = separator
    self.name = name
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { try? descriptor.close() }
  }

  func next() -> CommandItems.Element? {
    while true {
      if let end = bytes[begin...].firstIndex(of: separator) {
        return element(upTo: end, next: end + 1)
      }
      if isAtEnd {
        return begin < bytes.count || isTooLong
          ? element(upTo: bytes.count, next: bytes.count) : nil
      }
      if bytes.count - begin >= CommandItemList.itemBytes {
        isTooLong = true
        bytes.removeSubrange(begin + CommandItemList.shownBytes..<bytes.count)
      }
      if !hasPaused && !isReady {
        hasPaused = true
        return .pause
      }
      hasPaused = false
      do throws(Errno) {
        try readMore()
      } catch {
        isAtEnd = true
        bytes = []
        begin = 0
        isTooLong = false
        return .failure(name, error)
      }
    }
  }

  private func element(upTo end: Int, next: Int) -> CommandItems.Element {
    let item = Array(bytes[begin..<end])
    begin = next
    if isTooLong || item.count >= CommandItemList.itemBytes {
      isTooLong = false
      return .failure(Array(item.prefix(CommandItemList.shownBytes)), .argListTooLong)
    }
    return item.contains(0) ? .failure(item, .invalidArgument) : .item(CommandItem(item))
  }

  /// True if a read returns at once. A poll that a signal has interrupted has found nothing.
  private var isReady: Bool {
    var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  private func readMore() throws(Errno) {
    bytes.removeSubrange(..<begin)
    begin = 0
    isAtEnd = !(try descriptor.read(appendingTo: &bytes, count: CommandItemList.pieceBytes))
  }
}
