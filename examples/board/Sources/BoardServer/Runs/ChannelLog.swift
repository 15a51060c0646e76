// The messages of an epoch.
//
// DESIGN. A log is never emptied. A stream that is behind keeps the log that it reads, and goes on
// with the next one from there, so it misses nothing; a log that nobody reads is freed.

/// The messages from the beginning of a run to the beginning of the next. Guarded by its channel's
/// lock.
///
/// @unchecked: only the channel uses it, with its lock held.
final class ChannelLog: @unchecked Sendable {
  static let eventLimit = 20_000
  static let byteLimit = 16 << 20
  /// The bytes of a piece of a stream, at most, if it is more than one message.
  private static let pieceLimit = 256 * 1024

  let epoch: Int
  /// The number of the run; `nil` before a run.
  var run: Int?
  /// The log of the next epoch.
  var next: ChannelLog?
  private(set) var messages: [[UInt8]] = []
  /// The number of messages that streams may send.
  private(set) var published = 0
  private var (events, bytes) = (0, 0)
  private(set) var isCut = false
  /// The last piece, which all streams that keep up share.
  private var last: (range: Range<Int>, bytes: [UInt8])?

  init(epoch: Int) { self.epoch = epoch }

  /// Adds a message. Events beyond the limits are left out.
  func append(_ message: [UInt8]) {
    if Message.isKind("event", message) {
      if isCut { return }
      if events == ChannelLog.eventLimit || bytes + message.count > ChannelLog.byteLimit {
        return cut()
      }
      events += 1
    } else if Message.isKind("cut", message) {
      return cut()
    } else if Message.isKind("beat", message) && bytes + message.count > ChannelLog.byteLimit {
      return
    }
    bytes += message.count
    messages.append(message)
  }

  private func cut() {
    if isCut { return }
    isCut = true
    messages.append(Message.encode(CutMessage(events: events)))
  }

  /// Publishes all messages; false if there were no new ones.
  func publish() -> Bool {
    defer { published = messages.count }
    return published < messages.count
  }

  /// Returns the messages from an index as an event of a stream, and the index after them.
  func piece(from index: Int, instance: String) -> (bytes: [UInt8], end: Int) {
    if let last, last.range.lowerBound == index, last.range.upperBound == published {
      return (last.bytes, published)
    }
    var (end, size) = (index, 0)
    while end < published && (end == index || size + messages[end].count < ChannelLog.pieceLimit) {
      size += messages[end].count + 1
      end += 1
    }
    let bytes = ServerSentEvent.bytes(
      id: "\(instance).\(epoch).\(end)", messages[index..<end], size: size)
    last = (index..<end, bytes)
    return (bytes, end)
  }
}

/// The form of an event of a stream.
enum ServerSentEvent {
  static let comment = Array(":\n\n".utf8)
  /// The beginning of a stream: the milliseconds after which a page opens it again.
  static let opening = Array("retry: 1000\n\n".utf8)

  static func bytes(id: String, _ messages: some Sequence<[UInt8]>, size: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 64)
    bytes += Array("event: messages\nid: \(id)\ndata: [".utf8)
    var isFirst = true
    for message in messages {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes += message
    }
    bytes += Array("]\n\n".utf8)
    return bytes
  }
}
