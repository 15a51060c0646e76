internal import FileJobs
internal import Weir

/// Writes the lines of each batch to standard output and its errors to standard error.
/// In JSON, the errors also stand among the lines, in their places.
///
/// @unchecked Sendable: batches come one at a time.
final class HashOutput: SessionOutput, @unchecked Sendable {
  private let console: Console
  private let reporter: FileReporter
  private let format: OutputFormat
  private let isZeroTerminated: Bool
  /// The writer of lines of mtree(5), from the first batch on.
  private var manifest: MtreeWriter?

  init(_ console: Console, _ format: OutputFormat, isZeroTerminated: Bool) {
    self.console = console
    self.format = format
    self.isZeroTerminated = isZeroTerminated
    reporter = FileReporter(console: console, verb: "hash")
  }

  func write(_ batch: borrowing FileBatch) throws {
    if format == .json { return try writeJSON(batch) }
    if format == .mtree {
      try console.write(mtree(batch))
    } else {
      try console.write(lines: batch.output, isZeroTerminated: isZeroTerminated)
    }
    for index in 0..<batch.count { reporter.report(batch[index]) }
  }

  /// Writes a batch with its errors, and all lines between two errors at once.
  private func writeJSON(_ batch: borrowing FileBatch) throws {
    let output = batch.output
    var (begin, end) = (0, 0)
    for index in 0..<batch.count {
      let result = batch[index]
      guard let finding = reporter.finding(result) else {
        end += result.output.count
        continue
      }
      try console.write(output[begin..<end].rebased)
      begin = end
      try console.write(
        JSONText.object(finding, path: result.path, isZeroTerminated: isZeroTerminated))
      console.report(finding, of: result.path)
    }
    try console.write(output[begin..<end].rebased)
  }

  private func mtree(_ batch: borrowing FileBatch) -> [UInt8] {
    var lines: [UInt8] = []
    beginManifest(&lines)
    lines.reserveCapacity(batch.output.count + 1024)
    for index in 0..<batch.count {
      manifest?.append(batch[index], to: &lines)
    }
    return lines
  }

  private func beginManifest(_ lines: inout [UInt8]) {
    if manifest == nil {
      manifest = MtreeWriter(version: WeirVersion.description, to: &lines)
    }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    Session.Summary(ending, listsLinks: format == .mtree)
  }

  func finish(_ ending: Session.Ending) throws {
    if format == .mtree && ending.isComplete {
      var lines: [UInt8] = []
      beginManifest(&lines)
      try console.write(lines)
    }
    guard format == .json, ending.failure == nil else { return }
    try console.write(JSONText.summary(ending, isZeroTerminated: isZeroTerminated))
  }
}
