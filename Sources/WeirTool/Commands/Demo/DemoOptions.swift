// The options of the demos: their knobs, and how they are run and shown.

internal import ArgumentParser
internal import Demos

/// The knobs of all demos. Each demo takes some of them; `Demo.knobs` says which, and the values.
struct KnobOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Number of tasks.", valueName: "n")) var tasks: String?
  @Option(help: ArgumentHelp("Number that run at once.", valueName: "n")) var max: String?
  @Option(help: ArgumentHelp("Number of jobs.", valueName: "n")) var jobs: String?
  @Option(help: ArgumentHelp("Number of files.", valueName: "n")) var files: String?
  @Option(help: ArgumentHelp("Time of a task.", valueName: "s")) var seconds: String?
  @Option(help: ArgumentHelp("Way to run the tasks.", valueName: "form")) var form: String?
  @Option(help: ArgumentHelp("Use case.", valueName: "case")) var preset: String?
  @Option(help: ArgumentHelp("Step of the tutorial.", valueName: "n")) var step: String?
  @Option(help: ArgumentHelp("Kind of the image queue.", valueName: "kind")) var queue: String?
  @Option(help: ArgumentHelp("Kind of network.", valueName: "kind")) var network: String?
  @Option(help: ArgumentHelp("Time-out of a wait.", valueName: "s")) var timeout: String?
  @Option(help: ArgumentHelp("Clock of the time-out.", valueName: "clock")) var clock: String?
  @Option(help: ArgumentHelp("Number of scrolls.", valueName: "n")) var scroll: String?
  @Option(help: ArgumentHelp("Order of the results.", valueName: "order")) var order: String?
  @Option(help: ArgumentHelp("Number of the task that fails.", valueName: "n")) var fail: String?
  @Option(help: ArgumentHelp("Effect of a failure.", valueName: "effect")) var failure: String?
  @Option(help: ArgumentHelp("Cancel the whole after a time.", valueName: "s"))
  var cancelAfter: String?
  @Option(help: ArgumentHelp("Cancel this task.", valueName: "n")) var cancel: String?
  @Option(help: ArgumentHelp("Number of permits of some tasks.", valueName: "n"))
  var need: String?
  @Option(help: ArgumentHelp("New number of permits.", valueName: "n")) var resize: String?
  @Option(help: ArgumentHelp("Close the gate after a time.", valueName: "s")) var close: String?
  @Option(help: ArgumentHelp("Number of calls of suspend.", valueName: "n")) var suspend: String?
  @Option(help: ArgumentHelp("Number of calls of resume.", valueName: "n")) var resume: String?
  @Option(help: ArgumentHelp("Limit on descriptors.", valueName: "n")) var limit: String?
  @Option(help: ArgumentHelp("Budget of descriptors.", valueName: "when")) var budget: String?
  @Option(help: ArgumentHelp("Leave out a call.", valueName: "call")) var forget: String?
  @Option(help: ArgumentHelp("Seed of the random times.", valueName: "n")) var seed: String?
  @Flag(help: "Let each step take a random time.") var randomize = false
  @Flag(help: "Wait for the group on a thread.") var wait = false

  /// The given knobs, by name.
  var given: [String: String] {
    let all: [(String, String?)] = [
      ("tasks", tasks), ("max", max), ("jobs", jobs), ("files", files), ("seconds", seconds),
      ("form", form), ("preset", preset), ("step", step), ("queue", queue), ("network", network),
      ("timeout", timeout), ("clock", clock), ("scroll", scroll), ("order", order),
      ("fail", fail), ("failure", failure), ("cancel-after", cancelAfter), ("cancel", cancel),
      ("need", need), ("resize", resize), ("close", close), ("suspend", suspend),
      ("resume", resume), ("limit", limit), ("budget", budget), ("forget", forget),
      ("seed", seed), ("randomize", randomize ? "yes" : nil), ("wait", wait ? "yes" : nil),
    ]
    return all.reduce(into: [:]) { given, knob in given[knob.0] = knob.1 }
  }

  static let table = OptionTable(
    values: Dictionary(
      uniqueKeysWithValues: [
        "tasks", "max", "jobs", "files", "seconds", "form", "preset", "step", "queue", "network", "timeout",
        "clock", "scroll", "order", "fail", "failure", "cancel-after", "cancel", "need", "resize",
        "close", "suspend", "resume", "limit", "budget", "forget", "seed",
      ].map { ("--\($0)", OptionValue.name) }),
    flags: ["--randomize", "--wait"])
}

/// How a demo is run and shown.
struct DemoViewOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seconds of the demo in a second.", valueName: "n"))
  var speed: String?

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
  var watchdog: String?

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
    _ text: String?, _ range: ClosedRange<Double>, _ option: String
  ) throws(UsageError) -> Double? {
    guard let text else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(Int(range.upperBound)), not ",
        RawArgument(argument: text))
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
