// What weir demo loops takes.

internal import ArgumentParser
internal import Weir

struct LoopsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many indices the loop has.", valueName: "n"))
  var count = 100

  @Option(help: ArgumentHelp("How many of them make a block.", valueName: "n"))
  var stride = 4

  @Option(help: ArgumentHelp("How much work an index is, in nanoseconds.", valueName: "ns"))
  var work = 100_000

  @Option(
    help: ArgumentHelp("What you expect of that stride.", valueName: "blocks,time"))
  var predict: RawArgument?

  @Flag(help: "Say it in sentences, and draw nothing.")
  var plain = false

  @OptionGroup var formatOptions: FormatOptions
  var format: OutputFormat { formatOptions.format }

  @Option(
    help: ArgumentHelp("Record the blocks for ui.perfetto.dev.", valueName: "file"),
    completion: .file())
  var trace: RawArgument?

  private static let most = 1_000_000
  /// A trace has a line for each block.
  private static let mostInTrace = 100_000
  /// Nobody waits longer for a demo: of a loop, in nanoseconds.
  private static let longest = 10_000_000_000

  static let table =
    OptionTable(
      values: [
        "--count": .number(1...most), "--stride": .number(1...most),
        "--work": .number(0...1_000_000_000), "--predict": .name, "--trace": .outputFile,
      ],
      flags: ["--plain"]) + FormatOptions.table

  /// As it stands in --help.
  static let help = """
    loops: one loop, plain, by strides of 1, of --stride and of 64, and by strides
    that are chosen as it runs. Each index is real work. It shows how many blocks
    the loop was cut into, which thread ran which indices, and the time. On a
    terminal it first asks what you expect.
          --count N          indices, 1 to \(most) (100)
          --stride N         indices a block, 1 to \(most) (4)
          --work NS          work an index, in nanoseconds (100000); the loop as a
                             whole may be \(longest / 1_000_000_000) s of work
          --predict BLOCKS,TIME
                             what you expect of --stride, as 12,3.5ms; it is
                             compared with what happens, and nothing is asked
          --plain            sentences, one a line, and nothing drawn; so also
                             where standard output is no terminal
          --format FORMAT    text, or json: one object a line (text)
          --trace FILE       record the blocks, for ui.perfetto.dev (--count up to
                             \(mostInTrace))
    """

  /// What is to be shown.
  ///
  /// - Throws: What is wrong with the values together.
  func plan() throws(UsageError) -> LoopsPlan {
    let (total, isTooMuch) = count.multipliedReportingOverflow(by: work)
    if isTooMuch || total > LoopsOptions.longest {
      throw UsageError(
        "--count times --work may be \(LoopsOptions.longest) ns, 10 s, and \(count) times "
          + "\(work) is more")
    }
    if plain && format == .json {
      throw UsageError("--plain is for --format text, and --format json draws nothing")
    }
    if trace != nil && count > LoopsOptions.mostInTrace {
      throw UsageError(
        "--trace has a line for each block, and takes a --count up to "
          + "\(LoopsOptions.mostInTrace), not \(count)")
    }
    return LoopsPlan(count: count, stride: stride, work: work, cores: Lanes.defaultWidth)
  }

  /// What `--predict` says; `nil` where it is not there.
  func prediction() throws(UsageError) -> LoopsPrediction? {
    guard let predict else { return nil }
    guard let prediction = LoopsPrediction(predict.text) else {
      throw UsageError("--predict takes BLOCKS,TIME as 12,3.5ms, not ", predict)
    }
    return prediction
  }
}
