// The stream of a channel to one page.

/// A stream of server-sent events. It leaves its channel when nobody holds it any more: the server
/// lets go of the body of a connection that died.
final class EventStream: Sendable {
  private let channel: Channel
  private let number: Int

  init(channel: Channel, number: Int) {
    self.channel = channel
    self.number = number
  }

  deinit { channel.close(number) }

  func next() async -> [UInt8]? { await channel.next(of: number) }

  /// Ends the stream at once.
  func end() { channel.end(number) }
}
