// Digests of files and whole trees.

public import SystemPackage
public import Weir

/// A job that writes a line of a manifest for every file.
///
///     let job = try HashJob(.sha256)
///     try job.run([.tree("/srv")]) { batch in
///       try FileDescriptor.standardOutput.writeAll(batch.output)
///     }
///
/// Each lane owns the states of its digests, for all the files it reads.
public struct HashJob: FileJob {
  private let processor: FileProcessor<DigestSet, Void>

  /// Makes the job for one algorithm.
  ///
  /// - Parameters:
  ///   - algorithm: The digest.
  ///   - options: How the files are processed.
  /// - Throws: `Errno.notSupported` where libcrypto does not offer the
  ///   algorithm, `Errno.noMemory`.
  public init(
    _ algorithm: DigestAlgorithm, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init([algorithm], options: options)
  }

  /// Makes the job for one or more algorithms, all from one read.
  ///
  ///     let job = try HashJob([.sha256], format: .json)
  ///
  /// - Parameters:
  ///   - algorithms: The digests, at least one. One that stands here twice is
  ///     written once.
  ///   - format: In which form they are written. Several in lines of text are
  ///     tagged, and each has a line, in this order.
  ///   - isZeroTerminated: Whether what is written for a file ends in NUL
  ///     instead of a newline. Then names in lines of text are not escaped.
  ///   - options: How the files are processed.
  /// - Throws: `Errno.invalidArgument` where there is no algorithm,
  ///   `Errno.notSupported` where libcrypto does not offer one, `Errno.noMemory`.
  public init(
    _ algorithms: [DigestAlgorithm], format: ManifestFormat = .text,
    isZeroTerminated: Bool = false, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    var wanted: [DigestAlgorithm] = []
    for algorithm in algorithms where !wanted.contains(algorithm) { wanted.append(algorithm) }
    guard !wanted.isEmpty else { throw .invalidArgument }
    let chosen = wanted
    var options = options
    // There every directory and link has a line too.
    if format == .mtree { options.deliversWholeTree = true }
    let record = HashRecord(chosen, format: format, isZeroTerminated: isZeroTerminated)
    processor = try FileProcessor(
      options,
      context: { () throws(Errno) -> DigestSet in try DigestSet(chosen) },
      job: { (file, set) throws(Errno) in
        try set.compute(file)
        let name = file.path
        let status = format == .mtree ? file.status : nil
        let isDashFile = file.isDashFile
        try file.write(capacity: record.capacity(nameCount: name.count)) { memory in
          record.write(name: name, isDashFile: isDashFile, status, set: set, to: memory)
        }
      })
  }

  /// Writes lines for files and trees; returns when all are delivered.
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

  /// The files of sources as a sequence, each with its line as
  /// ``Weir/ProcessedFile/output``.
  ///
  ///     for try await file in try HashJob(.sha256).results(of: [.tree("/srv")]) {
  ///       try file.withOutput { _ = try FileDescriptor.standardOutput.writeAll($0) }
  ///     }
  ///
  /// Blocks: no; the promises are those of ``Weir/FileResults``.
  public func results(of sources: [FileSource]) -> FileResults<Void> {
    processor.results(of: sources)
  }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}

/// What is written for a file.
private enum HashRecord: Sendable {
  case lines([ChecksumLine])
  case json(JSONLine)
  case mtree(MtreeLine)

  init(_ algorithms: [DigestAlgorithm], format: ManifestFormat, isZeroTerminated: Bool) {
    if format == .json {
      self = .json(JSONLine(algorithms, isZeroTerminated: isZeroTerminated))
      return
    }
    if format == .mtree {
      self = .mtree(MtreeLine(algorithms))
      return
    }
    let isTagged = format == .tagged || algorithms.count > 1
    self = .lines(
      algorithms.map {
        ChecksumLine($0, isTagged: isTagged, isZeroTerminated: isZeroTerminated)
      })
  }

  func capacity(nameCount: Int) -> Int {
    switch self {
    case .lines(let lines):
      lines.reduce(0) { $0 + $1.capacity(nameCount: max(nameCount, DashFile.name.count)) }
    case .json(let line): line.capacity(nameCount: nameCount)
    case .mtree(let line): line.capacity(nameCount: nameCount)
    }
  }

  func write(
    name: UnsafeRawBufferPointer, isDashFile: Bool, _ status: FileStatus?, set: DigestSet,
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    switch self {
    case .mtree(let line):
      return line.write(
        name: name, isDashFile: isDashFile, status, size: set.size,
        digests: set.digests.lazy.map(\.bytes), to: out)
    case .json(let line):
      return line.write(name: name, size: set.size, digests: set.digests, to: out)
    case .lines(let lines):
      var count = 0
      let name = isDashFile ? DashFile.name : name
      for (line, digest) in zip(lines, set.digests) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: out[count...])
        count += line.write(name: name, digest: digest.bytes, to: rest)
      }
      return count
    }
  }
}
