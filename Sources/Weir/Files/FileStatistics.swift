internal import CWeir

/// The statistics of a run of a ``FileProcessor``. The corresponding C type is
/// `weir_files_stats_t`.
public struct FileStatistics: Sendable {
  /// The number of files whose job succeeded.
  public package(set) var files: UInt64 = 0
  /// The number of bytes read, also from failed files.
  public package(set) var bytes: UInt64 = 0
  /// The number of files and directories that could not be read.
  public package(set) var failed: UInt64 = 0
  /// The number of files that changed while they were read; not part of ``failed``.
  public package(set) var changed: UInt64 = 0
  /// The number of symbolic links that a walk did not follow.
  public package(set) var links: UInt64 = 0
  /// The number of files found so far, with any outcome.
  public package(set) var found: UInt64 = 0

  // MARK: For the jobs and the tool. weir/files.h describes the fields.

  package var linked: UInt64 = 0
  package var opened: UInt64 = 0
  package var unread: UInt64 = 0
  package var bytesExpected: UInt64 = 0
  package var special: UInt64 = 0
  package var specialNamed: UInt64 = 0
  package var excluded: UInt64 = 0
  package var filtered: UInt64 = 0
  package var directories: UInt64 = 0
  package private(set) var directoriesListedAhead: UInt64 = 0
  package var lanes = 0
  package private(set) var lanesPeak = 0
  package private(set) var descriptorsPeak = 0
  package var isFeeding = false
  package var nanosecondsFeeding: UInt64 = 0
  package var nanosecondsForDescriptors: UInt64 = 0
  package var nanosecondsForReaders: UInt64 = 0
  package var nanosecondsForLanes: UInt64 = 0
  package var nanosecondsForDelivery: UInt64 = 0
  package var readers = 0
  package var readersReason = ReadersReason.asGiven

  /// The statistics of no run.
  package static var none: FileStatistics { FileStatistics() }

  package init() {}

  /// The reason for the number of lanes that read at once: `weir_readers_reason_t`.
  package enum ReadersReason: Sendable {
    case asGiven, coresBusy, noMoreWork, waiting

    /// The reasons in the order of the C constants, which begin with 0.
    fileprivate static let all: [ReadersReason] = [
      .asGiven, .coresBusy, .noMoreWork, .waiting,
    ]
  }
}

extension FileStatistics {
  /// The totals of a run.
  private static var totals: [WritableKeyPath<FileStatistics, UInt64>] {
    [
      \.files, \.bytes, \.failed, \.changed, \.linked, \.opened, \.unread, \.special,
      \.bytesExpected, \.specialNamed, \.links, \.excluded, \.directories, \.filtered, \.found,
      \.nanosecondsFeeding, \.nanosecondsForDescriptors, \.nanosecondsForReaders,
      \.nanosecondsForLanes, \.nanosecondsForDelivery, \.directoriesListedAhead,
    ]
  }

  /// Makes the statistics that C has.
  init(_ c: weir_files_stats_t) {
    // Not by a table of key paths: Swift makes them when they are first used, and they were a quarter of
    // the instructions of a run on one small file.
    (files, bytes, failed, changed) = (c.files, c.bytes, c.failed, c.changed)
    (linked, opened, unread, found) = (c.linked, c.opened, c.unread, c.found)
    (special, specialNamed, links) = (c.special, c.special_named, c.links)
    (bytesExpected, excluded, filtered) = (c.bytes_expected, c.excluded, c.filtered)
    (directories, directoriesListedAhead) = (c.directories, c.listed_ahead)
    (nanosecondsFeeding, nanosecondsForDescriptors) = (c.feeding_time, c.waited_permits)
    (nanosecondsForReaders, nanosecondsForLanes) = (c.waited_readers, c.waited_lanes)
    nanosecondsForDelivery = c.waited_delivery
    (lanes, lanesPeak) = (Int(clamping: c.lanes), Int(clamping: c.lanes_peak))
    descriptorsPeak = Int(clamping: c.descriptors_peak)
    isFeeding = c.feeding != 0
    readers = Int(clamping: c.readers)
    let reason = Int(c.readers_reason.rawValue)
    if reason < ReadersReason.all.count { readersReason = ReadersReason.all[reason] }
  }

  /// Adds the totals of two runs.
  package static func + (first: FileStatistics, second: FileStatistics) -> FileStatistics {
    var sum = second
    for total in totals { sum[keyPath: total] &+= first[keyPath: total] }
    sum.lanes = max(first.lanes, second.lanes)
    sum.lanesPeak = max(first.lanesPeak, second.lanesPeak)
    sum.descriptorsPeak = max(first.descriptorsPeak, second.descriptorsPeak)
    return sum
  }
}

extension FileStatistics {
  /// The part of the files found that have ended, 0 to 1, from `found` and `feeding` of C; `nil`
  /// while the walk may find more files, and without any.
  public var fractionCompleted: Double? {
    if isFeeding || found == 0 { return nil }
    return min(1, Double(files + failed + changed + special) / Double(found))
  }
}

extension FileStatistics: CustomStringConvertible {
  /// The numbers in one line of English; those of rare events only if they are not 0.
  public var description: String {
    var parts = ["\(files) of \(found) files", "\(bytes) of \(bytesExpected) bytes read"]
    let rest: [(UInt64, String)] = [
      (failed, "failed"), (changed, "changed while read"), (unread, "not opened"),
      (linked, "further names of files"), (special, "special files"),
      (links, "symbolic links"), (excluded, "excluded"), (filtered, "filtered"),
      (directories, "directories"), (directoriesListedAhead, "directories listed ahead"),
    ]
    for (count, noun) in rest where count > 0 { parts.append("\(count) \(noun)") }
    parts.append("\(lanesPeak) of \(lanes) lanes busy at most")
    parts.append("\(descriptorsPeak) descriptors at most")
    return parts.joined(separator: ", ")
  }
}
