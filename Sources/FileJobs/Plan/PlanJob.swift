// The job of `weir plan`: a walk whose entries are recorded.
//
// DESIGN. A plan has the order of the run, not that of the bytes of whole paths: `a/x` comes before
// `a.txt`. So the parts have that order too, and a merge reads the plan and every part once, in the
// memory of one block for each part. Nothing is sorted, and there are no sorted runs on disk.

package import SystemPackage
package import Weir

/// A job that finds the entries of a walk, in order, with the sizes and times of files. No
/// file is opened.
package struct PlanJob: FileJob {
  private let processor: FileProcessor<Void, Void>
  private let isCanceled = Locked(false)

  /// The order is always that of the input.
  package init(
    options: FileProcessorOptions, select: FileSelector? = nil
  ) throws(Errno) {
    var options = options
    options.opensLate = true
    options.deliversWholeTree = true
    options.order = .input
    processor = try FileProcessor(options, select: select) { (file) throws(Errno) -> Void in
      let status = try file.pathStatus()
      guard status.type == .file else { return }
      try file.write(
        bytesOf: PlannedFile(size: status.size, modified: status.modified.nanosecondsSince1970))
    }
  }

  /// Records the entries of sources. `lists` has the indices of sources that are lists. `record` is
  /// called with each record and the index of its source, one call at a time.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  package func run(
    _ sources: [FileSource], lists: Set<Int>,
    record: @escaping @Sendable (PlanEntry, _ source: Int) throws -> Void,
    report: @escaping @Sendable (FileResult) -> Void
  ) throws -> FileStatistics {
    isCanceled.with { $0 = false }
    return try processor.run(sources) { batch in
      for index in 0..<batch.count {
        let result = batch[index]
        let isList =
          lists.contains(result.source)
          && sources[result.source].nameBytes.elementsEqual(result.path)
        if let found = PlanJob.record(of: result, isList: isList) {
          try record(found, result.source)
        }
        report(result)
      }
    }
  }

  /// True if the run was cancelled. What follows the run may look at it too.
  package var wasCanceled: Bool { isCanceled.with { $0 } }

  package var control: JobControl { JobControl(processor).setting(isCanceled) }

  // MARK: Records

  /// Returns the record of a result, which may be on the list itself if `isList`.
  private static func record(of result: FileResult, isList: Bool) -> PlanEntry? {
    let path = result.path
    switch result.outcome {
    case .directory: return PlanEntry(kind: .directory, path: path)
    case .link: return PlanEntry(kind: .link, path: path, target: result.output)
    case .noted: return nil
    case .special where result.isNamed: return PlanEntry(kind: .named, path: path)
    case .special: return PlanEntry(kind: .special(result.type), path: path)
    case .done:
      guard result.output.count == MemoryLayout<PlannedFile>.size else {
        return PlanEntry(kind: .named, path: path)
      }
      let planned = result.output.loadUnaligned(as: PlannedFile.self)
      return PlanEntry(kind: .file, size: planned.size, modified: planned.modified, path: path)
    case .changed(let error):
      return failure(error ?? .noSuchFileOrDirectory, result, isList: isList)
    case .failed(let error):
      return failure(Errno(of: error), result, isList: isList)
    }
  }

  /// Returns the record of an entry that could not be read. A name that was given is tried
  /// again by its shard; a directory is not, since a shard would walk it.
  private static func failure(_ error: Errno, _ result: FileResult, isList: Bool) -> PlanEntry {
    // A name in a list may contain a NUL, and the start of a name that is too long may be
    // another name.
    let isName = error != .invalidArgument && error != .fileNameTooLong
    if result.isNamed && isName && !isList && result.type != .directory {
      return PlanEntry(kind: .named, path: result.path)
    }
    let end = result.path.firstIndex(of: 0) ?? result.path.count
    return PlanEntry(kind: .unreadable(error), path: result.path[..<end].rebased)
  }
}
