// The channel: the messages of the runs, and the streams that follow them.
//
// DESIGN. A stream looks ten times a second for new messages, so it sends pieces, and nothing has to
// wake it. Each stream begins with the whole log; a page that was there before skips what it knows. A
// run, or a page that is shown, begins a log, and a stream that is behind goes on with the new one:
// its page would forget the old run all the same. The status of a class is in no log: a stream gets
// the newest one, so a log does not grow with each answer.

import FlyingFox
import Foundation
import Synchronization

/// The messages of the runs, and the streams that follow them.
final class Channel: Sendable {
  private struct State {
    /// The number of the log.
    var epoch = 1
    var messages: [[UInt8]] = []
    /// The number of the log's run; `nil` before a run.
    var number: Int?
    var streams = 0
    var followers: [String: Int] = [:]
    var status = Status()
    var show: ShowMessage?
    var run: Run?
    var lastUse = ContinuousClock.now
  }

  /// A message that replaces the one before.
  private struct Status {
    var number = 0
    var presenter: [UInt8] = []
    var followers: [UInt8] = []
  }

  private let instance: String
  /// The time without a message after which a stream sends a comment, which finds a dead connection.
  let commentTime: Duration
  private let state = Mutex(State())

  /// - Parameter instance: The name of this start of the server, in the names of logs.
  init(instance: String, commentTime: Duration = BoardTimes().comment) {
    (self.instance, self.commentTime) = (instance, commentTime)
  }

  // MARK: - Messages

  func append(_ message: [UInt8]) { state.withLock { $0.messages.append(message) } }

  /// Replaces the status: a message for the presenter, and one for followers.
  func setStatus(_ presenter: [UInt8], followers: [UInt8]) {
    state.withLock {
      $0.status = Status(
        number: $0.status.number + 1, presenter: presenter, followers: followers)
    }
  }

  /// Begins a new log, for a run or for a page that is shown.
  private func beginLog(run: Run?, _ change: (inout State) -> Void) throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      guard state.run == nil else {
        throw Refusal(.conflict, "A run is going on; stop it first.")
      }
      change(&state)
      state.epoch += 1
      state.messages = state.show.map { [Message.encode($0)] } ?? []
      (state.number, state.run, state.lastUse) = (run?.number, run, .now)
    }
  }

  /// Tells the followers to open a page. The log begins anew.
  func show(_ message: ShowMessage) throws(Refusal) {
    try beginLog(run: nil) { $0.show = message }
  }

  // MARK: - Runs

  /// Begins a run: a new log with its first message.
  func begin(_ run: Run, _ message: [UInt8]) throws(Refusal) {
    try beginLog(run: run) { _ in }
    append(message)
  }

  /// Ends the run with its last message.
  func end(_ message: EndMessage) {
    state.withLock { state in
      (state.run, state.lastUse) = (nil, .now)
      state.messages.append(Message.encode(message))
    }
  }

  /// The run that goes on; `nil` for none.
  var run: Run? { state.withLock(\.run) }

  // MARK: - Streams

  var streamCount: Int { state.withLock(\.streams) }
  var followerCount: Int { state.withLock { $0.followers.values.reduce(0, +) } }
  func followerCount(at address: String) -> Int { state.withLock { $0.followers[address] ?? 0 } }
  /// The time since the last stream, or the beginning of the run; `nil` if there is a stream.
  var unfollowedTime: Duration? {
    state.withLock { $0.streams == 0 ? .now - $0.lastUse : nil }
  }

  /// Opens a stream; `follower` is the address of a follower, `nil` for the presenter.
  func open(follower: String? = nil) -> EventStream {
    state.withLock { state in
      state.streams += 1
      if let follower { state.followers[follower, default: 0] += 1 }
      return EventStream(
        channel: self, follower: follower, position: Position(epoch: state.epoch),
        first: event(state.epoch, [Message.encode(HelloMessage(run: state.number))]))
    }
  }

  /// The place of a stream: a log, its messages that were sent, and the number of the last status.
  struct Position {
    fileprivate var epoch: Int
    fileprivate var index = 0
    fileprivate var status = 0
  }

  /// Returns the messages after a position as an event of a stream; `nil` if there are none.
  func take(_ position: inout Position, isFollower: Bool) -> [UInt8]? {
    state.withLock { state in
      if position.epoch != state.epoch { (position.epoch, position.index) = (state.epoch, 0) }
      var messages = state.messages[position.index...]
      if position.status != state.status.number {
        messages.append(isFollower ? state.status.followers : state.status.presenter)
      }
      guard !messages.isEmpty else { return nil }
      (position.index, position.status) = (state.messages.count, state.status.number)
      return event(state.epoch, messages)
    }
  }

  private func event(_ epoch: Int, _ messages: some Collection<[UInt8]>) -> [UInt8] {
    var bytes = Array("event: messages\nid: \(instance).\(epoch)\ndata: [".utf8)
    for (index, message) in messages.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += message
    }
    return bytes + Array("]\n\n".utf8)
  }

  /// Counts a stream that has ended.
  func close(follower: String?) {
    state.withLock { state in
      state.streams -= 1
      if let follower {
        let count = (state.followers[follower] ?? 1) - 1
        state.followers[follower] = count == 0 ? nil : count
      }
      state.lastUse = .now
    }
  }
}
