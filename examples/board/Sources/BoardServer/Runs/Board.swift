// The board: its channels, runs and class.

import Demos
import Dispatch
import FlyingFox
import Foundation
import Synchronization

/// The state of the server: channels, the runs that are going on, and the class.
final class Board: Sendable {
  /// The limits.
  enum Limits {
    static let channels = 64
    static let runs = 8
    static let streams = 200
    /// The streams of followers at an address.
    static let streamsOfAddress = 40
    /// The time after which a run that no page follows is stopped.
    static let unfollowedTime = Duration.seconds(20)
    /// The time after which a new channel replaces one that nobody uses.
    static let idleTime = Duration.seconds(300)
  }

  private struct State {
    var channels: [String: Channel] = [:]
    var lastRun = 0
    var runs: [Int: Run] = [:]
    var isOver = false
  }

  /// The name of this start of the server, in the ids of messages.
  let instance = String(Tokens.hexadecimal(.random(in: 1 ... .max)).suffix(10))
  let classroom: Classroom?
  private let worker: String
  private let state: Mutex<State>
  private let finished = DispatchGroup()

  /// - Parameter worker: The path of the program that runs workers.
  init(worker: String, isClass: Bool) {
    self.worker = worker
    var channels: [String: Channel] = [:]
    if isClass {
      channels[Channel.className] = Channel(Channel.className, instance: instance)
    }
    classroom = channels[Channel.className].map { Classroom(channel: $0) }
    state = Mutex(State(channels: channels))
    Task { [weak self] in
      while let self {
        classroom?.tick()
        stopUnfollowed(after: Limits.unfollowedTime)
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  // MARK: - Channels

  /// Returns a channel; makes it if there is none of the name.
  func channel(_ name: String) throws(Refusal) -> Channel {
    try state.withLock { state throws(Refusal) in
      if let channel = state.channels[name] { return channel }
      guard name != Channel.className else {
        throw Refusal(.notFound, "This is no class; start the program with --class.")
      }
      let idle = state.channels.values.filter { $0.name != Channel.className }
        .compactMap { channel in channel.idleTime.map { (name: channel.name, time: $0) } }
      for old in idle where old.time > Limits.idleTime { state.channels[old.name] = nil }
      if state.channels.count >= Limits.channels {
        guard let oldest = idle.max(by: { $0.time < $1.time }) else {
          throw Refusal(.tooManyRequests, "Too many pages are open; close one.")
        }
        state.channels[oldest.name] = nil
      }
      let channel = Channel(name, instance: instance)
      state.channels[name] = channel
      return channel
    }
  }

  /// Opens a stream of a channel.
  ///
  /// - Parameter follower: The address of a follower; `nil` for the presenter.
  func openStream(
    _ name: String, after last: String?, follower: String?
  ) throws(Refusal) -> EventStream {
    let channel = try channel(name)
    // Each role by itself, so that followers do not keep the presenter out.
    let count = state.withLock { state in
      state.channels.values.reduce(0) { count, channel in
        let followers = channel.followerCount
        return count + (follower == nil ? channel.streamCount - followers : followers)
      }
    }
    let own = follower.map { channel.followerCount(at: $0) } ?? 0
    guard count < Limits.streams, own < Limits.streamsOfAddress else {
      throw Refusal(.serviceUnavailable, "Too many pages follow; close one.")
    }
    return channel.open(after: last, follower: follower)
  }

  func show(_ name: String, _ message: ShowMessage) throws(Refusal) {
    guard name == Channel.className else {
      throw Refusal(.badRequest, "Only a class is shown pages.")
    }
    try channel(name).show(message)
    classroom?.reopen(questions: Demo.named(message.page)?.questions.count ?? 0)
  }

  // MARK: - Runs

  /// The number of runs that are going on.
  var runCount: Int { state.withLock { $0.runs.count } }

  /// Starts a run; returns its number.
  func start(_ name: String, _ request: RunRequest) throws(Refusal) -> Int {
    let plan = try RunPlan(request)
    let channel = try channel(name)
    let run = try reserveRun(channel)
    do throws(Refusal) {
      try channel.begin(run, Message.encode("run", plan.description(run.number, request)))
    } catch {
      releaseRun(run.number)
      throw error
    }
    if name == Channel.className { classroom?.close() }
    // A serial queue of its own has a thread of its own: the run blocks it.
    DispatchQueue(label: "board.run").async(group: finished) { [self] in
      let message = perform(run, request)
      // In this order: a page that starts the next run at once finds a place for it.
      releaseRun(run.number)
      if name == Channel.className { classroom?.runEnded() }
      channel.end(message)
    }
    return run.number
  }

  private func perform(_ run: Run, _ request: RunRequest) -> EndMessage {
    do {
      return try run.demo(worker, request)
    } catch {
      return run.end(
        .failed, "The run has no process, or its output cannot be read: \(error).")
    }
  }

  private func reserveRun(_ channel: Channel) throws(Refusal) -> Run {
    try state.withLock { state throws(Refusal) in
      guard state.runs.count < Limits.runs else {
        throw Refusal(.tooManyRequests, "\(Limits.runs) runs are going on; stop one.")
      }
      state.lastRun += 1
      let run = Run(state.lastRun, channel: channel)
      if state.isOver { run.kill() }
      state.runs[run.number] = run
      return run
    }
  }

  /// Stops the runs that no page has followed for some time.
  func stopUnfollowed(after time: Duration) {
    for run in state.withLock({ Array($0.runs.values) }) where !run.isStopped {
      if let unfollowed = run.channel.unfollowedTime, unfollowed > time { run.stop() }
    }
  }

  private func releaseRun(_ number: Int) { state.withLock { $0.runs[number] = nil } }

  /// Kills all runs, and waits for their ends. No more are started.
  func finish() {
    let runs = state.withLock { state in
      state.isOver = true
      return Array(state.runs.values)
    }
    for run in runs { run.kill() }
    _ = finished.wait(timeout: .now() + 5)
  }
}
