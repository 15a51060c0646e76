// A run of `weir hash --output` that reads all files: its records are the ledger.

package import SystemPackage
package import Weir

/// A job that records files, in the order of the input.
package final class FirstRun: FileJob, Sendable {
  private let processor: FileProcessor<UpdateLane, Void>
  private let form: ManifestForm
  private let found = Locked(UpdateCounts())

  /// - Throws: `invalidArgument` if there is no algorithm or too many.
  package init(_ options: UpdateJob.Options) throws(Errno) {
    guard (1...DigestAlgorithm.countMax).contains(options.algorithms.count) else {
      throw .invalidArgument
    }
    form = options.form
    var whole = options
    whole.processor.deliversWholeTree = true
    whole.processor.excluded += options.excluded
    processor = try UpdateJob.makeProcessor(whole, select: options.select)
  }

  package var counts: UpdateCounts { found.with { $0 } }

  /// Records files and trees; returns when all results are delivered. After a cancel, each file that
  /// has ended is recorded.
  ///
  /// Blocks: yes, as ``/Weir/FileProcessor/run(_:deliver:)`` does.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ sources: [FileSource], into output: OutputFile,
    report: @escaping @Sendable (FileResult) -> Void
  ) throws {
    let lines = LedgerLines(form)
    try processor.run(sources) { [self] batch in
      for index in 0..<batch.count {
        let result = batch[index]
        report(result)
        append(result, lines)
      }
      try output.append(records: lines.ledgerLines)
      try output.append(manifest: lines.manifestLines, ledger: .empty)
      lines.removeAll()
    }
  }

  private func append(_ result: FileResult, _ lines: LedgerLines) {
    switch result.outcome {
    case .done:
      guard let content = ReadContent(result.output) else { return }
      let name = content.isDashFile ? DashFile.name : result.path
      found.with { $0.read += 1 }
      lines.begin(name, of: result.source)
      lines.append(name, content.entry)
    case .directory:
      found.with { $0.hasDirectories = true }
      lines.begin(result.path, of: result.source, isDirectory: true)
    case .link:
      lines.begin(result.path, of: result.source)
      lines.append(link: result.path, target: result.output)
    case .failed, .changed, .special, .noted: break
    }
  }

  package var control: JobControl { JobControl(processor) }
}
