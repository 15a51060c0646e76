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
/// that its lines record: then that file has moved.
/// A missing file has at most one new name: of the files with its content, the first with
/// its base name, else the first. All empty files have the same content, so an empty file
/// moves only with its base name.
///
/// Listed files are read once. Unlisted files are read only if a file is missing that may have their
/// size. The memory is that of a few sorts.
public struct AuditJob: FileJob {
  private let check: CheckJob
  private let root: [UInt8]
  private let source: FileSource
  private let rootNames: [[UInt8]]
  private let space = SortSpace()
  private let options: FileProcessorOptions
  private let excluded: Set<FileIdentity>
  private let stages = JobStages()

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - root: The bytes of the path of the tree to walk.
  ///   - untagged: The algorithms of untagged lines, as in ``CheckJob``.
  ///   - isZeroTerminated: True if lines end in NUL instead of a newline.
  ///   - options: As in ``CheckJob``, with the filters of the walk.
  ///     ``/Weir/FileProcessorOptions/excluded`` applies to the walk only: a line can name any
  ///     file.
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
    (self.rootNames, self.options, self.excluded) = (rootNames, options, excluded)
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
  ///   - deliver: Called with each event, never two at a time, on any thread. The order is:
  ///     the verdicts on files that exist, in the order of the lines; new files, and then
  ///     missing and moved files, in the order of the walk; the ends of the manifests. An error
  ///     that it throws ends the run.
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
    let audited = manifests.map { manifest in
      var manifest = manifest
      manifest.auditRoot = root
      return manifest
    }
    let listing = AuditListing(KeyWriter(below: rootNames), space)
    let run = AuditRun(listing, stages, space, deliver)
    stages.begin()
    try stages.expectMore(true)
    try stages.run(check.control) {
      _ = try check.run(
        audited, of: nil, skipped: { listing.skip($0, isIgnored: $1) },
        deliver: { event in try run.take(event) })
    }
    let walk = try TreeInventory(options, excluding: excluded)
    try run.finish(walk, of: source, KeyWriter(below: rootNames), reading: options)
    return statistics
  }

  /// The handle on the present run: of the check, of the walk, and then of the reading.
  public var control: JobControl { stages.control }
}
