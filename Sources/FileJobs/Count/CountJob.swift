internal import CFileKernels
public import SystemPackage
public import Weir

/// A job that counts the contents of each file.
///
///     import Weir
///
///     let job = try CountJob([.lines, .words])
///     var total = Counts()
///     for try await file in job.results(of: [.tree("/srv")]) {
///       guard case .done(let counts) = file.outcome else { continue }
///       print(counts.lines, counts.words, file.path)
///       total += counts
///     }
///
/// All cores count a big file together. A file with several names is read once.
public struct CountJob: FileJob {
  private let processor: FileProcessor<Void, Counts>

  /// Makes the job. Characters and words are those of UTF-8, whatever the locale of the process.
  ///
  /// - Parameters:
  ///   - columns: The values to count. Bytes alone need no read, and mostly no open.
  ///   - options: The options of the file processor.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    _ columns: CountColumns, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init(columns, usesLocale: false, options: options)
  }

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - usesLocale: True for the characters of the locale of the process at this moment.
  ///   - select: Decides which of the entries that are found are processed; `nil` for all.
  package init(
    _ columns: CountColumns, usesLocale: Bool,
    options: FileProcessorOptions = FileProcessorOptions(), select: FileSelector? = nil
  ) throws(Errno) {
    let counter = FileCounter(
      columns, threads: options.isInline ? 1 : options.jobs, usesLocale: usesLocale)
    let needsBytesAlone = counter.needsBytesAlone
    let expectsPlannedFiles = options.expectsPlannedFiles
    var options = options
    options.opensLate = needsBytesAlone
    processor = try FileProcessor(options, select: select) { file in
      if expectsPlannedFiles { try PlannedFile.expect(file, opens: !needsBytesAlone) }
      var counts = Counts()
      if needsBytesAlone {
        if try !CountJob.countByStatus(file, &counts) { try counter.count(file, into: &counts) }
      } else if let known = file.remembered {
        counts = Counts(output: known)
      } else {
        try counter.count(file, into: &counts)
        if file.isAwaited { counts.withBytes { file.remember($0) } }
      }
      let found = counts
      try file.write(capacity: Counts.byteCount) { memory in
        found.withBytes { memory.copyMemory(from: $0) }
        return Counts.byteCount
      }
      return found
    }
  }

  /// Takes the number of bytes from the file's status. Returns false if it does not have it.
  private static func countByStatus(
    _ file: borrowing OpenFile, _ counts: inout Counts
  ) throws(Errno) -> Bool {
    if DescriptorNames.mayContain(file.path) { return false }
    let status = try file.pathStatus()
    guard status.type == .file, kernel_count_is_size(status.size) else { return false }
    counts.bytes = status.size
    counts.characters = status.size
    return true
  }

  /// Counts files and trees. Blocks as ``/Weir/FileProcessor/run(_:deliver:)`` does, with the same
  /// promises.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try processor.run(sources, deliver: deliver)
  }

  /// Returns the files of sources as a sequence, each with its counts in
  /// ``/Weir/ProcessedFile/outcome``.
  ///
  /// Blocks: no; the promises are those of
  /// ``/Weir/FileProcessor/results(of:)-(FileSource...)``.
  public func results(
    of sources: [FileSource]
  ) -> some AsyncSequence<ProcessedFile<Counts>, any Error> & Sendable {
    processor.results(of: sources)
  }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}
