// Lines, words, characters and bytes of files and whole trees.

internal import CFileKernels
public import SystemPackage
public import Weir

/// A job that counts what is in each file.
///
///     let job = try CountJob([.lines])
///     for try await file in job.results(of: [.tree("/srv")]) {
///       file.withOutput { print(Counts(output: $0).lines, file.path) }
///     }
///
/// What the job writes for a file are its ``Counts``, which
/// ``Counts/init(output:)`` reads. A big file is counted by all cores at once. A
/// file with several names is read once.
public struct CountJob: FileJob {
  private let processor: FileProcessor<Void, Void>

  /// Makes the job. Takes over the characters of the process's locale.
  ///
  /// - Parameters:
  ///   - columns: What to count. Bytes alone are known without reading, mostly
  ///     without opening.
  ///   - options: How the files are processed.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    _ columns: CountColumns, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    let counter = FileCounter(columns, threads: options.isInline ? 1 : options.jobs)
    let needsBytesAlone = counter.needsBytesAlone
    var options = options
    options.opensLate = needsBytesAlone
    processor = try FileProcessor(options) { (file) throws(Errno) in
      var counts = Counts()
      if needsBytesAlone {
        if try !CountJob.look(file, &counts) { try counter.count(file, into: &counts) }
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
    }
  }

  /// Finds out how many bytes a file has by looking at it alone. Whether that can be.
  private static func look(_ file: borrowing OpenFile, _ counts: inout Counts) throws(Errno)
    -> Bool
  {
    if mayBeDescriptor(file.path) { return false }
    let status = try file.pathStatus()
    guard status.type == .file, kernel_count_is_size(status.size) else { return false }
    counts.bytes = status.size
    counts.characters = status.size
    return true
  }

  /// Whether a path may stand for a descriptor that is open already, and stands
  /// somewhere: `-`, `/dev/stdin` and the like.
  private static func mayBeDescriptor(_ path: UnsafeRawBufferPointer) -> Bool {
    path.first == UInt8(ascii: "-") || path.starts(with: CountJob.devices)
  }

  private static let devices = Array("/dev/".utf8)

  /// Counts files and trees; returns when all are delivered.
  ///
  /// Blocks: yes, as ``Weir/FileProcessor/run(_:deliver:)`` does, whose
  /// promises are these.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try processor.run(sources, deliver: deliver)
  }

  /// The files of sources as a sequence, each with its counts as
  /// ``Weir/ProcessedFile/output``.
  ///
  /// Blocks: no; the promises are those of ``Weir/FileResults``.
  public func results(of sources: [FileSource]) -> FileResults<Void> {
    processor.results(of: sources)
  }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}
