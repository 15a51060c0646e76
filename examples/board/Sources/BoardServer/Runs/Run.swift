// A run: its number, its channel, and its process.

import Demos
import Dispatch
import Foundation
import Glibc
import Synchronization
import Weir

final class Run: Sendable {
  let number: Int
  let channel: Channel
  private let times: BoardTimes
  private let state = Mutex(State())

  private struct State {
    var process: WorkerProcess?
    var isStopped = false
  }

  init(_ number: Int, channel: Channel, times: BoardTimes = BoardTimes()) {
    (self.number, self.channel, self.times) = (number, channel, times)
  }

  var isStopped: Bool { state.withLock(\.isStopped) }

  /// Asks the worker for its result, and kills it if none comes.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.process?.stop()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + times.stop / .seconds(1)) { self.kill() }
  }

  func kill() {
    state.withLock { state in
      state.isStopped = true
      state.process?.kill()
    }
  }

  func end(_ reason: EndMessage.Reason, _ message: String = "") -> EndMessage {
    EndMessage(run: number, reason: reason, message: message)
  }

  /// Starts a worker and calls `body` with it. No process is left when the method returns.
  private func withWorker<Value>(
    _ program: String, _ request: String, _ body: (WorkerProcess) throws -> Value
  ) throws -> Value {
    let process = try WorkerProcess(program, request)
    let isStopped = state.withLock { state in
      state.process = process
      return state.isStopped
    }
    if isStopped { process.kill() }
    defer { state.withLock { $0.process = nil } }
    do {
      return try body(process)
    } catch {
      process.kill()
      _ = try? process.child.wait()
      throw error
    }
  }

  /// Runs a demo: the messages of its worker go to the channel.
  ///
  /// Blocks: until its end or the time limit.
  func demo(_ program: String, _ request: RunRequest) throws -> EndMessage {
    let json = String(decoding: Message.encode(request), as: UTF8.self)
    return try withWorker(program, json) { process in
      var (lines, hasResult) = (LineSplitter(), false)
      let ending = try process.child.collect(timeout: times.run) { bytes in
        lines.take(bytes) { line in
          hasResult = hasResult || Message.isKind("result", line)
          if line.first == UInt8(ascii: "{") { channel.append(line) }
        }
      }
      if ending == nil {
        process.kill()
        _ = try? process.child.wait()
      }
      if isStopped { return end(.stopped) }
      switch ending {
      case nil: return end(.failed, "The run was ended after five minutes.")
      case .exited(0) where hasResult: return end(.finished)
      case .exited(let status): return end(.failed, "The process of the run exited with \(status).")
      case .signaled(let signal): return end(.failed, "Signal \(signal) ended the run.")
      }
    }
  }
}

struct LineSplitter {
  private var line: [UInt8] = []

  mutating func take(_ piece: UnsafeRawBufferPointer, _ report: ([UInt8]) -> Void) {
    var rest = piece[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      report(line + rest[..<end])
      line.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    line += rest
  }
}
