public import Weir

/// A job that finds the files that have the same content.
///
///     import Weir
///
///     let job = DuplicatesJob()
///     try job.run([.tree("/srv")]) { event in
///       guard case .group(let group) = event else { return }
///       print(group.paths.count, "of", group.size)
///     }
///
/// The job reads as little as possible. First it stats all files and opens none: a file
/// with a size of its own has no duplicate. A file with several names counts once. Of
/// large files it reads the beginning and the end, and if these agree, the whole content
/// for its XXH128. On request it then compares files byte for byte.
///
/// A file takes about 140 bytes of memory, its name included.
public struct DuplicatesJob: FileJob {
  /// Options of a search for duplicates.
  public struct Options: Sendable {
    /// The minimum size. All files without content are equal, which is rarely of interest.
    public var minimumSize: UInt64 = 1
    /// A Boolean value that indicates whether files with equal digests are compared byte for byte.
    public var verifies = false
    /// A Boolean value that indicates whether a file with several names and no duplicate is
    /// a group too.
    public var listsLinks = false

    /// True if a group needs files of two sources.
    package var spansSources = false

    /// The digests that stand for reads; `nil` for none.
    package var recorded: LedgerDigests?

    /// Decides by the size which files are searched; `nil` for all. The others do not count.
    package var selectsSize: (@Sendable (UInt64) -> Bool)?

    /// The default options.
    public init() {}
  }

  private let options: Options
  private let processorOptions: FileProcessorOptions
  private let progress = Locked(DuplicatesProgress())
  private let stages = JobStages()

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - options: The options of the search.
  ///   - processorOptions: The options of the processor. Its order is that of the groups:
  ///     with `input`, those that save most come first, then those whose first file was
  ///     found first; with `completion`, groups come as they become known.
  public init(
    _ options: Options = Options(),
    processorOptions: FileProcessorOptions = FileProcessorOptions()
  ) {
    self.options = options
    self.processorOptions = processorOptions
  }

  /// Finds the groups; returns when all are delivered.
  ///
  /// A cancelled run delivers the groups that are known to be complete.
  ///
  /// - Parameters:
  ///   - sources: Files, trees and lists. A descriptor has no name to open it again by, and
  ///     is a failure.
  ///   - deliver: Called with each group and each failure, one call at a time, on any
  ///     thread. An error that it throws ends the run.
  /// - Returns: The statistics of the search.
  /// - Throws: `Errno.canceled` after ``FileJob/cancel()``, unless the run was complete;
  ///   ``/Weir/FileProcessorError/runInProgress`` during a run; `Errno.invalidArgument`; `Errno.noMemory`;
  ///   `Errno.overflow` for more than 4,294,967,295 files; or the error of `deliver`.
  ///
  /// Blocks: yes, until the run has ended.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (DuplicatesEvent) throws -> Void
  ) throws -> DuplicatesStatistics {
    try run(placed: sources) { event, _ in try deliver(event) }
  }

  /// Finds the groups among the files of a plan.
  ///
  /// The items of `sources` may have notes of a ``ShardFeed`` with places.
  ///
  /// - Parameter directories: Called with directories that are the same as wholes, at their place
  ///   among the groups. Groups of files in them are then delivered only if there are other copies.
  ///   `nil` for groups of files only; without effect if the walk leaves anything out, or if groups
  ///   are delivered as they become known.
  @discardableResult
  package func run(
    placed sources: [FileSource],
    directories: (@Sendable (DuplicateDirectories) throws -> Void)? = nil,
    deliver: @escaping @Sendable (DuplicatesEvent, DuplicatesPosition) throws -> Void
  ) throws -> DuplicatesStatistics {
    let isFree = progress.with { progress -> Bool in
      if progress.isRunning { return false }
      progress = DuplicatesProgress()
      progress.isRunning = true
      return true
    }
    guard isFree else { throw FileProcessorError.runInProgress }
    defer { progress.with { $0.isRunning = false } }
    stages.begin()
    return try DuplicatesRun(
      options, processorOptions, sources, progress, stages, deliver, directories
    ).run()
  }

  /// The handle on the present run. A file that is read in two stages counts once.
  public var control: JobControl {
    stages.control { [progress] stages in progress.with { $0.statistics(of: stages) } }
  }

  /// The statistics of the last run, also of a cancelled one; zeros during a run.
  public var found: DuplicatesStatistics {
    progress.with { $0.found }
  }
}
