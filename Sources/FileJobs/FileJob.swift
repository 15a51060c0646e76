// The protocol that all jobs of this module share, and the handle on their runs.
//
// DESIGN. Most jobs have one file processor, and forward to it. A job of several
// stages (audit, duplicates) has one processor a stage, of different types, and
// composes its statistics from them. `JobControl` erases those types; the protocol's
// three members are written once, above it.

public import Weir

/// A job over a set of files whose run can be watched and cancelled.
///
/// The method that starts a run differs from job to job, because each job delivers
/// values of its own. These members are the same for all jobs.
///
/// Blocks: no. All members may be called from any thread.
public protocol FileJob: Sendable {
  /// The handle on the job's present run.
  var control: JobControl { get }
}

extension FileJob {
  /// Cancels the present run: no more files are opened, and open ones have a second to end,
  /// as after ``/Weir/FileProcessor/cancel()``. Without a run it does nothing.
  public func cancel() { control.cancel() }

  /// The statistics of the present run, or of the last one.
  public var statistics: FileStatistics { control.statistics() }

  /// Stops the programs that the run has started, before this process stops, or continues them.
  package func pause(_ stops: Bool) { control.pause(stops) }

  /// Returns the files that lanes have been working on for at least `nanoseconds`.
  package func busyFiles(nanoseconds: UInt64 = 0) -> [BusyFile] {
    control.busyFiles(nanoseconds)
  }
}

/// A handle on a run, whatever the job makes of its files.
public struct JobControl: Sendable {
  private(set) var cancel: @Sendable () -> Void
  let statistics: @Sendable () -> FileStatistics
  let busyFiles: @Sendable (_ nanoseconds: UInt64) -> [BusyFile]
  /// Stops what runs beside this process, or continues it.
  var pause: @Sendable (_ stops: Bool) -> Void = { _ in }
}

extension JobControl {
  /// Makes the handle of a job that is one run of a processor.
  ///
  /// - Parameter processor: The processor, which the handle retains.
  package init<Context, Value>(_ processor: FileProcessor<Context, Value>) {
    self.init(
      cancel: { processor.cancel() }, statistics: { processor.statistics },
      busyFiles: { processor.busyFiles(nanoseconds: $0) })
  }

  /// Returns the handle of a job that does more than its run of a processor: a cancel also sets a flag,
  /// which stays set.
  func setting(_ isCanceled: Locked<Bool>) -> JobControl {
    var control = self
    control.cancel = {
      isCanceled.with { $0 = true }
      self.cancel()
    }
    return control
  }

  /// Makes the handle of a run that has ended. It retains no processor, and so none of
  /// the memory of its lanes.
  init(ended statistics: FileStatistics) {
    self.init(cancel: {}, statistics: { statistics }, busyFiles: { _ in [] })
  }
}
