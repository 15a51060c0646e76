// What is written down while images are fetched.

import Console
import Demos
import Synchronization

/// The log of a run that is over.
struct Log: Sendable {
  var lines: [ImageLine] = []
  var pictures = 0
  var peak = 0
  /// The most blocks that had a thread; `nil` where there are none.
  var threads: Int?
  var seconds = 0.0
  /// Whether it never came to an end.
  var isStuck = false

  func verdict(_ step: ImageStep, limit: Int) -> String {
    var words = ["peak \(peak)" + (step == .noLimit ? "" : " of \(limit)")]
    words.append("\(pictures) of \(step.images) pictures")
    if step.options.wait != .forever, step != .noLimit {
      words.append("\(timedOut) timed out")
    }
    if step == .woken {
      words.append("woken \(woken) of \(lines.count { $0.isEnd })")
    }
    if let threads, threads > 0 { words.append("blocks with a thread: \(threads) at most") }
    return words.joined(separator: ", ") + "; \(seconds.inSeconds) s"
  }

  private var timedOut: Int {
    lines.count { line in
      switch line {
      case .start(_, timedOut: true), .refused: true
      default: false
      }
    }
  }

  private var woken: Int {
    lines.count { line in
      if case .end(_, woken: true) = line { true } else { false }
    }
  }
}

extension ImageLine {
  var isEnd: Bool {
    if case .end = self { true } else { false }
  }
}

/// Collects lines and pictures from whatever thread they come.
final class Recording: Sendable {
  private let log = Mutex(Log())
  private let watch = Stopwatch()
  private let lastLine = AsyncStream.makeStream(of: Void.self)
  private let images: Int

  init(_ step: ImageStep) {
    images = step.images
  }

  func add(_ line: ImageLine) {
    let isLast = log.withLock { log in
      log.lines.append(line)
      let over = log.lines.count {
        if case .refused = $0 { true } else { $0.isEnd }
      }
      return over == images
    }
    if isLast { lastLine.continuation.finish() }
  }

  func add(_ picture: Picture?) {
    log.withLock { $0.pictures += picture == nil ? 0 : 1 }
  }

  /// How many pictures have come.
  var pictures: Int { log.withLock { $0.pictures } }

  /// Suspends until each image has come or was refused. Whether it came to that.
  func isDone(within seconds: Double) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { [stream = lastLine.stream] in
        for await _ in stream {}
        return !Task.isCancelled
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(seconds))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  func finish(isStuck: Bool, _ requests: Meter, threads: Int? = nil) -> Log {
    log.withLock { log in
      log.isStuck = isStuck
      log.peak = requests.peak
      log.threads = threads
      log.seconds = watch.seconds
      return log
    }
  }
}
