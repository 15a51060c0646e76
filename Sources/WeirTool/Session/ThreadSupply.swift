internal import FileJobs
internal import Weir

/// The threads that the system lets the program start.
///
/// If libdispatch cannot start a thread, it waits for one without a message and without an end.
/// So a run asks for all its threads before it begins: those of its readers, of the helpers for
/// big files, and the others.
enum ThreadSupply {
  /// The threads of a run beside readers and helpers: 16 list slow directories; the others are
  /// those of signals, messages, the expected work and the output, and two of libdispatch.
  static let others = 22

  /// Starts up to `count` threads, which live at the same time, and ends them. Returns the number
  /// that could be started.
  static func available(upTo count: Int) -> Int {
    // A value without a size has the address of the object, which is read without the lock:
    // ThreadSanitizer takes that for a race.
    let latch = Locked(false)
    let threads = latch.with { _ in
      var threads: [SideThread] = []
      while threads.count < count, let thread = SideThread({ latch.with { _ in } }) {
        threads.append(thread)
      }
      return threads
    }
    threads.forEach { $0.join() }
    return threads.count
  }

  /// True if the system has all threads of a drop-in run, which walks nothing and has no
  /// progress.
  static let sufficesForDropIn: Bool = {
    let count = 2 * Lanes.defaultWidth + 2
    return available(upTo: count) == count
  }()
}

extension FileProcessorOptions {
  /// Fits the readers to the threads that can be started. Returns that number if there are fewer
  /// readers at first than wanted.
  mutating func fitThreads() -> Int? {
    let wanted = jobs ?? Lanes.defaultWidth
    let helpers = min(wanted, Lanes.defaultWidth) - 1
    let most = max(wanted, maximumJobs ?? 0)
    let available = ThreadSupply.available(upTo: most + helpers + ThreadSupply.others)
    let readers = available - helpers - ThreadSupply.others
    if readers >= most { return nil }
    maximumJobs = maximumJobs.map { min($0, max(readers, 1)) }
    if readers >= wanted { return nil }
    isInline = readers < 2
    jobs = isInline ? 1 : readers
    return available
  }
}
