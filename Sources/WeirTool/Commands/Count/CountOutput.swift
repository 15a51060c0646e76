internal import FileJobs
internal import Weir

/// Writes the lines of each batch to standard output and its errors to standard error,
/// and the total at the end. In JSON, the errors also stand among the lines, in their
/// places.
///
/// @unchecked Sendable: batches come one at a time.
final class CountOutput: SessionOutput, @unchecked Sendable {
  private let console: Console
  private let reporter: FileReporter
  private let line: CountLine
  private let format: OutputFormat
  private var total = Counts()
  private var answered: UInt64 = 0
  private var lines: [UInt8] = []

  init(_ console: Console, _ line: CountLine, _ format: OutputFormat) {
    self.console = console
    self.line = line
    self.format = format
    reporter = FileReporter(console: console, verb: "count")
  }

  func write(_ batch: borrowing FileBatch) throws {
    lines.removeAll(keepingCapacity: true)
    for index in 0..<batch.count {
      let result = batch[index]
      if let finding = reporter.finding(result) {
        if !finding.isSkip { answered += 1 }
        if format == .json {
          lines += JSONText.object(
            finding, path: result.path, isZeroTerminated: line.isZeroTerminated)
        }
      } else if case .done = result.outcome {
        let counts = Counts(output: result.output)
        total += counts
        answered += 1
        append(counts, of: result)
      }
    }
    try lines.withUnsafeBytes {
      try console.write(lines: $0, isZeroTerminated: line.isZeroTerminated)
    }
    for index in 0..<batch.count { reporter.report(batch[index]) }
  }

  private func append(_ counts: Counts, of result: FileResult) {
    if format == .text { return line.append(counts, result.path, to: &lines) }
    lines += JSONText.object("file", isZeroTerminated: line.isZeroTerminated) { json in
      json.append("path", name: result.path)
      for (name, value) in line.numbers(of: counts) { json.append(name, value) }
    }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary { Session.Summary(ending) }

  func finish(_ ending: Session.Ending) throws {
    if format == .json {
      if ending.failure != nil { return }
      let object =
        ending.isComplete
        ? JSONText.object("total", isZeroTerminated: line.isZeroTerminated) { json in
          for (name, value) in line.numbers(of: total) { json.append(name, value) }
        } : []
      try console.write(
        object + JSONText.summary(ending, isZeroTerminated: line.isZeroTerminated))
    } else if answered > 1 && ending.isComplete {
      var last: [UInt8] = []
      Array("total".utf8).withUnsafeBytes { line.append(total, $0, to: &last) }
      try console.write(last)
    }
  }
}
