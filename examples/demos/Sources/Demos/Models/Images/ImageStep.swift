// The six logs of the image tutorial: how each comes about, what it looks like
// there, and why it may look otherwise on Linux.

/// One of the six logs.
public enum ImageStep: Int, Sendable, CaseIterable {
  case noLimit = 1
  case limit, timeout, woken, waitOnMain, deadlock

  /// The action, in a line.
  public var title: String {
    switch self {
    case .noLimit: "no limit"
    case .limit: "a limit of 3: wait() in the block, signal() on the main queue"
    case .timeout: "a limit of 3; each wait gives up after 5 s, by wait(wallTimeout:)"
    case .woken: "a limit of 3, smaller images, and what signal() returns"
    case .waitOnMain: "wait(wallTimeout:) before the block, on the main queue"
    case .deadlock: "wait() before the block, on the main queue"
    }
  }

  /// The options of the service.
  public var options: ImageOptions {
    var options = ImageOptions()
    options.place = self == .waitOnMain || self == .deadlock ? .caller : .queue
    options.wait =
      switch self {
      case .noLimit: .none
      case .limit, .deadlock: .forever
      case .timeout, .woken, .waitOnMain: .wallTimeout(5)
      }
    return options
  }

  /// The number of images.
  public var images: Int { self == .waitOnMain ? 7 : 15 }

  /// Returns the server's time for an image, 1.2 to 3.2 seconds.
  public func delay(_ id: Int) -> Double {
    let large = 1.2 + Double(id * 7 % 5) / 2
    return self == .woken ? large / 4 : large
  }

  /// A line of the log, with the columns that this log has.
  public func text(_ line: ImageLine) -> String {
    switch line {
    case .start(let number, let timedOut?) where self == .waitOnMain:
      "START \(number) | TIMED OUT \(timedOut ? "timedOut" : "success")"
    case .start(let number, let timedOut?) where self == .timeout || self == .woken:
      "START \(number) | TIMED OUT \(timedOut)"
    case .start(let number, _):
      "START \(number)"
    case .end(let number, let woken?) where self == .woken:
      "END \(number) | THREAD WOKEN \(woken)"
    case .end(let number, _):
      "END \(number)"
    case .refused:
      "refused | TIMED OUT true"
    }
  }

  /// The log of the tutorial; an END without a number stands for any.
  public var shape: [String] {
    func start(_ numbers: ClosedRange<Int>, timedOut: Bool = false) -> [String] {
      numbers.map { text(.start($0, timedOut: timedOut)) }
    }
    func end(_ count: Int, woken: Bool = false) -> [String] {
      let line = text(.end(0, woken: woken)).replacing("END 0", with: "END …")
      return Array(repeating: line, count: count)
    }
    func turns(_ numbers: ClosedRange<Int>) -> [String] {
      start(1...3) + numbers.flatMap { end(1, woken: true) + start($0...$0) }
    }
    return switch self {
    case .noLimit: start(1...15) + end(15)
    case .limit, .woken: turns(4...15) + end(3)
    case .timeout: turns(4...10) + start(11...15, timedOut: true) + end(8)
    case .waitOnMain: start(1...3) + start(4...7, timedOut: true)
    case .deadlock: start(1...3)
    }
  }

  /// The reason that its code may do otherwise here.
  public var remark: String {
    switch self {
    case .noLimit:
      """
      On Linux a concurrent queue begins with about a thread a core and gets one more a
      second while they block: the pool is a limit that nobody asked for. A task that
      suspends needs no thread.
      """
    case .limit:
      """
      On Linux the blocks that wait take the threads of those that would fetch. A gate's
      waiters are tasks: they have none.
      """
    case .timeout:
      """
      A block on Linux waits only from when it has got a thread, so few time out. On
      lanes (--queue lanes) they do as in the tutorial; and who timed out goes on without a
      permit and signals all the same: the limit is gone. Weir's gate gives no permit.
      """
    case .woken:
      """
      THREAD WOKEN says whether somebody waited. With few threads few can wait; a gate
      wakes a task for each permit while there are any.
      """
    case .waitOnMain:
      """
      As in the tutorial: the main thread stands still until each wait times out, and no
      image is shown meanwhile. Weir's acquire() suspends, and the blocking form does not
      compile in an async function.
      """
    case .deadlock:
      """
      As in the tutorial: three requests end, and their signals wait for the main queue,
      whose thread waits for a signal.
      """
    }
  }
}
