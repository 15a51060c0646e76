// The statistics of a run that only this package reads, and sums of statistics.

internal import CWeir
package import Weir

extension FileStatistics {
  /// The number of files that were not read because another name of the same file was; part of
  /// `files`.
  package var linked: UInt64 {
    get { c.linked }
    set { c.linked = newValue }
  }
  /// The number of files opened so far.
  package var opened: UInt64 {
    get { c.opened }
    set { c.opened = newValue }
  }
  /// The total size of the regular files opened so far, without further names of the same
  /// file: the value that `bytes` reaches when they are read.
  package var bytesExpected: UInt64 {
    get { c.bytes_expected }
    set { c.bytes_expected = newValue }
  }
  /// The number of FIFOs, sockets and devices that were not opened.
  package var special: UInt64 {
    get { c.special }
    set { c.special = newValue }
  }
  /// The part of ``special`` that were sources themselves.
  package var specialNamed: UInt64 {
    get { c.special_named }
    set { c.special_named = newValue }
  }
  /// The number of files that were skipped because they were excluded.
  package var excluded: UInt64 {
    get { c.excluded }
    set { c.excluded = newValue }
  }
  /// The number of directories walked.
  package var directories: UInt64 {
    get { c.directories }
    set { c.directories = newValue }
  }
  /// The number of lanes. If the number follows the storage, the highest number that was
  /// allowed to read at once.
  package var lanes: Int {
    get { Int(clamping: c.lanes) }
    set { c.lanes = newValue }
  }
  /// The highest number of lanes busy at once.
  package var lanesPeak: Int { Int(clamping: c.lanes_peak) }
  /// The highest number of descriptors that the lanes had permits for. The walk has two more at
  /// most, and two for each directory that is being listed ahead.
  package var descriptorsPeak: Int { Int(clamping: c.descriptors_peak) }
  /// The number of entries that a walk skipped because of filters. The content of a skipped
  /// directory is not counted.
  package var filtered: UInt64 {
    get { c.filtered }
    set { c.filtered = newValue }
  }
  /// The number of files whose job succeeded without opening them; part of `files`.
  package var unread: UInt64 {
    get { c.unread }
    set { c.unread = newValue }
  }
  /// True while there may be more files to find.
  package var isFeeding: Bool {
    get { c.feeding != 0 }
    set { c.feeding = newValue ? 1 : 0 }
  }
  /// The time spent so far on finding the files, with waits. The rest of a run's time belongs
  /// to the lanes alone.
  package var nanosecondsFeeding: UInt64 {
    get { c.feeding_time }
    set { c.feeding_time = newValue }
  }
  /// The part of ``nanosecondsFeeding`` spent waiting for descriptors.
  package var nanosecondsForDescriptors: UInt64 {
    get { c.waited_permits }
    set { c.waited_permits = newValue }
  }
  /// The part spent waiting because a device had all its readers busy.
  package var nanosecondsForReaders: UInt64 {
    get { c.waited_readers }
    set { c.waited_readers = newValue }
  }
  /// The part spent waiting for the lanes, whose backlog was full.
  package var nanosecondsForLanes: UInt64 {
    get { c.waited_lanes }
    set { c.waited_lanes = newValue }
  }
  /// The part spent waiting because results were not yet delivered.
  package var nanosecondsForDelivery: UInt64 {
    get { c.waited_delivery }
    set { c.waited_delivery = newValue }
  }
  /// The number of lanes that are allowed to read now; see `FileProcessorOptions.maximumJobs`.
  package var readers: Int {
    get { Int(clamping: c.readers) }
    set { c.readers = newValue }
  }
  package var readersReason: ReadersReason {
    get {
      let number = Int(c.readers_reason.rawValue)
      return number < ReadersReason.all.count ? ReadersReason.all[number] : .asGiven
    }
    set {
      let number = ReadersReason.all.firstIndex(of: newValue) ?? 0
      c.readers_reason = weir_readers_reason_t(UInt32(number))
    }
  }
  /// The number of directories that were listed ahead because listing takes long; part of
  /// ``directories``. See `FileWalk`.
  package var directoriesListedAhead: UInt64 { c.listed_ahead }

  /// A reason for the number of lanes that read at once.
  package enum ReadersReason: Sendable {
    /// The number is that of the options: nothing was measured yet, or it does not change.
    case asGiven
    /// The cores were busy, or the lanes hardly waited.
    case coresBusy
    /// The lanes waited for files to read, not for the storage.
    case noMoreWork
    /// The lanes waited for the storage while cores were idle.
    case waiting
    /// More lanes were not faster.
    case noGain

    /// The reasons in the order of the C constants, which begin with 0.
    fileprivate static let all: [ReadersReason] = [
      .asGiven, .coresBusy, .noMoreWork, .waiting, .noGain,
    ]
  }

  /// The statistics of no run.
  package static var none: FileStatistics { FileStatistics() }

  package static func + (first: FileStatistics, second: FileStatistics) -> FileStatistics {
    let totals: [WritableKeyPath<weir_files_stats_t, UInt64>] = [
      \.files, \.bytes, \.failed, \.changed, \.linked, \.opened, \.unread, \.bytes_expected,
      \.special, \.special_named, \.links, \.excluded, \.directories, \.filtered, \.found,
      \.feeding_time, \.waited_permits, \.waited_readers, \.waited_lanes, \.waited_delivery,
      \.listed_ahead,
    ]
    var sum = second
    for total in totals { sum.c[keyPath: total] &+= first.c[keyPath: total] }
    sum.lanes = max(first.lanes, second.lanes)
    sum.c.lanes_peak = max(first.c.lanes_peak, second.c.lanes_peak)
    sum.c.descriptors_peak = max(first.c.descriptors_peak, second.c.descriptors_peak)
    return sum
  }
}
