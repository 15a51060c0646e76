// The options of weir demo pitfalls.

internal import ArgumentParser
internal import Demos

struct PitfallsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Compare this prediction of the broken version.", valueName: "word"))
  var predict: String?

  @Option(help: ArgumentHelp("End a run after this time.", valueName: "seconds"))
  var watchdog: TimeArgument?

  @Flag(help: "Write sentences, and draw nothing.")
  var plain = false

  @OptionGroup var formatOptions: FormatOptions
  var format: OutputFormat { formatOptions.format }

  /// The values if no option is given.
  static var defaults: PitfallsOptions {
    var options = PitfallsOptions()
    options.predict = nil
    options.watchdog = nil
    options.plain = false
    options.formatOptions = .defaults
    return options
  }

  static let predictions = PitfallSymptom.allCases.map(\.rawValue)

  /// The default of `--watchdog`, in seconds.
  private static let watchdogDefault = 5.0

  static let table =
    OptionTable(
      values: ["--predict": .word(predictions), "--watchdog": .time], flags: ["--plain"])
    + FormatOptions.table

  /// The section of --help.
  static let help = """
    pitfalls [NAME|all]: Run a mistake for real, in a process of its own under a
    watchdog: the code, what one would expect, what happens here, why, the fix, and
    the same run fixed. Without a NAME, list the pitfalls. On a terminal, first ask
    for a prediction. NAME broken and NAME fixed run one version without a watchdog,
    for a debugger.
          --predict WORD     Compare this prediction of the broken version with the
                             run, and ask no questions: silence, trap, wrong, slow
                             or fine
          --watchdog SECONDS End each run after this time [default: 5]
          --plain            Write a sentence or a line of code per line, and no
                             columns
          --format FORMAT    Write text, or json: an object per line [default: text]
    """

  /// The lines of the short help.
  static let brief = """
          --predict WORD     Compare this prediction, and ask no questions
          --watchdog SECONDS End each run after this time [default: 5]
          --plain            Write a sentence or a line of code per line
          --format FORMAT    Write text or json [default: text]
    """

  /// The time limit of a run, in seconds.
  var seconds: Double { watchdog?.seconds ?? PitfallsOptions.watchdogDefault }

  /// The prediction of the command line.
  var prediction: PitfallSymptom? { predict.flatMap { PitfallSymptom(rawValue: $0) } }

  /// Checks the options against each other and against the operands.
  ///
  /// - Throws: An error if they conflict.
  func check(pitfalls count: Int) throws(UsageError) {
    if plain && format == .json {
      throw UsageError("--plain cannot be combined with --format json")
    }
    if predict != nil && count != 1 {
      throw UsageError("--predict takes the name of one pitfall")
    }
  }
}
