// The channel: the messages of the runs, and the streams that follow them.
//
// DESIGN. A stream looks ten times a second for new messages, so it sends pieces, and nothing has to
// wake it. A log is never emptied. A stream that is behind keeps the log that it reads, and goes on
// with the next one from there, so it misses nothing; a log that nobody reads is freed. The status of
// a class is in no log: a stream gets the newest one, so a log does not grow with each answer.

import FlyingFox
import Foundation
import Synchronization

/// The messages of the runs, and the streams that follow them.
final class Channel: Sendable {
  private struct State {
    var log = ChannelLog(epoch: 1)
    var streams = 0
    /// The streams of followers, by address.
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
  private let state = Mutex(State())

  init(instance: String) { self.instance = instance }

  // MARK: - Messages

  /// Adds a message to the log.
  func append(_ message: [UInt8]) { state.withLock { $0.log.messages.append(message) } }

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
      let log = ChannelLog(epoch: state.log.epoch + 1)
      log.run = run?.number
      if let show = state.show { log.messages.append(Message.encode(show)) }
      state.log.next = log
      (state.log, state.run, state.lastUse) = (log, run, .now)
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
      state.log.messages.append(Message.encode(message))
    }
  }

  /// The run that goes on; `nil` for none.
  var run: Run? { state.withLock(\.run) }

  // MARK: - Streams

  /// The number of streams.
  var streamCount: Int { state.withLock(\.streams) }
  /// The number of streams of followers.
  var followerCount: Int { state.withLock { $0.followers.values.reduce(0, +) } }
  /// Returns the number of streams of followers at an address.
  func followerCount(at address: String) -> Int { state.withLock { $0.followers[address] ?? 0 } }
  /// The time since the last stream, or the beginning of the run; `nil` if there is a stream.
  var unfollowedTime: Duration? {
    state.withLock { $0.streams == 0 ? .now - $0.lastUse : nil }
  }

  /// Opens a stream.
  ///
  /// - Parameters:
  ///   - last: The id of the last event that the page got from an earlier stream.
  ///   - follower: The address of a follower; `nil` for the presenter.
  func open(after last: String?, follower: String? = nil) -> EventStream {
    state.withLock { state in
      let resumed = last.flatMap { resume($0, state.log) }
      let hello = HelloMessage(run: state.log.run)
      state.streams += 1
      if let follower { state.followers[follower, default: 0] += 1 }
      var first = Array("retry: 1000\n\n".utf8)
      if resumed == nil { first += event(state.log, 0, [Message.encode(hello)]) }
      return EventStream(
        channel: self, follower: follower,
        position: .init(isFollower: follower != nil, log: state.log, index: resumed ?? 0),
        first: first)
    }
  }

  /// Returns the index after which a stream goes on; `nil` if its id is not of this log.
  private func resume(_ id: String, _ log: ChannelLog) -> Int? {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == instance, Int(parts[1]) == log.epoch,
      let index = Int(parts[2]), (0...log.messages.count).contains(index)
    else { return nil }
    return index
  }

  /// The place of a stream.
  struct Position {
    fileprivate let isFollower: Bool
    fileprivate var log: ChannelLog
    fileprivate var index: Int
    /// The number of the last status.
    fileprivate var status = 0
  }

  /// Returns the messages after a position as an event of a stream; `nil` if there are none.
  func take(_ position: inout Position) -> [UInt8]? {
    state.withLock { state in
      while position.index == position.log.messages.count, let next = position.log.next {
        (position.log, position.index) = (next, 0)
      }
      let log = position.log
      var messages = log.messages[position.index...]
      if position.status != state.status.number {
        messages.append(position.isFollower ? state.status.followers : state.status.presenter)
      }
      guard !messages.isEmpty else { return nil }
      (position.index, position.status) = (log.messages.count, state.status.number)
      return event(log, position.index, messages)
    }
  }

  private func event(
    _ log: ChannelLog, _ index: Int, _ messages: some Collection<[UInt8]>
  ) -> [UInt8] {
    Array("event: messages\nid: \(instance).\(log.epoch).\(index)\ndata: [".utf8)
      + messages.joined(separator: [UInt8(ascii: ",")]) + Array("]\n\n".utf8)
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

/// The messages from the beginning of a run to the beginning of the next.
///
/// @unchecked: only the channel uses it, with its lock held.
final class ChannelLog: @unchecked Sendable {
  let epoch: Int
  /// The number of the run; `nil` before a run.
  fileprivate(set) var run: Int?
  /// The log of the next epoch.
  fileprivate(set) var next: ChannelLog?
  fileprivate(set) var messages: [[UInt8]] = []

  fileprivate init(epoch: Int) { self.epoch = epoch }
}
