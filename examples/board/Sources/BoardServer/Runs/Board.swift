// The board: its channels, runs and class.

import Demos
import Dispatch
import Foundation
import Synchronization

/// The state of the server: channels, the runs that are going on, and the class.
final class Board: Sendable {
  /// The limits.
  enum Limits {
    static let channels = 64
    static let runs = 8
    static let streams = 200
    /// The seconds after which a channel that nobody uses is dropped.
    static let idleSeconds = 300.0
    /// The bytes of all exports.
    static let exportBytes = 256 << 20
  }

  private struct State {
    var channels: [String: Channel] = [:]
    var lastRun = 0
    var runs: [Int: any ActiveRun] = [:]
    var isOver = false
  }

  /// The name of this start of the server, in the ids of messages.
  let instance = String(Tokens.hexadecimal(.random(in: 1 ... .max)).suffix(10))
  let classroom: Classroom?
  private let worker: String
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "board.channels")
  private let timer = Mutex<RepeatingTimer?>(nil)
  private let ticks = Mutex(0)
  private let finished = DispatchGroup()

  /// - Parameter worker: The path of the program that runs workers.
  init(worker: String, isClass: Bool) {
    self.worker = worker
    var channels: [String: Channel] = [:]
    if isClass {
      channels[Channel.className] = Channel(
        Channel.className, instance: instance, exports: Exports(), queue: queue)
    }
    classroom = channels[Channel.className].map { Classroom(channel: $0) }
    state = Mutex(State(channels: channels))
    timer.withLock {
      $0 = RepeatingTimer(seconds: 0.5, on: queue) { [weak self] in self?.tick() }
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
      if state.channels.count >= Limits.channels {
        let idle = state.channels.values.filter { $0.name != Channel.className }
          .compactMap { channel in channel.idleSeconds.map { (channel.name, $0) } }
        guard let oldest = idle.max(by: { $0.1 < $1.1 }) else {
          throw Refusal(.tooManyRequests, "Too many pages are open; close one.")
        }
        state.channels[oldest.0] = nil
      }
      let channel = Channel(name, instance: instance, exports: Exports(), queue: queue)
      state.channels[name] = channel
      return channel
    }
  }

  /// Opens a stream of a channel.
  func openStream(_ name: String, after last: String?, role: Role) throws(Refusal) -> EventStream {
    let channel = try channel(name)
    // Each role by itself, so that followers do not keep the presenter out.
    let count = state.withLock { state in
      state.channels.values.reduce(0) { count, channel in
        let followers = channel.followerCount
        return count + (role == .follower ? followers : channel.streamCount - followers)
      }
    }
    guard count < Limits.streams else {
      throw Refusal(.serviceUnavailable, "Too many pages follow; close one.")
    }
    return channel.open(after: last, isFollower: role == .follower)
  }

  /// Returns an export; `nil` if it is not kept.
  func export(_ channel: String, _ name: String, run: Int) -> Data? {
    state.withLock { $0.channels[channel] }?.exports.file(name, run: run)
  }

  func show(_ name: String, _ message: ShowMessage) throws(Refusal) {
    guard name == Channel.className else {
      throw Refusal(.badRequest, "Only a class is shown pages.")
    }
    try channel(name).show(message)
    classroom?.reopen()
  }

  private func tick() {
    let count = ticks.withLock { count in
      count += 1
      return count
    }
    classroom?.tick()
    guard count % 2 == 0 else { return }
    let channels = state.withLock { state in
      for (name, channel) in state.channels where name != Channel.className {
        if let seconds = channel.idleSeconds, seconds > Limits.idleSeconds {
          state.channels[name] = nil
        }
      }
      return Array(state.channels.values)
    }
    for channel in channels { channel.tick() }
  }

  // MARK: - Runs

  /// The number of runs that are going on.
  var runCount: Int { state.withLock { $0.runs.count } }

  /// Starts a run; returns its number.
  func start(_ name: String, _ request: RunRequest) throws(Refusal) -> Int {
    let plan = try RunPlan(request)
    let channel = try channel(name)
    let number = try reserveRun()
    let worker = worker
    let run: any ActiveRun
    let perform: @Sendable () -> EndMessage
    switch plan {
    case .demo:
      let arguments = ["demo", String(decoding: Message.encode(request), as: UTF8.self)]
      let process = ProcessRun(number, channel: channel)
      (run, perform) = (process, { process.perform(worker, arguments) })
    case .pitfall(let pitfall, let symptom):
      let session = PitfallSession(number, channel: channel)
      (run, perform) = (session, { session.perform(worker, pitfall, predicted: symptom) })
    }
    do throws(Refusal) {
      try channel.begin(run, Message.encode(RunMessage(number, request, plan)))
    } catch {
      releaseRun(number)
      throw error
    }
    if name == Channel.className { classroom?.close() }
    let isOver = state.withLock { state in
      state.runs[number] = run
      return state.isOver
    }
    if isOver { run.kill() }
    // A serial queue of its own has a thread of its own: the run blocks it.
    DispatchQueue(label: "board.run").async(group: finished) {
      let message = perform()
      // In this order: a page that starts the next run at once finds a place for it.
      self.releaseRun(number)
      if name == Channel.className { self.classroom?.runEnded() }
      channel.end(message)
      self.dropExports()
    }
    return number
  }

  private func reserveRun() throws(Refusal) -> Int {
    try state.withLock { state throws(Refusal) in
      guard state.runs.count < Limits.runs else {
        throw Refusal(.tooManyRequests, "\(Limits.runs) runs are going on; stop one.")
      }
      state.lastRun += 1
      state.runs[state.lastRun] = ReservedRun(number: state.lastRun)
      return state.lastRun
    }
  }

  private func releaseRun(_ number: Int) { state.withLock { $0.runs[number] = nil } }

  /// Drops the oldest exports while all together take too much.
  private func dropExports() {
    let all = state.withLock { Array($0.channels.values) }.map(\.exports)
    while all.reduce(0, { $0 + $1.size }) > Limits.exportBytes {
      all.filter { $0.oldest != nil }.min { ($0.oldest ?? 0) < ($1.oldest ?? 0) }?.dropOldest()
    }
  }

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

/// The place of a run that is about to begin.
private struct ReservedRun: ActiveRun {
  let number: Int
  func kill() {}
  func send(_ name: String, _ value: Int) {}
}
