// The options of a file processor.

internal import CWeir
public import SystemPackage

/// The options of a ``FileProcessor``. The corresponding C type is `weir_files_options_t`.
public struct FileProcessorOptions: Sendable {
  /// The name for messages and traces.
  public var label = "files"
  /// The number of files read at once, 1 to ``Lanes/widthMax``; `nil` for one per core.
  public var jobs: Int?
  /// The maximum number of files read at once, if it may follow the storage: `jobs_max` of C; `nil`
  /// for ``jobs``.
  package var maximumJobs: Int?
  /// True to do everything on the caller's thread, for tests.
  package var isInline = false
  /// The number of descriptors that the lanes may have open at once, within the budget of the
  /// process; `nil` for no limit but the budget.
  public var descriptors: Int?
  /// The number of descriptors that a lane takes from the budget before it opens files, at least 1;
  /// `nil` for two: a directory and a file. A smaller budget limits the number.
  ///
  /// A job that opens files or pipes of its own sets this to two and as many as it has open at
  /// once. If it waited for ``DescriptorBudget`` itself, the other lanes might hold all permits.
  public var descriptorsPerLane: Int?
  /// True to follow symbolic links that a walk finds. Otherwise a walk skips and counts them.
  public var followsSymbolicLinks = false
  /// True to stay on the file system of the root of a walk.
  public var staysOnFileSystem = false
  /// The filters of a walk; see ``FileFilter``.
  public var filters: [FileFilter] = []
  /// The maximum depth of a walk, at least 1, which is the content of a named directory; `nil`
  /// for no limit.
  public var maximumDepth: Int?
  /// True to treat each named path as `cat` does: `WEIR_FILES_LITERAL`.
  package var isLiteral = false
  /// True to open a file when its job first asks for it: `WEIR_FILES_OPEN_LATE`.
  package var opensLate = false
  /// True to map files of several mebibytes instead of reading them, if they are in the page cache
  /// of a local file system in pages so large that this is faster (Linux 6.5), and
  /// ``handleBusErrors()`` was called. The bytes of a mapped file change if the file does, which
  /// then ends as ``FileOutcome/changed(_:)``.
  public var mapsLargeFiles = false
  /// True to deliver also the directories of a walk, and the symbolic links that the walk does not
  /// follow, in their places. No job runs for them.
  public var deliversWholeTree = false
  /// True to deliver, after a cancel, also the files that ended after one that did not.
  package var deliversWithGaps = false
  /// The order of delivery.
  public var order = ResultOrder.input
  /// The maximum number of files in a batch, at least 1, and so of results that come at once; `nil`
  /// for 64. A lane without work takes files of another one's batch.
  public var filesPerBatch: Int?
  /// Descriptors, such as that of the output, whose files are skipped when a walk finds them: the
  /// files that they refer to when the processor is created.
  public var excluded: [FileDescriptor] = []

  /// The readers for sources that have none of their own.
  package var storage: StorageReaders?

  /// True if the items have notes with the size and the time that their files must still have.
  package var expectsPlannedFiles = false

  /// Creates the default options. There is no corresponding C function: in C they are zeros.
  public init() {}

  /// Installs a handler of SIGBUS for the whole process, which ``mapsLargeFiles`` needs.
  ///
  /// A mapped file that is cut short, or whose storage fails, is a SIGBUS on the thread that reads
  /// the mapped bytes. The handler puts zeros in their place: the job goes on, and its file ends as
  /// changed, or as failed with the error of reading these bytes. Every other SIGBUS has the effect
  /// that it had before. A program that installs a handler of its own calls this method afterwards.
  /// The call unblocks SIGBUS on the calling thread, which threads that it starts inherit; no
  /// thread that runs jobs may block it.
  ///
  /// - Throws: `Errno.notSupported` on systems other than Linux, where files are never mapped; the
  ///   error of `sigaction(2)`.
  ///
  /// Blocks: no. The corresponding C function is `weir_files_handle_bus_errors`.
  public static func handleBusErrors() throws(Errno) {
    try check(weir_files_handle_bus_errors())
  }
}
