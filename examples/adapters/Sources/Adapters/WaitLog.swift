// Waits for swift-log: those that took long, and those that failed.

import Logging
import Synchronization
import Weir

/// An observer for `WeirTrace.setObserver(_:)`.
func waitLog(over limit: Duration, to logger: Logger) -> @Sendable (TraceEvent) -> Void {
  let begins = Mutex<[UInt64?: [UInt64: Duration]]>([:])
  return { event in
    guard [.wait, .acquired, .timedOut, .cancel].contains(event.kind) else { return }
    let now = event.kind == .wait ? event.time : nil
    let then = begins.withLock { exchange(&$0[event.source, default: [:]][event.job], with: now) }
    guard let then, event.kind != .wait else { return }
    let waited = event.time - then
    if event.kind == .acquired && waited <= limit { return }
    logger.warning("\(event.kind) after \(waited)", metadata: ["at": "\(event.label)"])
  }
}
