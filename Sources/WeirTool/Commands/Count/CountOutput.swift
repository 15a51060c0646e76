// What weir count writes, batch after batch.

internal import FileJobs
internal import Weir

/// Writes the lines of a batch to standard output and its messages to standard
/// error, and the total in the end; in JSON the failures stand among the lines too,
/// in their places.
struct CountOutput: Sendable {
  let console: Console
  let report: FileReport
  private let line: CountLine
  private let format: OutputFormat
  private let state = Locked(State())

  private struct State {
    var total = Counts()
    /// How many files were answered, if only by a message.
    var answered: UInt64 = 0
    var lines: [UInt8] = []
  }

  init(_ console: Console, _ line: CountLine, _ format: OutputFormat) {
    self.console = console
    self.line = line
    self.format = format
    report = FileReport(console: console, verb: "count")
  }

  func take(_ batch: borrowing FileBatch) throws {
    // Deliveries come one at a time; the lock is for the compiler.
    var lines = state.with { state in
      defer { state.lines = [] }
      return state.lines
    }
    lines.removeAll(keepingCapacity: true)
    var (total, answered) = (Counts(), UInt64(0))
    for index in 0..<batch.count {
      let result = batch[index]
      if let finding = report.finding(result) {
        if !finding.isSkip { answered += 1 }
        if format == .json { append(finding, of: result, to: &lines) }
      } else if case .done = result.outcome {
        let counts = Counts(output: result.output)
        total += counts
        answered += 1
        append(counts, of: result, to: &lines)
      }
    }
    try lines.withUnsafeBytes { try console.write($0) }
    for index in 0..<batch.count { report.tell(batch[index]) }
    let (more, count, memory) = (total, answered, lines)
    state.with { state in
      state.total += more
      state.answered += count
      state.lines = memory
    }
  }

  private func append(_ counts: Counts, of result: FileResult, to lines: inout [UInt8]) {
    if format == .text { return line.append(counts, result.path, to: &lines) }
    var json = JSONText(isZeroTerminated: line.endsInNull)
    json.begin("file")
    json.append("path", name: result.path)
    for (name, value) in line.numbers(of: counts) { json.append(name, value) }
    json.end()
    lines += json.bytes
  }

  private func append(
    _ finding: FileReport.Finding, of result: FileResult, to lines: inout [UInt8]
  ) {
    var json = JSONText(isZeroTerminated: line.endsInNull)
    json.append(finding, path: result.path)
    lines += json.bytes
  }

  /// The total, where there is more than one file and none is missing; in JSON the
  /// summary.
  func conclude(_ statistics: FileStatistics, _ ending: Session.Ending) throws {
    let (total, answered) = state.with { ($0.total, $0.answered) }
    if format == .json {
      if ending.failure == nil { try console.write(summary(statistics, ending, total)) }
    } else if answered > 1 && ending.isComplete {
      var last: [UInt8] = []
      Array("total".utf8).withUnsafeBytes { line.append(total, $0, to: &last) }
      try console.write(last)
    }
  }

  private func summary(
    _ statistics: FileStatistics, _ ending: Session.Ending, _ total: Counts
  ) -> [UInt8] {
    var json = JSONText(isZeroTerminated: line.endsInNull)
    json.begin("total")
    for (name, value) in line.numbers(of: total) { json.append(name, value) }
    json.end()
    json.begin("summary")
    json.append("complete", ending.isComplete)
    json.append("files", statistics.files)
    json.append(statistics)
    json.append("seconds", seconds: ending.seconds)
    json.end()
    return json.bytes
  }
}
