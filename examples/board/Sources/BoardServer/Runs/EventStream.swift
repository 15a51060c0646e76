// The stream of a channel as the body of a response.

import FlyingSocks

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

/// The body of a response that is a stream.
struct EventStreamBody: AsyncBufferedSequence {
  typealias Element = UInt8
  let stream: EventStream
  /// Called after the last byte was written.
  let sent: @Sendable () -> Void

  func makeAsyncIterator() -> Iterator { Iterator(stream: stream, sent: sent) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let stream: EventStream
    let sent: @Sendable () -> Void

    mutating func next() async throws -> UInt8? { nil }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      if let bytes = await stream.next() { return bytes }
      sent()
      return nil
    }
  }
}
