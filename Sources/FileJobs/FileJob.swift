// What every job of this module has in common.

public import Weir

/// A job over a set of files that can be watched and ended while it runs.
///
/// The call that starts a run differs from job to job, since each delivers
/// something else; these members do not.
///
/// Blocks: no member does. All may be called from any thread.
public protocol FileJob: Sendable {
  /// Ends the present run soon. Without a run it does nothing.
  func cancel()

  /// The statistics of the present run, or of the last one.
  var statistics: FileStatistics { get }

  /// The files that lanes have been working on for at least so long.
  func busyFiles(nanoseconds: UInt64) -> [BusyFile]
}
