// weir count: lines, words, characters and bytes of files and whole trees.

internal import ArgumentParser
internal import FileJobs
internal import SystemPackage
internal import Weir

struct CountCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Lines, words, characters, bytes, as wc writes them.")

  @Flag(name: .shortAndLong, help: "Count newlines.")
  var lines = false

  @Flag(name: .shortAndLong, help: "Count words.")
  var words = false

  @Flag(name: [.customShort("m"), .long], help: "Count characters.")
  var chars = false

  @Flag(name: [.customShort("c"), .long], help: "Count bytes.")
  var bytes = false

  @Flag(name: [.customShort("L"), .long], help: "How wide the longest line is.")
  var maxLineLength = false

  @Flag(name: .shortAndLong, help: "End each line in NUL; names are then as they are.")
  var zero = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var runOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions

  static let optionTable =
    OptionTable(
      flags: ["--lines", "--words", "--chars", "--bytes", "--max-line-length", "--zero"],
      letters: [
        "l": "--lines", "w": "--words", "m": "--chars", "c": "--bytes",
        "L": "--max-line-length", "z": "--zero",
      ]) + FormatOptions.table + CommonOptions.table + SourceOptions.table + .common

  func run(_ operands: Operands) throws {
    let session = try Session(runOptions, verb: "count", inputs: operands.allNames)
    var options = session.processorOptions
    sourceOptions.apply(to: &options, operands)
    let plan = StoragePlan(operands, jobs: runOptions.jobs)
    session.suit(&options, to: plan)
    let job = try CountJob(columns, options: options)
    let isText = formatOptions.format == .text
    let line = CountLine(
      columns, width: isText ? CountWidth(operands, columns).value : 1, isZeroTerminated: zero,
      hasName: !operands.inputs.isEmpty)
    let output = CountOutput(session.console, line, formatOptions.format)
    let ending = session.run(
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) }
    ) {
      try job.run(operands.sources(plan)) { batch in try output.take(batch) }
    }
    let statistics = job.statistics
    try session.conclude(ending, statistics) { ending in
      try output.conclude(statistics, ending)
    } closing: { ending in
      Session.Closing(statistics, seconds: ending.seconds)
    }
  }

  private var columns: CountColumns {
    var columns: CountColumns = []
    if lines { columns.insert(.lines) }
    if words { columns.insert(.words) }
    if chars { columns.insert(.characters) }
    if bytes { columns.insert(.bytes) }
    if maxLineLength { columns.insert(.longestLine) }
    return columns.isEmpty ? .asWC : columns
  }
}

extension CountColumns {
  /// What is counted where nothing is asked for.
  static let asWC: CountColumns = [.lines, .words, .bytes]
}
