package import SystemPackage
package import Weir

/// A job that records files: the digests of ``HashJob``, in lines of mtree(5), and the
/// difference between each file and its earlier record.
package struct RecordJob: FileJob {
  private let processor: FileProcessor<RecordLane, Void>
  private let feed: RecordFeed?
  private let manifest: PreviousManifest?

  /// The records of earlier runs.
  package struct PreviousRecords: Sendable {
    /// The records of the unfinished run.
    package var partial: FileDescriptor?
    /// The manifest that is brought up to date.
    package var manifest: PreviousManifest?
    /// The search for files that have moved since that.
    package var moves: MoveSearch?
    /// True if all sources of this run are paths, whose files come in the order of a walk.
    package var isInStep: Bool

    /// No records.
    package init(isInStep: Bool) {
      self.isInStep = isInStep
    }
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - acceptsRot: True if the new digest of a rotten file is recorded.
  ///   - options: The options of the processor. Files always come in input order.
  /// - Throws: As ``HashJob``.
  package init(
    _ algorithms: [DigestAlgorithm], manifest: RecordManifest, previous: PreviousRecords,
    acceptsRot: Bool, options: FileProcessorOptions,
    select: FileSelector? = nil
  ) throws(Errno) {
    let wanted = algorithms.withoutDuplicates
    guard (1...DigestAlgorithm.countMax).contains(wanted.count) else { throw .invalidArgument }
    var options = options
    options.order = .input
    options.deliversWholeTree = true
    options.opensLate = previous.partial != nil || previous.manifest != nil
    let isUpdate = previous.manifest != nil
    var annotate: Annotation?
    feed = RecordJob.feed(previous)
    self.manifest = previous.manifest
    if let feed {
      annotate = { found in feed.annotate(found.path, source: found.source) }
    }
    let helpers = HelperLanes(options)
    processor = try FileProcessor(
      options,
      lending: annotate, select: select,
      context: { () throws(Errno) -> RecordLane in
        try RecordLane(
          wanted, manifest: manifest, acceptsRot: acceptsRot, isUpdate: isUpdate,
          moves: previous.moves, helpers: helpers)
      },
      job: { (file, lane) throws(Errno) in try lane.record(file) })
  }

  private static func feed(_ previous: PreviousRecords) -> RecordFeed? {
    if previous.partial == nil && previous.manifest == nil { return nil }
    let partial = previous.partial.map { descriptor in
      RecordJoin(
        RecordReader(descriptor, unreadable: .end), isInStep: previous.isInStep)
    }
    let manifest = previous.manifest.map { manifest in
      RecordJoin(
        manifest.reader(), isInStep: manifest.isInStep, names: manifest.names, now: manifest.now)
    }
    return RecordFeed(partial: partial, manifest: manifest)
  }

  /// Records files and trees; returns when all results are delivered. The output of
  /// each result is for ``RecordDelivery``.
  ///
  /// Blocks: yes, as ``/Weir/FileProcessor/run(_:deliver:)`` does.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws {
    try processor.run(feed?.annotated(sources) ?? sources, deliver: deliver)
  }

  /// The error for which records of the manifest are missing, after a run.
  package var manifestFailure: Fault? {
    feed?.failure.map { Fault(manifest: manifest?.name ?? [], $0) }
  }

  /// The handle on the present run.
  package var control: JobControl { JobControl(processor) }
}
