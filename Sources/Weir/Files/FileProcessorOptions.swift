// How a file processor works.

public import SystemPackage

/// How a ``FileProcessor`` works.
///
/// The corresponding C type is `weir_files_options_t`.
public struct FileProcessorOptions: Sendable {
  /// A name for messages and traces.
  public var label = "files"
  /// How many files are worked on at once, 1 to ``Lanes/widthMax``; `nil` for
  /// one a core.
  public var jobs: Int?
  /// Whether everything is done on the caller's thread, for tests.
  public var isInline = false
  /// How many descriptors the lanes may have open at once, within the budget of
  /// the process; `nil` for that budget alone.
  public var descriptors: Int?
  /// How many descriptors are taken from the budget before files are opened that one
  /// lane reads, at least 1; `nil` for two, a directory and a file. Where the budget
  /// is smaller it is all of that. For a job that opens more itself, as pipes: it
  /// need not wait for them then.
  public var descriptorsPerLane: Int?
  /// Whether symbolic links that a walk meets are followed; else they are
  /// passed over and counted.
  public var followsSymbolicLinks = false
  /// Whether a walk stays on the file system it began on.
  public var staysOnFileSystem = false
  /// What a walk passes over; see ``FileFilter``.
  public var filters: [FileFilter] = []
  /// How deep a walk goes, at least 1, which is what is in a named directory;
  /// `nil` for no limit.
  public var maximumDepth: Int?
  /// Whether what is named is what `open(2)` and `read(2)` make of it, as for
  /// `cat`: a directory is not walked, its job reads `Errno.isDirectory`; a FIFO
  /// and a device are opened, and may be waited for; nothing is excluded. What is
  /// no regular file is read when all before it is, and all behind it afterwards:
  /// so two names of one pipe give what they give to who reads them in turn.
  public var isLiteral = false
  /// Whether a file of a path is opened only when its job first reads it, or asks
  /// for its descriptor, its status or what is remembered of it.
  ///
  /// Of a job that does none of these the file is neither opened nor checked: it is
  /// done, whatever the path leads to, unless ``OpenFile/look()`` has found that
  /// it is nothing to be read.
  public var opensLate = false
  /// Whether the directories of a walk, and the symbolic links that it does not
  /// follow, are delivered too, in their places: as
  /// ``FileResult/Outcome/directory`` and ``FileResult/Outcome/link``. There is no
  /// job for them.
  public var deliversWholeTree = false
  /// In which order batches are delivered.
  public var order = ResultOrder.input
  /// How many files a stride has at most; `nil` for 64.
  public var filesPerBatch: Int?
  /// Files that are passed over if they are met: those that these descriptors
  /// are open on when the processor is made. Where the output goes, say.
  public var excluded: [FileDescriptor] = []

  /// What files lie on of whose source nothing else is said; see
  /// ``FileSource/on(_:)``.
  public var storage: Storage?

  /// The defaults.
  ///
  /// There is no corresponding C function: in C they are zeros.
  public init() {}
}
