// Digests that are recorded, taken over from runs before where they still hold.

package import SystemPackage
package import Weir

/// A job that records files: what ``HashJob`` computes, in lines of mtree(5), and
/// how each file differs from what was recorded before.
package struct RecordJob: FileJob {
  private let processor: FileProcessor<RecordLane, Void>
  private let feed: RecordFeed?

  /// What runs before have recorded.
  package struct Former: Sendable {
    /// Of the run that was cut short.
    package var partial: FileDescriptor?
    /// The manifest that is brought up to date.
    package var manifest: RecordBase?
    /// Whether a source of this run is one path, whose files come in the order of
    /// a walk.
    package var isOrdered: @Sendable (Int) -> Bool
    /// How many sources there are.
    package var sourceCount: Int

    /// Nothing, of so many sources.
    package init(sourceCount: Int, isOrdered: @escaping @Sendable (Int) -> Bool) {
      self.sourceCount = sourceCount
      self.isOrdered = isOrdered
    }
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - algorithms: As of ``HashJob``.
  ///   - former: What is known.
  ///   - acceptsRot: Whether what has rotted is taken over.
  ///   - isUpdate: Whether files that are not known are new.
  ///   - options: How the files are processed. The order is always theirs.
  /// - Throws: As ``HashJob``.
  package init(
    _ algorithms: [DigestAlgorithm], former: Former, acceptsRot: Bool,
    options: FileProcessorOptions
  ) throws(Errno) {
    let wanted = algorithms.withoutDuplicates
    guard !wanted.isEmpty else { throw .invalidArgument }
    var options = options
    options.order = .input
    options.deliversWholeTree = true
    options.opensLate = former.partial != nil || former.manifest != nil
    let isUpdate = former.manifest != nil
    var annotate: FileProcessor<RecordLane, Void>.Annotate?
    feed = RecordJob.feed(former)
    if let feed {
      annotate = { found in feed.annotate(found.path, source: found.source) }
    }
    processor = try FileProcessor(
      options,
      annotate: annotate,
      context: { () throws(Errno) -> RecordLane in
        try RecordLane(wanted, acceptsRot: acceptsRot, isUpdate: isUpdate)
      },
      job: { (file, lane) throws(Errno) in try lane.record(file) })
  }

  private static func feed(_ former: Former) -> RecordFeed? {
    if former.partial == nil && former.manifest == nil { return nil }
    let onlySource = former.sourceCount == 1 ? 0 : nil
    let partial = former.partial.map { descriptor in
      RecordJoin(
        RecordReader(descriptor, isStrict: true), onlySource: onlySource,
        isOrdered: former.isOrdered)
    }
    let manifest = former.manifest.map { base in
      RecordJoin(
        base.reader(), onlySource: base.onlySource,
        isOrdered: former.isOrdered)
    }
    return RecordFeed(former: partial, old: manifest)
  }

  /// Records files and trees; returns when all is delivered. Each result's output
  /// is for ``RecordDelivery``.
  ///
  /// Blocks: yes, as ``Weir/FileProcessor/run(_:deliver:)`` does.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws {
    try processor.run(feed?.annotated(sources) ?? sources, deliver: deliver)
  }

  /// The handle on the present run.
  package var control: JobControl { JobControl(processor) }
}

extension [DigestAlgorithm] {
  /// The algorithms, each once, in the order of first occurrence.
  var withoutDuplicates: [DigestAlgorithm] {
    reduce(into: []) { all, next in
      if !all.contains(next) { all.append(next) }
    }
  }
}
