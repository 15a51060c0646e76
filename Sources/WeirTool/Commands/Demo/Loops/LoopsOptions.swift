// The options of weir demo loops.

internal import ArgumentParser
internal import Weir

struct LoopsOptions: ParsableArguments {
  @Option(name: .customLong("count"), help: ArgumentHelp("Number of indices.", valueName: "n"))
  var countOption: Int?
  var count: Int { countOption ?? 100 }

  @Option(
    name: .customLong("stride"),
    help: ArgumentHelp("Number of indices per block.", valueName: "n"))
  var strideOption: Int?
  var stride: Int { strideOption ?? 4 }

  @Option(
    name: .customLong("work"),
    help: ArgumentHelp("Work per index, in nanoseconds.", valueName: "ns"))
  var workOption: Int?
  var work: Int { workOption ?? 100_000 }

  /// The given options on the loop, by name.
  var given: [(String, Int)] {
    [("count", countOption), ("stride", strideOption), ("work", workOption)].compactMap {
      name, value in
      value.map { (name, $0) }
    }
  }

  @Option(
    help: ArgumentHelp("Compare this prediction for --stride.", valueName: "blocks,time"))
  var predict: RawArgument?

  @Flag(help: "Write sentences, and draw nothing.")
  var plain = false

  @Option(help: ArgumentHelp("Color the bars.", valueName: "when"))
  var color = ColorWhen.auto

  @OptionGroup var formatOptions: FormatOptions
  var format: OutputFormat { formatOptions.format }

  @Option(
    help: ArgumentHelp("Record the blocks for ui.perfetto.dev.", valueName: "file"),
    completion: .file())
  var trace: RawArgument?

  private static let countMax = 1_000_000
  /// The maximum count of a traced loop: the trace has a line for each block.
  private static let tracedCountMax = 100_000
  /// The maximum work of a loop, in nanoseconds: no user waits longer for a demo.
  private static let workMax = 10_000_000_000

  static let table =
    OptionTable(
      values: [
        "--count": .number(1...countMax), "--stride": .number(1...countMax),
        "--work": .number(0...1_000_000_000), "--predict": .name, "--trace": .outputFile,
        "--color": .word(ColorWhen.allCases.map(\.rawValue)),
      ],
      flags: ["--plain"]) + FormatOptions.table

  /// The section of --help.
  static let help = """
    loops: Run one loop in several forms: plain, by strides of 1, of --stride and of
    64, and by strides that are chosen during the run. Each index is real work. For
    each form, print the number of blocks, the indices of each thread, and the time.
    On a terminal, first ask for a prediction.
          --count N          Number of indices, 1 to \(countMax) [default: 100]
          --stride N         Number of indices per block, 1 to \(countMax) [default: 4]
          --work NS          Work per index, in nanoseconds; at most \(workMax / 1_000_000_000) s for the
                             loop [default: 100000]
    """

  /// Returns the loop of the command line.
  ///
  /// - Throws: An error if the options exceed a limit or conflict.
  func plan() throws(UsageError) -> LoopsPlan {
    let (total, overflows) = count.multipliedReportingOverflow(by: work)
    if overflows || total > LoopsOptions.workMax {
      throw UsageError(
        "--count times --work may be at most \(LoopsOptions.workMax) ns (10 s), not \(count) "
          + "times \(work)")
    }
    if plain && format == .json {
      throw UsageError("--plain cannot be combined with --format json, which draws nothing")
    }
    if trace != nil && count > LoopsOptions.tracedCountMax {
      throw UsageError(
        "--trace has a line for each block and takes a --count of at most "
          + "\(LoopsOptions.tracedCountMax), not \(count)")
    }
    return LoopsPlan(count: count, stride: stride, work: work, cores: Lanes.defaultWidth)
  }

  /// Returns the prediction of `--predict`; `nil` without that option.
  func prediction() throws(UsageError) -> LoopsPrediction? {
    guard let predict else { return nil }
    guard let prediction = LoopsPrediction(predict.text) else {
      throw UsageError("--predict takes BLOCKS,TIME such as 12,3.5ms, not ", predict)
    }
    return prediction
  }
}
