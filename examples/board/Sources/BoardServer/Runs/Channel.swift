// A channel: the messages of a page's runs, or of the class, and the streams that follow them.
//
// DESIGN. Messages are published about ten times a second, to all streams at once. So the streams that keep
// up share the bytes of each piece, and fifty of them cost fifty writes and no more.

import Foundation
import Synchronization

/// The messages of a page's runs, and the streams that follow them.
final class Channel: Sendable {
  static let className = "class"
  /// The time between two pieces of a stream.
  private static let interval: UInt64 = 100_000_000
  /// The time to wait for more messages after a pause.
  private static let delay: UInt64 = 8_000_000
  /// The time without a message after which a stream gets a comment, which finds a dead connection.
  private static let commentInterval: UInt64 = 10_000_000_000

  /// A stream in the state of its channel.
  private struct Stream {
    var log: ChannelLog
    var index: Int
    let isFollower: Bool
    /// The bytes to send before anything else.
    var first: [UInt8]
    var lastSent: UInt64
    var isEnded = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var log = ChannelLog(epoch: 1)
    var streams: [Int: Stream] = [:]
    var nextStream = 0
    var isScheduled = false
    var lastPublished: UInt64 = 0
    var show: ShowMessage?
    var run: (any ActiveRun)?
    var lastUse = Channel.now
  }

  let name: String
  let exports: Exports
  private let instance: String
  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(_ name: String, instance: String, exports: Exports, queue: DispatchQueue) {
    self.name = name
    self.instance = instance
    self.exports = exports
    self.queue = queue
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  // MARK: - Messages

  /// Adds a message to the log.
  func append(_ message: [UInt8]) {
    state.withLock { state in
      state.log.append(message)
      schedule(&state)
    }
  }

  private func schedule(_ state: inout State) {
    guard !state.isScheduled else { return }
    state.isScheduled = true
    let time = max(Channel.now + Channel.delay, state.lastPublished + Channel.interval)
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { self.publish() }
  }

  private func publish() {
    let waiters = state.withLock { state in
      state.isScheduled = false
      state.lastPublished = Channel.now
      return state.log.publish() ? takeWaiters(&state) { _ in true } : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Begins a new epoch.
  private func beginEpoch(_ state: inout State, run: Int?) {
    let log = ChannelLog(epoch: state.log.epoch + 1)
    // The streams that follow send the rest of the old log first.
    _ = state.log.publish()
    state.log.next = log
    state.log = log
    log.run = run
    if let show = state.show { log.append(Message.encode(show)) }
    schedule(&state)
  }

  /// Tells the followers to open a page. The log begins anew.
  func show(_ message: ShowMessage) throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      guard state.run == nil else {
        throw Refusal(.conflict, "A run is going on; stop it first.")
      }
      state.show = message
      beginEpoch(&state, run: nil)
    }
  }

  // MARK: - Runs

  /// Begins a run: a new epoch with its first message.
  func begin(_ run: any ActiveRun, _ message: [UInt8]) throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      guard state.run == nil else {
        throw Refusal(.conflict, "A run is going on; stop it first.")
      }
      state.run = run
      state.lastUse = Channel.now
      beginEpoch(&state, run: run.number)
      state.log.append(message)
    }
  }

  /// Ends the run with its last message.
  func end(_ message: EndMessage) {
    state.withLock { state in
      state.run = nil
      state.lastUse = Channel.now
      state.log.append(Message.encode(message))
      schedule(&state)
    }
  }

  /// Stops the run, if there is one.
  func stop() { state.withLock(\.run)?.stop() }

  /// Sends a command to the run.
  func send(_ name: String, _ value: Int) throws(Refusal) {
    guard let run = state.withLock({ $0.run }) else {
      throw Refusal(.conflict, "No run is going on.")
    }
    run.send(name, value)
  }

  // MARK: - Streams

  /// The number of streams.
  var streamCount: Int { state.withLock { $0.streams.count } }
  /// The number of streams of followers.
  var followerCount: Int { state.withLock { $0.streams.values.count { $0.isFollower } } }
  /// The seconds since the last stream or run; `nil` if there is one.
  var idleSeconds: Double? {
    state.withLock { state in
      guard state.streams.isEmpty && state.run == nil else { return nil }
      return Double(Channel.now - state.lastUse) / 1e9
    }
  }

  /// Opens a stream.
  ///
  /// - Parameter last: The id of the last event that the page got from an earlier stream.
  func open(after last: String?, isFollower: Bool) -> EventStream {
    let number = state.withLock { state in
      let resumed = last.flatMap { resume($0, state.log) }
      let hello = HelloMessage(server: instance, run: state.log.run)
      let id = "\(instance).\(state.log.epoch).0"
      state.nextStream += 1
      state.streams[state.nextStream] = Stream(
        log: state.log, index: resumed ?? 0, isFollower: isFollower,
        first: ServerSentEvent.opening
          + (resumed == nil ? ServerSentEvent.bytes(id: id, [Message.encode(hello)]) : []),
        lastSent: Channel.now)
      return state.nextStream
    }
    return EventStream(channel: self, number: number)
  }

  /// Returns the index after which a stream goes on; `nil` if its id is not of this log.
  private func resume(_ id: String, _ log: ChannelLog) -> Int? {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == instance, Int(parts[1]) == log.epoch,
      let index = Int(parts[2]), (0...log.published).contains(index)
    else { return nil }
    return index
  }

  /// Returns the next bytes of a stream, and waits until there are some; `nil` after its end.
  func next(of number: Int) async -> [UInt8]? {
    while true {
      switch take(number) {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .wait: await wait(number)
      }
    }
  }

  private enum Step {
    case bytes([UInt8])
    case end
    case wait
  }

  private func take(_ number: Int) -> Step {
    state.withLock { state in
      guard var stream = state.streams[number], !stream.isEnded else { return .end }
      defer { state.streams[number] = stream }
      if !stream.first.isEmpty {
        defer { stream.first = [] }
        return .bytes(stream.first)
      }
      while stream.index == stream.log.published, let next = stream.log.next {
        (stream.log, stream.index) = (next, 0)
      }
      let now = Channel.now
      if stream.index < stream.log.published {
        let piece = stream.log.piece(from: stream.index, instance: instance)
        (stream.index, stream.lastSent) = (piece.end, now)
        return .bytes(piece.bytes)
      }
      guard now - stream.lastSent >= Channel.commentInterval else { return .wait }
      stream.lastSent = now
      return .bytes(ServerSentEvent.comment)
    }
  }

  private func wait(_ number: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let isReady = state.withLock { state in
          guard let stream = state.streams[number], !stream.isEnded, !hasNews(stream) else {
            return true
          }
          state.streams[number]?.waiter = waiter
          return false
        }
        if isReady { waiter.resume() }
      }
    } onCancel: {
      end(number)
    }
  }

  private func hasNews(_ stream: Stream) -> Bool {
    stream.index < stream.log.published || stream.log.next != nil
      || Channel.now - stream.lastSent >= Channel.commentInterval
  }

  /// Ends a stream. Its next bytes are `nil`.
  func end(_ number: Int) {
    let waiter = state.withLock { state in
      state.streams[number]?.isEnded = true
      return state.streams[number]?.waiter.take()
    }
    waiter?.resume()
  }

  /// Removes a stream.
  func close(_ number: Int) {
    let waiter = state.withLock { state in
      state.lastUse = Channel.now
      return state.streams.removeValue(forKey: number)?.waiter
    }
    waiter?.resume()
  }

  /// Wakes the streams that have sent nothing for a while.
  func tick() {
    let waiters = state.withLock { state in
      // Read with the lock held: a stream that has sent since then has a later time.
      let now = Channel.now
      return takeWaiters(&state) { now - $0.lastSent >= Channel.commentInterval }
    }
    for waiter in waiters { waiter.resume() }
  }

  private func takeWaiters(
    _ state: inout State, where isTaken: (Stream) -> Bool
  ) -> [CheckedContinuation<Void, Never>] {
    state.streams.keys.compactMap { number in
      guard let stream = state.streams[number], isTaken(stream) else { return nil }
      return state.streams[number]?.waiter.take()
    }
  }
}
