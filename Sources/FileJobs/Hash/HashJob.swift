public import SystemPackage
public import Weir

/// A job that computes the digests of every file, as values and as lines of a manifest.
///
/// A program gets at the values with ``results(of:)``:
///
///     import Weir
///
///     let job = try HashJob(.sha256)
///     for try await file in job.results(of: [.tree("/srv")]) {
///       switch file.outcome {
///       case .done(let digests): print(digests.first.hexadecimal, file.path)
///       case .failed(let error): print("\(file.path): \(error)")
///       default: break
///       }
///     }
///
/// The ``/Weir/ProcessedFile/output`` of a file is its line, as `sha256sum` writes it; with several
/// algorithms a tagged line for each.
///
/// Each lane owns the states of its digests and reuses them for all files it reads. All cores
/// hash a big file together if BLAKE3 is the only algorithm; any other digest takes the bytes
/// one after the other.
public struct HashJob: FileJob {
  private let processor: FileProcessor<DigestSet, FileDigests>

  /// Makes the job for one algorithm. Throws `Errno.notSupported` if libcrypto does not offer it,
  /// or `Errno.noMemory`.
  public init(
    _ algorithm: DigestAlgorithm, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init([algorithm], options: options)
  }

  /// Makes the job for one or more algorithms, all from one read.
  ///
  ///     let job = try HashJob([.sha256, .md5])
  ///
  /// - Parameters:
  ///   - algorithms: From one to ``DigestAlgorithm/countMax``. Repeated ones are computed once.
  ///   - options: The options of the file processor.
  /// - Throws: `Errno.invalidArgument` if there is none or too many, `Errno.notSupported` if
  ///   libcrypto does not offer one, `Errno.noMemory`.
  public init(
    _ algorithms: [DigestAlgorithm], options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init(algorithms, format: .text, options: options)
  }

  /// Makes the job for lines of any format.
  ///
  /// - Parameters:
  ///   - format: Text with several algorithms has a tagged line for each, in this order.
  ///   - isZeroTerminated: True if the text of a file ends in NUL instead of a newline. Names in
  ///     lines of text are not escaped then.
  ///   - select: Decides which entries are processed; see ``/Weir/FileProcessor``. `nil` for all.
  package init(
    _ algorithms: [DigestAlgorithm], format: ManifestFormat,
    isZeroTerminated: Bool = false, options: FileProcessorOptions = FileProcessorOptions(),
    select: FileSelector? = nil
  ) throws(Errno) {
    let algorithms = algorithms.withoutDuplicates
    guard (1...DigestAlgorithm.countMax).contains(algorithms.count) else { throw .invalidArgument }
    var options = options
    // In mtree(5), directories and links have lines too.
    if format == .mtree { options.deliversWholeTree = true }
    let item = ManifestItem(algorithms, format: format, isZeroTerminated: isZeroTerminated)
    let expectsPlannedFiles = options.expectsPlannedFiles
    let helpers = HelperLanes(options)
    processor = try FileProcessor(
      options, select: select,
      context: { () throws(Errno) -> DigestSet in try DigestSet(algorithms, helpers: helpers) },
      job: { file, set in
        if expectsPlannedFiles { try PlannedFile.expect(file) }
        try set.compute(file)
        let name = file.path
        let status = format == .mtree ? file.status : nil
        let isDashFile = file.isDashFile
        try file.write(capacity: item.capacity(nameCount: name.count)) { memory in
          item.write(name: name, isDashFile: isDashFile, status, set: set, to: memory)
        }
        return file.keepsValue ? set.values : FileDigests(size: 0, all: [])
      })
  }

  /// Writes lines for files and trees. Blocks as ``/Weir/FileProcessor/run(_:deliver:)`` does, with
  /// the same promises.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try processor.run(sources, deliver: deliver)
  }

  /// Returns the files of sources as a sequence, each with its digests in
  /// ``/Weir/ProcessedFile/outcome`` and its line as ``/Weir/ProcessedFile/output``.
  ///
  ///     import Weir
  ///
  ///     var paths: [FileDigest: [[UInt8]]] = [:]
  ///     for try await file in try HashJob(.sha256).results(of: [.tree("/srv")]) {
  ///       guard case .done(let digests) = file.outcome else { continue }
  ///       paths[digests.first, default: []].append(file.pathBytes)
  ///     }
  ///
  /// Blocks: no; the promises are those of
  /// ``/Weir/FileProcessor/results(of:)-(FileSource...)``.
  public func results(
    of sources: [FileSource]
  ) -> some AsyncSequence<ProcessedFile<FileDigests>, any Error> & Sendable {
    processor.results(of: sources)
  }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}
