// The main queue of a demo.
//
// DESIGN. Demos use the real main queue, and on Linux only dispatchMain drains it, which never
// returns. So the demo runs on a thread of its own, which ends the program and takes the signals:
// the main thread ends in dispatchMain, and the threads of libdispatch block them.

import Dispatch
import Foundation

enum MainQueueThread {
  /// Runs a closure on a thread while the main thread drains the main queue, and ends the program
  /// with the closure's result.
  static func run(_ body: @escaping @Sendable () throws -> Void) -> Never {
    Thread.detachNewThread {
      do {
        try body()
        exit(0)
      } catch {
        Program.end(with: error)
      }
    }
    dispatchMain()
  }
}
