// What weir hash writes, batch after batch.

internal import FileJobs
internal import Weir

/// Writes the lines of a batch to standard output and its messages to standard
/// error; in JSON the failures stand among the lines too, in their places.
struct HashOutput: Sendable {
  let console: Console
  let report: FileReport
  private let format: OutputFormat
  private let isZeroTerminated: Bool
  /// What stands between the lines of mtree(5).
  private let manifest = Locked<MtreeWriter?>(nil)

  init(_ console: Console, _ format: OutputFormat, isZeroTerminated: Bool) {
    self.console = console
    self.format = format
    self.isZeroTerminated = isZeroTerminated
    report = FileReport(console: console, verb: "hash")
  }

  func take(_ batch: borrowing FileBatch) throws {
    if format == .text {
      try console.write(batch.output)
      for index in 0..<batch.count { report.tell(batch[index]) }
      return
    }
    if format == .mtree {
      try console.write(mtree(batch))
      for index in 0..<batch.count { report.tell(batch[index]) }
      return
    }
    // As many lines at once as there are between two failures.
    let output = batch.output
    var (begin, end) = (0, 0)
    for index in 0..<batch.count {
      let result = batch[index]
      guard let finding = report.finding(result) else {
        end += result.output.count
        continue
      }
      try console.write(UnsafeRawBufferPointer(rebasing: output[begin..<end]))
      begin = end
      try console.write(object(finding, of: result))
      report.tell(finding, of: result)
    }
    try console.write(UnsafeRawBufferPointer(rebasing: output[begin..<end]))
  }

  /// A batch in lines of mtree(5).
  private func mtree(_ batch: borrowing FileBatch) -> [UInt8] {
    var lines: [UInt8] = []
    begin(&lines)
    lines.reserveCapacity(batch.output.count + 1024)
    for index in 0..<batch.count {
      let result = batch[index]
      manifest.with { $0?.append(result, to: &lines) }
    }
    return lines
  }

  /// Begins the manifest, unless it has begun.
  private func begin(_ lines: inout [UInt8]) {
    manifest.with { manifest in
      if manifest == nil {
        manifest = MtreeWriter(version: WeirVersion.description, to: &lines)
      }
    }
  }

  private func object(_ finding: FileReport.Finding, of result: FileResult) -> [UInt8] {
    var json = JSONText(isZeroTerminated: isZeroTerminated)
    json.append(finding, path: result.path)
    return json.bytes
  }

  /// The last line.
  func conclude(_ statistics: FileStatistics, _ ending: Session.Ending) throws {
    if format == .mtree && ending.isComplete {
      var lines: [UInt8] = []
      begin(&lines)
      try console.write(lines)
    }
    guard format == .json, ending.failure == nil else { return }
    var json = JSONText(isZeroTerminated: isZeroTerminated)
    json.begin("summary")
    json.append("complete", ending.isComplete)
    json.append("files", statistics.files)
    json.append(statistics)
    json.append("seconds", seconds: ending.seconds)
    json.end()
    try console.write(json.bytes)
  }
}
