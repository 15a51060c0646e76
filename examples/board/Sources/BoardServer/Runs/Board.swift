// The board: its channel, its runs, one at a time, and its class.

import Demos
import Dispatch
import FlyingFox
import Foundation
import Synchronization

/// The state of the server: the channel with the run that is going on, and the class.
final class Board: Sendable {
  enum Limits {
    static let streams = 200
    static let streamsOfAddress = 40
    /// The time after which a run that no page follows is stopped.
    static let unfollowedTime = Duration.seconds(20)
  }

  private struct State {
    var lastRun = 0
    var isOver = false
  }

  let channel: Channel
  let classroom: Classroom?
  private let worker: String
  private let times: BoardTimes
  private let state = Mutex(State())
  private let finished = DispatchGroup()

  /// - Parameter worker: The path of the program that runs workers.
  init(worker: String, isClass: Bool, times: BoardTimes) {
    (self.worker, self.times) = (worker, times)
    channel = Channel(
      instance: String(Tokens.hexadecimal(.random(in: 1 ... .max)).suffix(10)),
      commentTime: times.comment)
    classroom = isClass ? Classroom(channel: channel) : nil
    Task { [weak self] in
      while let self {
        classroom?.tick()
        stopUnfollowed(after: Limits.unfollowedTime)
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  /// Opens a stream; `follower` is the address of a follower, `nil` for the presenter.
  func openStream(follower: String?) throws(Refusal) -> EventStream {
    // Each role by itself, so that followers do not keep the presenter out.
    let followers = channel.followerCount
    let count = follower == nil ? channel.streamCount - followers : followers
    let own = follower.map { channel.followerCount(at: $0) } ?? 0
    guard count < Limits.streams, own < Limits.streamsOfAddress else {
      throw Refusal(.serviceUnavailable, "Too many pages follow; close one.")
    }
    return channel.open(follower: follower)
  }

  func show(_ message: ShowMessage) throws(Refusal) {
    guard let classroom else { throw Board.isNoClass }
    try channel.show(message)
    classroom.reopen(questions: Demo.named(message.page)?.questions.count ?? 0)
  }

  static let isNoClass = Refusal(.notFound, "This is no class; start the program with --class.")

  // MARK: - Runs

  /// Starts a run; returns its number.
  func start(_ request: RunRequest) throws(Refusal) -> Int {
    let plan = try RunPlan(request)
    let number = state.withLock { state in
      state.lastRun += 1
      return state.lastRun
    }
    let run = Run(number, channel: channel, times: times)
    try channel.begin(run, Message.encode("run", plan.description(number)))
    if state.withLock(\.isOver) { run.kill() }
    classroom?.close()
    // A serial queue of its own has a thread of its own: the run blocks it.
    DispatchQueue(label: "board.run").async(group: finished) { [self] in
      let message = perform(run, request)
      classroom?.runEnded()
      channel.end(message)
    }
    return number
  }

  private func perform(_ run: Run, _ request: RunRequest) -> EndMessage {
    do {
      return try run.demo(worker, request)
    } catch {
      return run.end(
        .failed, "The run has no process, or its output cannot be read: \(error).")
    }
  }

  /// Stops the run if no page has followed it for some time.
  func stopUnfollowed(after time: Duration) {
    guard let run = channel.run, !run.isStopped else { return }
    if let unfollowed = channel.unfollowedTime, unfollowed > time { run.stop() }
  }

  /// Kills the run, and waits for its end. None lives on that is started meanwhile.
  func finish() {
    state.withLock { $0.isOver = true }
    channel.run?.kill()
    _ = finished.wait(timeout: .now() + 5)
  }
}
