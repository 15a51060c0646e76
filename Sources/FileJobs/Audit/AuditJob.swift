public import SystemPackage
public import Weir

/// A job that verifies manifests and then finds the files that none of them lists.
///
///     let job = try AuditJob(of: "/srv".utf8)
///     try job.run([.path(bytes: "SUMS".utf8)]) { event in
///       if case .new(let file) = event {
///         print(String(decoding: file.name, as: UTF8.self))
///       }
///     }
///
/// First the job verifies the lines, like ``CheckJob``. Then it walks the tree, unless a manifest
/// could not be read to its end, or none lists a file: all files would be new. A file that no
/// line names is new, unless it has the content of a missing file, by each digest and the size
/// that the line records: then that file has moved.
/// A missing file has at most one new name: of the files with its content, the first with
/// its base name, else the first. All empty files have the same content, so an empty file
/// moves only with its base name.
///
/// Listed files are read once. Unlisted files are read only if a file is missing. Memory
/// grows with the names in the manifests and with the missing files, not with the new files.
public struct AuditJob: FileJob {
  private let check: CheckJob
  private let root: [UInt8]
  private let source: FileSource
  private let keys: AuditKeys
  private var options: FileProcessorOptions
  private let excluded: Set<FileIdentity>
  private let stage = Locked(Stage())

  /// The progress of a run.
  private struct Stage {
    /// The walk, after it has begun, and the statistics of the check before it.
    var walk: FileProcessor<AuditLane, Void>?
    var before: FileStatistics?
    var isCanceled = false
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - root: The bytes of the path of the tree to walk.
  ///   - untagged: The algorithms of untagged lines, as in ``CheckJob``.
  ///   - isZeroTerminated: True if lines end in NUL instead of a newline.
  ///   - options: The options of the file processor, and the filters of the walk. The order is
  ///     always that of the input. ``/Weir/FileProcessorOptions/excluded`` applies to the walk
  ///     only: a line can name any file.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    of root: some Sequence<UInt8>, untagged: [DigestAlgorithm] = [],
    isZeroTerminated: Bool = false, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init(
      of: root, excluding: [], untagged: untagged, isZeroTerminated: isZeroTerminated,
      options: options)
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - storage: The storage of the tree; `nil` for that of `options`.
  ///   - rootNames: Absolute names of the working directory. A line may use them for a file
  ///     that the walk finds under its relative name.
  ///   - excluded: Files that are never new, although no line names them.
  ///   - descriptors: The descriptors that names in manifests may mean, as in ``CheckJob``.
  package init(
    of root: some Sequence<UInt8>, on storage: Storage? = nil, rootNames: [[UInt8]] = [],
    excluding excluded: Set<FileIdentity>, untagged: [DigestAlgorithm] = [],
    isZeroTerminated: Bool = false, descriptors: Set<Int32>? = nil,
    content: CheckedContent = .any,
    options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    var options = options
    options.order = .input
    self.root = Array(root)
    let source = FileSource.path(bytes: self.root)
    self.source = storage.map { source.on($0.forReading) } ?? source
    keys = AuditKeys(roots: rootNames)
    self.options = options
    // The walk does not open listed files again.
    self.options.opensLate = true
    self.excluded = excluded
    // A line can name any file, and the check walks no directories.
    options.excluded = []
    options.filters = []
    options.maximumDepth = nil
    options.followsSymbolicLinks = false
    options.staysOnFileSystem = false
    check = try CheckJob(
      untagged: untagged, isZeroTerminated: isZeroTerminated, descriptors: descriptors,
      content: content, options: options)
  }

  /// The number of listed files that could not be dropped from memory before they were read.
  package var undropped: UInt64 { check.undropped }

  /// Verifies manifests and walks the tree; returns when all events are delivered.
  ///
  /// - Parameters:
  ///   - manifests: The manifests, in the order in which they are read.
  ///   - deliver: Called with each event, never two at a time, on any thread. The order is:
  ///     the verdicts on files that exist, in the order of the lines; new files, in the order
  ///     of the walk; missing and moved files, in the order of their lines; new files that
  ///     could have been moved ones; the ends of the manifests. An error that it throws ends
  ///     the run.
  /// - Returns: The statistics of the run.
  /// - Throws: The errors of ``CheckJob/run(_:deliver:)``; `Errno.notSupported` if libcrypto
  ///   does not offer the algorithm of a missing file.
  ///
  /// Blocks: yes, until the run ends.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ manifests: [CheckManifest], deliver: @escaping @Sendable (AuditEvent) throws -> Void
  ) throws -> FileStatistics {
    let index = AuditIndex(keys)
    let delivery = AuditDelivery(index, deliver)
    stage.with { $0 = Stage() }
    let audited = manifests.map { manifest in
      var manifest = manifest
      manifest.auditRoot = root
      return manifest
    }
    let verified = try check.run(
      audited, of: nil, skipped: { index.skip($0, isIgnored: $1) },
      deliver: { event in try delivery.take(event) })
    if delivery.lacksManifest {
      try delivery.finish()
      return verified
    }
    // The walk must not hold this job, which holds the walk.
    let walk = try FileProcessor(
      options,
      context: { [excluded] () throws(Errno) -> AuditLane in
        try AuditLane(index, excluding: excluded)
      },
      job: { (file, lane) throws(Errno) in try lane.examine(file) })
    let isCanceled = stage.with { stage in
      stage.walk = walk
      stage.before = verified
      return stage.isCanceled
    }
    if isCanceled { throw Errno.canceled }
    try walk.run([source]) { [stage] batch in
      // A cancel may have come just before the walk began.
      if stage.with({ $0.isCanceled }) { throw Errno.canceled }
      for index in 0..<batch.count { try delivery.take(batch[index]) }
      try deliver(.pause)
    }
    try delivery.finish()
    return statistics
  }

  /// The handle on the present run: of the check, and then of the walk.
  public var control: JobControl {
    JobControl(
      cancel: {
        stage.with { stage in
          stage.isCanceled = true
          stage.walk?.cancel()
        }
        check.cancel()
      },
      statistics: {
        stage.with { stage in
          guard let walk = stage.walk, let before = stage.before else {
            var statistics = check.statistics
            statistics.isFeeding = true
            return statistics
          }
          return before + walk.statistics
        }
      },
      busyFiles: { nanoseconds in
        let walk = stage.with { $0.walk }
        return walk?.busyFiles(nanoseconds: nanoseconds)
          ?? check.busyFiles(nanoseconds: nanoseconds)
      })
  }
}
