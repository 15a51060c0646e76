// Digests of files and whole trees.

#if Tool
  public import SystemPackage
  public import Weir

  /// A job that writes a line of a manifest for every file.
  ///
  ///     let job = try HashJob(.sha256)
  ///     try job.run([.tree("/srv")]) { batch in
  ///       try FileDescriptor.standardOutput.writeAll(batch.output)
  ///     }
  ///
  /// Each lane owns one ``Digest``, for all the files it reads.
  public struct HashJob: Sendable {
    private let processor: FileProcessor<Digest, Void>

    /// Makes the job.
    ///
    /// - Parameters:
    ///   - algorithm: The digest.
    ///   - options: How the files are processed.
    /// - Throws: `Errno.notSupported` where libcrypto does not offer the
    ///   algorithm, `Errno.noMemory`.
    public init(
      _ algorithm: DigestAlgorithm, options: FileProcessorOptions = FileProcessorOptions()
    ) throws(Errno) {
      let line = ChecksumLine(algorithm)
      processor = try FileProcessor(
        options,
        context: { () throws(Errno) -> Digest in try Digest(algorithm) },
        job: { (file, digest) throws(Errno) in
          try digest.compute(file)
          let name = file.path
          try file.write(capacity: line.capacity(nameCount: name.count)) { memory in
            line.write(name: name, digest: digest, to: memory)
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
    ) throws -> FileFigures {
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

    /// Ends the present run soon.
    public func cancel() {
      processor.cancel()
    }

    /// The figures of the present run, or the last one.
    public var figures: FileFigures {
      processor.figures
    }
  }
#endif
