// The heartbeat of the main queue.

import Dispatch
import Foundation
import Glibc
import Synchronization

/// Asks the main queue ten times a second whether it answers, and reports each answer.
///
/// A thread of its own asks: the demos may hold all threads of libdispatch. While there is no
/// answer, it does not ask again.
final class Heartbeat: Sendable {
  private struct State {
    var begin: UInt64?
    var isWaiting = false
    var isOver = false
  }

  static let interval: UInt32 = 100_000
  private let state = Mutex(State())
  private let writer: MessageWriter
  private let speed: Double

  init(_ writer: MessageWriter, speed: Double) {
    self.writer = writer
    self.speed = speed
  }

  /// Sets the time of the first event, from which the times of beats count; begins with the first
  /// call.
  func begin() {
    let isFirst = state.withLock { state in
      guard state.begin == nil else { return false }
      state.begin = DispatchTime.now().uptimeNanoseconds
      return true
    }
    guard isFirst else { return }
    let thread = Thread { self.run() }
    thread.name = "heartbeat"
    thread.start()
  }

  /// Reports no more beats.
  func finish() { state.withLock { $0.isOver = true } }

  private func run() {
    while true {
      usleep(Heartbeat.interval)
      let (isOver, asks) = state.withLock { state in
        defer { state.isWaiting = true }
        return (state.isOver, !state.isWaiting)
      }
      if isOver { return }
      if asks { DispatchQueue.main.async { self.answer() } }
    }
  }

  private func answer() {
    let now = DispatchTime.now().uptimeNanoseconds
    state.withLock { state in
      state.isWaiting = false
      guard !state.isOver, let begin = state.begin else { return }
      let time = UInt64(Double(now - begin) * speed)
      writer.add(BeatMessage.line(time))
    }
  }
}

/// An answer of the main queue.
enum BeatMessage {
  static func line(_ time: UInt64) -> [UInt8] { Array("{\"kind\":\"beat\",\"t\":\(time)}".utf8) }
}
