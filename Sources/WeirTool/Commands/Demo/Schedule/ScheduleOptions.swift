// The options of weir demo schedule.

internal import ArgumentParser
internal import Demos

struct ScheduleOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Take these steps: numbers of threads.", valueName: "n,..."))
  var steps: RawArgument?

  @Flag(help: "Print a shortest schedule that reaches the goal.")
  var solution = false

  @Flag(help: "Run the pitfall of the level for real.")
  var real = false

  @Option(
    help: ArgumentHelp("Write the game as a page for a browser.", valueName: "file"),
    completion: .file())
  var html: RawArgument?

  @Flag(help: "Write sentences, and draw nothing.")
  var plain = false

  @OptionGroup var formatOptions: FormatOptions
  var format: OutputFormat { formatOptions.format }

  static let table =
    OptionTable(
      values: ["--steps": .name, "--html": .outputFile],
      flags: ["--solution", "--real", "--plain"]) + FormatOptions.table

  /// The section of --help.
  static let help = """
    schedule [LEVEL]: You are the scheduler of a simulated machine. Choose the
    thread that takes the next step, and reach the goal: a deadlock, a race.
    Six levels; without a LEVEL, begin with the first on a terminal, and list them
    otherwise. Each level ends with the pitfall that shows the same for real.
          --steps N,...      Take these steps, threads by number, and print the
                             result; u takes a step back. Exit status 1 if the goal
                             is not reached
          --solution         Print a shortest schedule that reaches the goal
          --real             Then run the pitfall of the level for real
          --html FILE        Write all levels as a page for a browser, with no
                             network
          --plain            Write a sentence or a line of code per line
          --format FORMAT    Write text, or json: an object per step [default: text]
    """

  /// The lines of the short help.
  static let brief = """
          --steps N,...      Take these steps, threads by number
          --solution         Print a shortest schedule
          --real             Then run the pitfall of the level for real
          --html FILE        Write all levels as a page for a browser
          --plain            Write a sentence or a line of code per line
          --format FORMAT    Write text or json [default: text]
    """

  /// Checks the options against each other.
  ///
  /// - Throws: An error if they conflict.
  func check(hasLevel: Bool) throws(UsageError) {
    if html != nil && (hasLevel || steps != nil || solution || real || plain || format == .json) {
      throw UsageError("--html has all levels, and takes no other option and no level")
    }
    if plain && format == .json {
      throw UsageError("--plain cannot be combined with --format json")
    }
    if steps != nil && solution {
      throw UsageError("--steps cannot be combined with --solution")
    }
    if !hasLevel && (steps != nil || solution || real) {
      throw UsageError("--steps, --solution and --real take the number of a level")
    }
    if format == .json && (steps == nil && !solution || real) {
      throw UsageError("--format json takes a level with --steps or --solution, without --real")
    }
    if real && steps == nil && !solution && !TerminalStream.input.isTerminal {
      throw UsageError("--real takes --steps or --solution, unless standard input is a terminal")
    }
  }
}
