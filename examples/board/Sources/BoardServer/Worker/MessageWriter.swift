// The output of a worker: one message a line.
//
// DESIGN. The threads of a demo only add to a list. A thread of its own makes the JSON and writes
// it, every 10 ms at most: the run is not slowed down by system calls.

import Demos
import Foundation
import Glibc
import Synchronization

/// Writes messages to the standard output.
final class MessageWriter: Sendable {
  private enum Item {
    case event(TraceLog.Event)
    case line([UInt8])
  }

  private struct State {
    var items: [Item] = []
    var isOver = false
  }

  private static let eventLimit = 20_000
  private static let pause: UInt32 = 10_000
  private let state = Mutex(State())
  private let finished = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { self.run() }
    thread.name = "writer"
    thread.start()
  }

  func add(_ event: TraceLog.Event) { add(.event(event)) }

  /// Adds a message: its kind first, then the members of a value.
  func add(_ kind: StaticString, _ value: some Encodable) {
    add(.line(Message.encode(kind, value)))
  }

  private func add(_ item: Item) { state.withLock { $0.items.append(item) } }

  /// Writes the rest. Nothing may be added after this.
  ///
  /// Blocks: until everything is written.
  func finish() {
    state.withLock { $0.isOver = true }
    finished.wait()
  }

  // MARK: - The thread

  private func run() {
    var events = 0
    while true {
      let (items, isOver) = state.withLock { state in
        defer { state.items = [] }
        return (state.items, state.isOver)
      }
      var bytes: [UInt8] = []
      for item in items {
        switch item {
        case .event(let event):
          events += 1
          if events <= MessageWriter.eventLimit { bytes += MessageWriter.line(event) }
          if events == MessageWriter.eventLimit + 1 { bytes += Array("{\"kind\":\"cut\"}\n".utf8) }
        case .line(let line):
          bytes += line
          bytes.append(UInt8(ascii: "\n"))
        }
      }
      write(bytes)
      if isOver {
        finished.signal()
        return
      }
      usleep(MessageWriter.pause)
    }
  }

  private static func line(_ event: TraceLog.Event) -> [UInt8] {
    var line = ""
    event.write(to: &line)
    return Array("{\"kind\":\"event\",".utf8) + line.utf8.dropFirst() + [UInt8(ascii: "\n")]
  }

  /// Without a reader there is nothing left to do.
  private func write(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0 && errno != EINTR { _exit(1) }
      written += max(0, count)
    }
  }
}
