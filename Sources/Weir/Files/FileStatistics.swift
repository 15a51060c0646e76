package import CWeir

/// The statistics of a run of a ``FileProcessor``.
///
/// The corresponding C type is `weir_files_stats_t`.
public struct FileStatistics: Sendable {
  /// The statistics as the C type.
  package var c = weir_files_stats_t()

  package init() {}

  /// The number of files whose job succeeded.
  public package(set) var files: UInt64 {
    get { c.files }
    set { c.files = newValue }
  }
  /// The number of bytes read, also from failed files.
  public package(set) var bytes: UInt64 {
    get { c.bytes }
    set { c.bytes = newValue }
  }
  /// The number of files and directories that could not be read.
  public package(set) var failed: UInt64 {
    get { c.failed }
    set { c.failed = newValue }
  }
  /// The number of files that changed while they were read; not part of ``failed``.
  public package(set) var changed: UInt64 {
    get { c.changed }
    set { c.changed = newValue }
  }
  /// The number of symbolic links that a walk did not follow.
  public package(set) var links: UInt64 {
    get { c.links }
    set { c.links = newValue }
  }
  /// The number of files found so far, with any outcome.
  public package(set) var found: UInt64 {
    get { c.found }
    set { c.found = newValue }
  }
}

extension FileStatistics {
  /// The part of the files found that have ended, 0 to 1; `nil` while the walk may find more files,
  /// and without any.
  ///
  /// There is no corresponding C field; it is calculated from `found` and `feeding`.
  public var fractionCompleted: Double? {
    if c.feeding != 0 || found == 0 { return nil }
    return min(1, Double(files + failed + changed + c.special) / Double(found))
  }
}

extension FileStatistics: CustomStringConvertible {
  /// The numbers in one line of English; those of rare events only if they are not 0.
  public var description: String {
    var parts = ["\(files) of \(found) files", "\(bytes) of \(c.bytes_expected) bytes read"]
    let rest: [(UInt64, String)] = [
      (failed, "failed"), (changed, "changed while read"), (c.unread, "not opened"),
      (c.linked, "further names of files"), (c.special, "special files"),
      (links, "symbolic links"), (c.excluded, "excluded"), (c.filtered, "filtered"),
      (c.directories, "directories"), (c.listed_ahead, "directories listed ahead"),
    ]
    for (count, noun) in rest where count > 0 { parts.append("\(count) \(noun)") }
    parts.append("\(c.lanes_peak) of \(c.lanes) lanes busy at most")
    parts.append("\(c.descriptors_peak) descriptors at most")
    return parts.joined(separator: ", ")
  }
}
