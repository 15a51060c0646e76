package import SystemPackage
package import Weir

/// A job that tells which files have the content of a file that a manifest records.
///
/// A file is opened only if its size is recorded, or if the size of a recorded file is unknown.
/// All digests come from one read. Memory does not grow with the number of files.
package struct KnownFilesJob: FileJob {
  package enum Event {
    /// A file, and the place of a recorded file with the same content.
    case file(path: UnsafeRawBufferPointer, size: UInt64, known: Int?)
    /// A name without a file that could be compared.
    case other(FileResult)
  }

  private struct Finding {
    let size: UInt64
    /// Less than 0 if no recorded file has the content.
    var place = -1
  }

  private let processor: FileProcessor<DigestSet, Void>

  /// - Parameter selectsSize: Decides by the size which files are searched.
  package init(
    _ known: KnownFiles, options: FileProcessorOptions,
    selectsSize: @escaping @Sendable (UInt64) -> Bool
  ) throws(Errno) {
    var options = options
    options.opensLate = true
    let algorithms = known.algorithms
    processor = try FileProcessor(
      options,
      context: { () throws(Errno) -> DigestSet in try DigestSet(algorithms) },
      job: { (file, set) throws(Errno) -> Void in
        let status = try file.pathStatus()
        guard status.type == .file, selectsSize(status.size) else { return }
        var finding = Finding(size: status.size)
        if known.mayContain(size: status.size) {
          try set.compute(file)
          finding = Finding(size: set.size, place: known.find(size: set.size, set.digests) ?? -1)
        }
        try file.write(bytesOf: finding)
      })
  }

  /// Examines files. `deliver` gets the events of a batch of files, one call at a time.
  @discardableResult
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable ([Event]) throws -> Void
  ) throws -> FileStatistics {
    try processor.run(sources) { batch in
      try deliver((0..<batch.count).compactMap { KnownFilesJob.event(of: batch[$0]) })
    }
  }

  private static func event(of result: FileResult) -> Event? {
    switch result.outcome {
    case .done where result.type != .blockDevice:
      guard result.output.count == MemoryLayout<Finding>.size else { return nil }
      let finding = result.output.loadUnaligned(as: Finding.self)
      let known = finding.place < 0 ? nil : finding.place
      return .file(path: result.path, size: finding.size, known: known)
    case .noted, .directory, .link: return nil
    case .done, .special, .failed, .changed: return .other(result)
    }
  }

  package var control: JobControl { JobControl(processor) }
}
