// The thread that writes what the monitor of a run reports.
//
// DESIGN. The thread that takes signals must never write: a standard error that nobody
// reads would block it, or another thread that holds the lock of the console would, and no
// signal could end the process any more. So a second thread writes, started when there is
// something to write, which most runs never have.

internal import Dispatch
internal import FileJobs
internal import Weir

final class Announcer: Sendable {
  private struct State {
    var messages: [@Sendable () -> Void] = []
    /// True while the thread is writing a message.
    var isWriting = false
    var thread: SideThread?
    var isOver = false
  }

  private let state = Locked(State())
  private let changes = DispatchSemaphore(value: 0)

  /// The maximum number of messages that wait: a reader that has stopped does not miss more.
  private static let waitingMax = 16

  var isIdle: Bool { state.with { $0.messages.isEmpty && !$0.isWriting } }

  /// Has a message written. Never blocks. Without a thread, or while too many messages wait,
  /// the message is dropped.
  func write(_ message: @escaping @Sendable () -> Void) {
    let isAccepted = state.with { state in
      if state.thread == nil && !state.isOver { state.thread = SideThread { self.loop() } }
      guard state.thread != nil, state.messages.count < Announcer.waitingMax else { return false }
      state.messages.append(message)
      return true
    }
    if isAccepted { changes.signal() }
  }

  func write(within seconds: Double, _ message: @escaping @Sendable () -> Void) {
    let isWritten = DispatchSemaphore(value: 0)
    write {
      message()
      isWritten.signal()
    }
    _ = isWritten.wait(timeout: .now() + seconds)
  }

  /// Ends the thread when all messages have been written.
  func finish() {
    let thread = state.with { state in
      state.isOver = true
      defer { state.thread = nil }
      return state.thread
    }
    changes.signal()
    thread?.join()
  }

  private func loop() {
    while true {
      changes.wait()
      let message = state.with { state -> (@Sendable () -> Void)? in
        state.isWriting = !state.messages.isEmpty
        return state.messages.isEmpty ? nil : state.messages.removeFirst()
      }
      if let message {
        message()
        state.with { $0.isWriting = false }
      } else if state.with({ $0.isOver }) {
        return
      }
    }
  }
}
