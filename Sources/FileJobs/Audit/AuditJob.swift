// The verification of manifests, and of what they do not name.

public import SystemPackage
public import Weir

/// A job that verifies manifests and then looks for files that none of them
/// names.
///
///     let job = try AuditJob(of: "/srv".utf8)
///     try job.run([.path(bytes: "SUMS".utf8)]) { event in
///       if case .new(let file) = event {
///         print(String(decoding: file.name, as: UTF8.self))
///       }
///     }
///
/// First the lines are verified, as ``CheckJob`` does. Then the tree is walked,
/// and a file that no line names is new, unless it has the digest of one that is
/// missing: then that has moved. A missing file has one new name at most: of those
/// with its content the first that has its base name too, else the first one.
/// Empty files have all the same content, and move only with their base names.
///
/// What is named is read once, and what is not named only where something is
/// missing. The names of the manifests are kept, and what is known of the missing
/// files; what is new is not.
public struct AuditJob: FileJob {
  private let check: CheckJob
  private let source: FileSource
  private let paths: AuditPaths
  private var options: FileProcessorOptions
  private let excluded: Set<FileIdentity>
  private let stage = Locked(Stage())

  /// How far it is.
  private struct Stage {
    /// The walk, once it has begun, and what was done before.
    var walk: FileProcessor<AuditLane, Void>?
    var before: FileStatistics?
    var isCanceled = false
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - root: The bytes of the path of the tree that is walked.
  ///   - storage: What that lies on; `nil` for what `options` say.
  ///   - rootNames: Absolute names of the working directory: what a line calls by
  ///     one of them is the file that is met in the walk.
  ///   - excluded: Files that are not new, though no line names them.
  ///   - untagged: The algorithms of lines that name none, as of
  ///     ``ManifestParser/init(untagged:isZeroTerminated:)``.
  ///   - isZeroTerminated: Whether lines end in NUL instead of a newline.
  ///   - descriptors: Which descriptors names in manifests may mean, as of
  ///     ``CheckJob``.
  ///   - options: How the files are processed, and what the walk takes. The order
  ///     is always fixed. ``Weir/FileProcessorOptions/excluded`` is for the walk
  ///     alone: a line can name any file.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    of root: some Sequence<UInt8>, on storage: Storage? = nil, rootNames: [[UInt8]] = [],
    excluding excluded: Set<FileIdentity> = [], untagged: [DigestAlgorithm] = [],
    isZeroTerminated: Bool = false, descriptors: Set<Int32>? = nil,
    options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    var options = options
    options.order = .input
    let source = FileSource.path(bytes: Array(root))
    self.source = storage.map { source.on($0) } ?? source
    paths = AuditPaths(roots: rootNames)
    self.options = options
    // What is listed is not opened again.
    self.options.opensLate = true
    self.excluded = excluded
    // A line can name any file, and nothing that it names is walked.
    options.excluded = []
    options.filters = []
    options.maximumDepth = nil
    options.followsSymbolicLinks = false
    options.staysOnFileSystem = false
    check = try CheckJob(
      untagged: untagged, isZeroTerminated: isZeroTerminated, descriptors: descriptors,
      options: options)
  }

  /// Verifies manifests and walks the tree; returns when all is said.
  ///
  /// - Parameters:
  ///   - manifests: The manifests, in the order in which they are read.
  ///   - deliver: Called with each event, never two at a time, on any thread: the
  ///     verdicts in the order of the lines, but those on missing files; what is
  ///     new in the order of the walk; the missing files, in the order of their
  ///     lines; what could have been one of them and is new after all; and the
  ///     manifests. What it throws ends the run and is thrown.
  /// - Returns: The figures of the run.
  /// - Throws: What ``CheckJob/run(_:deliver:)`` throws; `Errno.notSupported` where
  ///   libcrypto does not offer the algorithm of a missing file.
  ///
  /// Blocks: yes, as ``Weir/FileProcessor/run(_:deliver:)`` does.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ manifests: [CheckManifest], deliver: @escaping @Sendable (AuditEvent) throws -> Void
  ) throws -> FileStatistics {
    let index = AuditIndex(paths)
    let delivery = AuditDelivery(index, deliver)
    stage.with { $0 = Stage() }
    let verified = try check.run(
      manifests, passed: { index.pass($0, isIgnored: $1) },
      deliver: { event in try delivery.take(event) })
    let walk = try delivery.walk(excluding: excluded, options)
    let isCanceled = stage.with { stage in
      stage.walk = walk
      stage.before = verified
      return stage.isCanceled
    }
    if isCanceled { throw Errno.canceled }
    try walk.run([source]) { [stage] batch in
      // It may have been canceled just before the walk began.
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
            statistics.expectMore()
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
