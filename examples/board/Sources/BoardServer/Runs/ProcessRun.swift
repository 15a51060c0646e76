// The run of a demo: one worker, whose messages go to the channel.

import Demos
import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemPackage
import Weir

/// A run in one worker.
final class ProcessRun: ActiveRun {
  /// The seconds after which a run is ended.
  static let timeLimit = 300
  /// The time in which a worker that is stopped reports what had happened.
  private static let stopTime = DispatchTimeInterval.seconds(2)

  let number: Int
  private let channel: Channel
  private let state: Mutex<State>

  private struct State {
    var process: WorkerProcess?
    var isStopped = false
  }

  init(_ number: Int, channel: Channel) {
    self.number = number
    self.channel = channel
    state = Mutex(State())
  }

  /// Asks the worker for its result, and kills it if none comes.
  func stop() {
    let process = state.withLock { state in
      state.isStopped = true
      return state.process
    }
    process?.send(DemoControls.stop, 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + ProcessRun.stopTime) { [self] in
      state.withLock { $0.process?.kill() }
    }
  }

  func kill() {
    state.withLock { state in
      state.isStopped = true
      state.process?.kill()
    }
  }

  func send(_ name: String, _ value: Int) {
    state.withLock { $0.process }?.send(name, value)
  }

  /// Runs the worker to its end.
  ///
  /// Blocks: until its end or the time limit.
  func perform(_ program: String, _ arguments: [String]) -> EndMessage {
    let process: WorkerProcess
    do throws(Errno) {
      process = try WorkerProcess(program, arguments)
    } catch {
      return end(.failed, "There is no process for the run: \(error).")
    }
    let isStopped = state.withLock { state in
      state.process = process
      return state.isStopped
    }
    if isStopped { process.kill() }
    defer { state.withLock { $0.process = nil } }
    do {
      return try follow(process)
    } catch {
      process.kill()
      _ = try? process.child.wait()
      return end(.failed, "The output of the run cannot be read: \(error).")
    }
  }

  private func follow(_ process: WorkerProcess) throws -> EndMessage {
    var output = WorkerOutput()
    var hasResult = false
    let deadline = DispatchTime.now() + .seconds(ProcessRun.timeLimit)
    let ending = try process.child.collect(until: deadline) { _, bytes in
      output.take(bytes) { part in
        switch part {
        case .message(let message):
          hasResult = hasResult || Message.isKind("result", message)
          channel.append(message)
        case .file(let name, let bytes):
          channel.exports.add(name, bytes, run: number)
        }
      }
      if output.isBroken { process.kill() }
    }
    if ending == nil {
      process.kill()
      _ = try? process.child.wait()
    }
    if state.withLock(\.isStopped) { return end(.stopped) }
    switch ending {
    case nil: return end(.failed, "The run was ended after five minutes.")
    case .exited(0) where hasResult: return end(.finished)
    case .exited(let status): return end(.failed, "The process of the run exited with \(status).")
    case .signaled(let signal): return end(.failed, "Signal \(signal) ended the run.")
    }
  }

  private func end(_ reason: EndMessage.Reason, _ message: String = "") -> EndMessage {
    EndMessage(run: number, reason: reason, message: message)
  }
}
