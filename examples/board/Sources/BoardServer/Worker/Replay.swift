// The replay of a simulated run.

import Demos
import Dispatch
import Glibc

/// Writes the events of a log at their times, and beats while the main thread is free.
struct Replay {
  private let events: [TraceLog.Event]
  private let speed: Double
  private let writer: MessageWriter
  /// The thread of the main queue.
  private let mainThread: Int?

  init(_ events: [TraceLog.Event], speed: Double, _ writer: MessageWriter) {
    self.events = events
    self.speed = speed
    self.writer = writer
    mainThread = events.first { $0.kind == .start && $0.label == "main" }?.thread
  }

  /// Blocks: until the end.
  ///
  /// - Parameter afterwards: Seconds of the clock that follow the last event.
  func play(afterwards seconds: Double) {
    let begin = DispatchTime.now().uptimeNanoseconds
    var index = 0
    var main = MainThread()
    let end = Double(events.last?.time ?? 0) + seconds * 1e9 * speed
    var beat = 1e8 * speed
    while true {
      let now = Double(DispatchTime.now().uptimeNanoseconds - begin) * speed
      while index < events.count, Double(events[index].time) <= now {
        // A beat stands before the events that come after its time.
        while beat < Double(events[index].time) { sendBeat(main, &beat) }
        if events[index].thread == mainThread { main.apply(events[index]) }
        writer.add(events[index])
        index += 1
      }
      while beat <= min(now, end) { sendBeat(main, &beat) }
      if now >= end { return }
      let next = index < events.count ? min(Double(events[index].time), beat) : min(beat, end)
      usleep(UInt32(min(100_000, max(0, (next - now) / speed / 1000))) + 1)
    }
  }

  private func sendBeat(_ main: MainThread, _ beat: inout Double) {
    if !main.isBusy { writer.add(BeatMessage.line(UInt64(beat))) }
    beat += 1e8 * speed
  }
}

/// The state of the main thread: it answers if it runs no job and does not wait.
struct MainThread {
  private var jobs = 0
  private var isWaiting = false

  var isBusy: Bool { jobs > 0 || isWaiting }

  mutating func apply(_ event: TraceLog.Event) {
    switch event.kind {
    case .start: jobs += 1
    case .end: jobs = max(0, jobs - 1)
    case .wait: if event.lane != 1 { isWaiting = true }
    case .acquired, .timeout, .cancel: isWaiting = false
    default: break
    }
  }
}
