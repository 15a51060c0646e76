// A channel: the messages of a page's runs, or of the class, and the streams that follow them.
//
// DESIGN. A stream looks ten times a second for new messages, so it sends pieces, and nothing has to
// wake it. A log is never emptied. A stream that is behind keeps the log that it reads, and goes on
// with the next one from there, so it misses nothing; a log that nobody reads is freed.

import FlyingFox
import Foundation
import Synchronization

/// The messages of a page's runs, and the streams that follow them.
final class Channel: Sendable {
  static let className = "class"

  private struct State {
    var log = ChannelLog(epoch: 1)
    var streams = 0
    var followers = 0
    var show: ShowMessage?
    var run: Run?
    var lastUse = ContinuousClock.now
  }

  let name: String
  let exports = Exports()
  private let instance: String
  private let state = Mutex(State())

  init(_ name: String, instance: String) { (self.name, self.instance) = (name, instance) }

  // MARK: - Messages

  /// Adds a message to the log.
  func append(_ message: [UInt8]) { state.withLock { $0.log.messages.append(message) } }

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

  /// Stops the run, if there is one.
  func stop() { state.withLock(\.run)?.stop() }

  /// Sends a command to the run.
  func send(_ name: String, _ value: Int) throws(Refusal) {
    guard let run = state.withLock(\.run) else {
      throw Refusal(.conflict, "No run is going on.")
    }
    run.send(name, value)
  }

  // MARK: - Streams

  /// The number of streams.
  var streamCount: Int { state.withLock(\.streams) }
  /// The number of streams of followers.
  var followerCount: Int { state.withLock(\.followers) }
  /// The time since the last stream or run; `nil` if there is one.
  var idleTime: Duration? {
    state.withLock { $0.streams == 0 && $0.run == nil ? .now - $0.lastUse : nil }
  }

  /// Opens a stream.
  ///
  /// - Parameter last: The id of the last event that the page got from an earlier stream.
  func open(after last: String?, isFollower: Bool) -> EventStream {
    state.withLock { state in
      let resumed = last.flatMap { resume($0, state.log) }
      let hello = HelloMessage(server: instance, run: state.log.run)
      state.streams += 1
      if isFollower { state.followers += 1 }
      var first = Array("retry: 1000\n\n".utf8)
      if resumed == nil { first += event(state.log, 0, [Message.encode(hello)]) }
      return EventStream(
        channel: self, isFollower: isFollower,
        position: .init(log: state.log, index: resumed ?? 0), first: first)
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
    fileprivate var log: ChannelLog
    fileprivate var index: Int
  }

  /// Returns the messages after a position as an event of a stream; `nil` if there are none.
  func take(_ position: inout Position) -> [UInt8]? {
    state.withLock { _ in
      while position.index == position.log.messages.count, let next = position.log.next {
        position = Position(log: next, index: 0)
      }
      let (log, first) = (position.log, position.index)
      guard first < log.messages.count else { return nil }
      position.index = log.messages.count
      return event(log, position.index, log.messages[first...])
    }
  }

  private func event(
    _ log: ChannelLog, _ index: Int, _ messages: some Collection<[UInt8]>
  ) -> [UInt8] {
    Array("event: messages\nid: \(instance).\(log.epoch).\(index)\ndata: [".utf8)
      + messages.joined(separator: [UInt8(ascii: ",")]) + Array("]\n\n".utf8)
  }

  /// Counts a stream that has ended.
  func close(isFollower: Bool) {
    state.withLock { state in
      state.streams -= 1
      if isFollower { state.followers -= 1 }
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
