// The options of the demos: their knobs, and how they are run and shown.

internal import ArgumentParser
internal import Demos

/// The knobs of all demos. Each demo takes some of them; `Demo.knobs` says which, and the values.
struct KnobOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Number of tasks.", valueName: "n")) var tasks: RawArgument?
  @Option(help: ArgumentHelp("Number that run at once.", valueName: "n")) var max: RawArgument?
  @Option(help: ArgumentHelp("Number of jobs.", valueName: "n")) var jobs: RawArgument?
  @Option(help: ArgumentHelp("Number of files.", valueName: "n")) var files: RawArgument?
  @Option(help: ArgumentHelp("Time of a task.", valueName: "s")) var seconds: RawArgument?
  @Option(help: ArgumentHelp("Way to run the tasks.", valueName: "form")) var form: RawArgument?
  @Option(help: ArgumentHelp("Use case.", valueName: "case")) var preset: RawArgument?
  @Option(help: ArgumentHelp("Step of the tutorial.", valueName: "n")) var step: RawArgument?
  @Option(help: ArgumentHelp("Kind of the image queue.", valueName: "kind")) var queue: RawArgument?
  @Option(help: ArgumentHelp("Kind of network.", valueName: "kind")) var network: RawArgument?
  @Option(help: ArgumentHelp("Time-out of a wait.", valueName: "s")) var timeout: RawArgument?
  @Option(help: ArgumentHelp("Clock of the time-out.", valueName: "clock")) var clock: RawArgument?
  @Option(help: ArgumentHelp("Number of scrolls.", valueName: "n")) var scroll: RawArgument?
  @Option(help: ArgumentHelp("Order of the results.", valueName: "order")) var order: RawArgument?
  @Option(help: ArgumentHelp("Number of the task that fails.", valueName: "n")) var fail:
    RawArgument?
  @Option(help: ArgumentHelp("Effect of a failure.", valueName: "effect")) var failure: RawArgument?
  @Option(help: ArgumentHelp("Cancel the whole after a time.", valueName: "s"))
  var cancelAfter: RawArgument?
  @Option(help: ArgumentHelp("Cancel this task.", valueName: "n")) var cancel: RawArgument?
  @Option(help: ArgumentHelp("Number of permits of some tasks.", valueName: "n"))
  var need: RawArgument?
  @Option(help: ArgumentHelp("New number of permits.", valueName: "n")) var resize: RawArgument?
  @Option(help: ArgumentHelp("Close the gate after a time.", valueName: "s")) var close:
    RawArgument?
  @Option(help: ArgumentHelp("Number of calls of suspend.", valueName: "n")) var suspend:
    RawArgument?
  @Option(help: ArgumentHelp("Number of calls of resume.", valueName: "n")) var resume: RawArgument?
  @Option(help: ArgumentHelp("Limit on descriptors.", valueName: "n")) var limit: RawArgument?
  @Option(help: ArgumentHelp("Budget of descriptors.", valueName: "when")) var budget: RawArgument?
  @Option(help: ArgumentHelp("Leave out a call.", valueName: "call")) var forget: RawArgument?
  @Option(help: ArgumentHelp("Seed of the random times.", valueName: "n")) var seed: RawArgument?
  @Flag(help: "Let each step take a random time.") var randomize = false
  @Flag(help: "Wait for the group on a thread.") var wait = false

  /// The given knobs, by name.
  var given: [String: String] {
    let all: [(String, RawArgument?)] = [
      ("tasks", tasks), ("max", max), ("jobs", jobs), ("files", files), ("seconds", seconds),
      ("form", form), ("preset", preset), ("step", step), ("queue", queue), ("network", network),
      ("timeout", timeout), ("clock", clock), ("scroll", scroll), ("order", order),
      ("fail", fail), ("failure", failure), ("cancel-after", cancelAfter), ("cancel", cancel),
      ("need", need), ("resize", resize), ("close", close), ("suspend", suspend),
      ("resume", resume), ("limit", limit), ("budget", budget), ("forget", forget),
      ("seed", seed),
    ]
    var given: [String: String] = [:]
    for (name, value) in all { given[name] = value?.text }
    if randomize { given["randomize"] = "yes" }
    if wait { given["wait"] = "yes" }
    return given
  }

  static let table = OptionTable(
    values: Dictionary(
      uniqueKeysWithValues: [
        "tasks", "max", "jobs", "files", "seconds", "form", "preset", "step", "queue", "network",
        "timeout",
        "clock", "scroll", "order", "fail", "failure", "cancel-after", "cancel", "need", "resize",
        "close", "suspend", "resume", "limit", "budget", "forget", "seed",
      ].map { ("--\($0)", OptionValue.name) }),
    flags: ["--randomize", "--wait"])
}

/// The options on how a demo is run and shown.
struct DemoViewOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seconds of the demo in a second.", valueName: "n"))
  var speed: RawArgument?

  @Flag(help: "Simulate threads and time: the same run each time.")
  var virtual = false

  @Option(
    help: ArgumentHelp("Write a page with the timeline.", valueName: "file"), completion: .file())
  var html: RawArgument?

  @Flag(help: "Write a JSON line that marks the prediction, and nothing else.")
  var score = false

  @Flag(name: .customLong("all-events"), help: "Show every event of the log.")
  var showsAllEvents = false

  @Option(
    help: ArgumentHelp("Language of the downloads.", valueName: "language"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var language = "en"

  @Option(help: ArgumentHelp("Time limit of a run.", valueName: "s"))
  var watchdog: RawArgument?

  static let table = OptionTable(
    values: [
      "--speed": .name, "--html": .outputFile, "--watchdog": .name,
      "--language": .word(Language.allCases.map(\.rawValue)),
    ],
    flags: ["--virtual", "--score", "--all-events"])

  /// The section of --help.
  static let help = """
    How a demo is run and shown:
          --predict LIST     Compare this prediction with the result: a number for
                             each question, such as 5,15, with - for none; ask no
                             questions
          --score            With --predict, write only a JSON line that marks it
          --virtual          Simulate threads and time, with two cores: the same run
                             each time, at once
          --speed N          Seconds of the demo in a second, 0.1 to 1000
                             [default: 10; starvation, descriptors, loops: 1]
          --watchdog S       Time limit, in seconds of the demo [default: 120]
          --html FILE        Write a page with the timeline, to step through
          --trace FILE       Record the run in FILE, for ui.perfetto.dev
          --format FORMAT    Write text, or json: an object per line [default: text]
          --plain            Write lines, and draw nothing
          --all-events       Show every event of the log, in lines
          --color WHEN       Color the view: auto (on a terminal, unless NO_COLOR is
                             set), always or never [default: auto]
          --language LANG    Language of the downloads: en or zh [default: en]
    """

  /// Parses a number in a range.
  private static func number(
    _ argument: RawArgument?, _ range: ClosedRange<Double>, _ option: String
  ) throws(UsageError) -> Double? {
    guard let argument else { return nil }
    guard let number = Double(argument.text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(Int(range.upperBound)), not ",
        argument)
    }
    return number
  }

  /// Returns the speed.
  func speed(of demo: Demo) throws(UsageError) -> Double {
    let usual = ["starvation", "descriptors", "loops"].contains(demo.name) ? 1.0 : 10
    return try Self.number(speed, 0.1...1000, "--speed") ?? usual
  }

  /// Returns the time limit in seconds of the demo.
  func timeLimit() throws(UsageError) -> Double? {
    try Self.number(watchdog, 0.1...3600, "--watchdog")
  }
}
