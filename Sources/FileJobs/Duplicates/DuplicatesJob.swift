// Files with the same content.

internal import SystemPackage
public import Weir

/// A job that finds the files that have the same content.
///
///     let job = try DuplicatesJob()
///     try job.run([.tree("/srv")]) { event in
///       guard case .group(let group) = event else { return }
///       print(group.files.count, "of", group.size)
///     }
///
/// It reads as little as it can. First all files are looked at, not opened: those
/// that are alone in their size are done with. A file with several names is one. Of
/// large files the beginning and the end come next, and where these agree the
/// content, by XXH128; or byte for byte, after that.
///
/// What is known of the files is kept, in about 140 bytes each, names included.
public struct DuplicatesJob: FileJob {
  /// Which files, and which groups.
  public struct Options: Sendable {
    /// What is smaller is passed over. Files without content are equal, and mostly
    /// nobody wants to know.
    public var minimumSize: UInt64 = 1
    /// Whether what has the same digest is compared byte for byte.
    public var verifies = false
    /// Whether a file with several names, which is like no other, is a group too.
    public var listsLinks = false

    /// The defaults.
    public init() {}
  }

  private let options: Options
  private let processorOptions: FileProcessorOptions
  private let stages = Locked(DuplicatesStages())

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - options: Which files, and which groups.
  ///   - processorOptions: How files are processed. The order is that of the groups:
  ///     as input, those that save most come first, and then those whose first file
  ///     was found first; else they come as they are known.
  public init(
    _ options: Options = Options(),
    processorOptions: FileProcessorOptions = FileProcessorOptions()
  ) {
    self.options = options
    self.processorOptions = processorOptions
  }

  /// Finds the groups; returns when all are delivered.
  ///
  /// Of a run that is cancelled the groups are delivered that are known to be whole.
  ///
  /// - Parameters:
  ///   - sources: Files, trees and lists. A descriptor has no name to be found again
  ///     by, and is an error of its own.
  ///   - deliver: Called with each group and each trouble, never two at a time, on
  ///     any thread. What it throws ends the run and is thrown.
  /// - Returns: What it has come to.
  /// - Throws: `Errno.canceled` after ``cancel()`` unless it came too late to cut
  ///   anything off, `Errno.resourceBusy` where a run is under way, `Errno.invalidArgument`, `Errno.noMemory`, `Errno.overflow`
  ///   for more than 4,294,967,295 files, or what `deliver` throws.
  ///
  /// Blocks: yes, as long as it takes.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (DuplicatesEvent) throws -> Void
  ) throws -> DuplicatesFigures {
    let isFree = stages.with { stages -> Bool in
      if stages.isRunning { return false }
      stages = DuplicatesStages()
      stages.isRunning = true
      return true
    }
    guard isFree else { throw Errno.resourceBusy }
    defer { stages.with { $0.isRunning = false } }
    return try DuplicatesRun(options, processorOptions, sources, stages, deliver).run()
  }

  /// The handle on the present run. In its statistics, a file that is read in two
  /// stages counts once; ``Weir/FileStatistics/unread`` counts those that are not read.
  public var control: JobControl {
    JobControl(
      cancel: {
        let running = stages.with { stages in
          stages.isCanceled = stages.isRunning
          return stages.all.last
        }
        running?.cancel()
      },
      statistics: { stages.with { $0 }.statistics },
      busyFiles: { nanoseconds in stages.with { $0.all.last }?.busyFiles(nanoseconds) ?? [] })
  }

  /// What the last run has come to, also one that was cancelled; of nothing while one
  /// is under way.
  public var found: DuplicatesFigures {
    stages.with { $0.found }
  }
}
