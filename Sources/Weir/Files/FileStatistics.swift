// The figures of a file processor.

/// Figures of a run of a ``FileProcessor``.
///
/// The corresponding C type is `weir_files_stats_t`.
public struct FileStatistics: Sendable {
  /// Files whose job ran to its end.
  public package(set) var files: UInt64 = 0
  /// Bytes read, also of files that failed.
  public package(set) var bytes: UInt64 = 0
  /// Files and directories that could not be read.
  public package(set) var failed: UInt64 = 0
  /// Files that changed while they were read; not among ``failed``.
  public package(set) var changed: UInt64 = 0
  /// Files that were not read, since they were known by another name; among
  /// ``files``.
  public package(set) var linked: UInt64 = 0
  /// Files opened so far.
  public package(set) var opened: UInt64 = 0
  /// The sizes of the regular files opened so far, without those that are known
  /// by another name: what ``bytes`` comes to when these are read.
  public package(set) var bytesExpected: UInt64 = 0
  /// FIFOs, sockets and devices that were not opened.
  public package(set) var special: UInt64 = 0
  /// Of these, how many were sources themselves, not found in a walk.
  public package(set) var specialNamed: UInt64 = 0
  /// Symbolic links that a walk did not follow.
  public package(set) var links: UInt64 = 0
  /// Files passed over because they were excluded.
  public package(set) var excluded: UInt64 = 0
  /// Directories walked.
  public package(set) var directories: UInt64 = 0
  /// How many lanes there are.
  public package(set) var lanes = 0
  /// The most lanes that were busy at once.
  public package(set) var lanesPeak = 0
  /// The most descriptors the lanes had permits for at once. The walk has one
  /// more.
  public package(set) var descriptorsPeak = 0
  /// Things that a walk passed over because of filters. What is in a directory
  /// that was passed over is not counted.
  public package(set) var filtered: UInt64 = 0
  /// Files that were found so far, whatever becomes of them.
  public package(set) var found: UInt64 = 0
  /// Files whose job ran to its end and that were never opened; among ``files``.
  public package(set) var unread: UInt64 = 0
  /// Whether there may be more to find.
  public package(set) var isFeeding = false
  /// How long it has taken so far to find the files, waits included; the rest of a
  /// run is the lanes' alone.
  public package(set) var nanosecondsFeeding: UInt64 = 0
  /// How long of that there were no descriptors for more.
  public package(set) var nanosecondsForDescriptors: UInt64 = 0
  /// How long a device had all the readers that it is to have.
  public package(set) var nanosecondsForReaders: UInt64 = 0
  /// How long so much was ready for the lanes that they were waited for.
  public package(set) var nanosecondsForLanes: UInt64 = 0
  /// How long what was read waited to be delivered.
  public package(set) var nanosecondsForDelivery: UInt64 = 0
}
