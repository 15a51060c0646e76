// The stream of a channel to one page, as the body of a response.

import FlyingSocks
import Synchronization

/// A stream of server-sent events. It leaves its channel when nobody holds it any more: the server
/// lets go of the body of a connection that died.
final class EventStream: AsyncBufferedSequence, AsyncBufferedIteratorProtocol {
  typealias Element = UInt8
  private static let interval = Duration.milliseconds(100)

  private struct State {
    var position: Channel.Position
    /// The bytes to send before anything else.
    var first: [UInt8]?
    var lastSent = ContinuousClock.now
  }

  private let channel: Channel
  private let follower: String?
  private let state: Mutex<State>

  init(channel: Channel, follower: String?, position: Channel.Position, first: [UInt8]) {
    (self.channel, self.follower) = (channel, follower)
    state = Mutex(State(position: position, first: first))
  }

  deinit { channel.close(follower: follower) }

  func makeAsyncIterator() -> EventStream { self }
  func next() async -> UInt8? { nil }

  /// Returns the next bytes, and waits until there are some.
  func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
    if let first = state.withLock({ $0.first.take() }) { return first }
    while true {
      try await Task.sleep(for: EventStream.interval)
      let bytes: [UInt8]? = state.withLock { state in
        let isQuiet = .now - state.lastSent >= channel.commentTime
        let bytes =
          channel.take(&state.position, isFollower: follower != nil)
          ?? (isQuiet ? Array(":\n\n".utf8) : nil)
        if bytes != nil { state.lastSent = .now }
        return bytes
      }
      if let bytes { return bytes }
    }
  }
}
