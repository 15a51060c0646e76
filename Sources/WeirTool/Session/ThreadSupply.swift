internal import CWeir
internal import FileJobs
internal import Weir

/// The threads that the system lets the program start.
///
/// If libdispatch cannot start a thread, it waits for one without a message and without an end.
/// So a run asks for the threads of its first readers, of the helpers for big files, and for the
/// others before it begins. The library asks for those that it adds.
enum ThreadSupply {
  /// The threads of a run beside readers and helpers: those of signals, messages, the expected
  /// work and the output, and two of libdispatch.
  static let others = 6

  /// True if the system has all threads of a drop-in run, which walks nothing and has no
  /// progress.
  static let sufficesForDropIn: Bool = {
    let count = 2 * Lanes.defaultWidth + 2
    return weir_spi_threads_available(count) == count
  }()
}

extension FileProcessorOptions {
  /// Fits the readers to the threads that can be started. Returns that number if there are fewer
  /// readers at first than wanted.
  mutating func fitThreads() -> Int? {
    let wanted = jobs ?? Lanes.defaultWidth
    let helpers = min(wanted, Lanes.defaultWidth) - 1
    let available = weir_spi_threads_available(wanted + helpers + ThreadSupply.others)
    let readers = available - helpers - ThreadSupply.others
    if readers >= wanted { return nil }
    maximumJobs = nil
    isInline = readers < 2
    jobs = isInline ? 1 : readers
    return available
  }
}
