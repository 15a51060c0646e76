// The options on how a demo is run and shown.

import Demos

struct ViewOptions {
  private let arguments: Arguments

  static let table: [CommandOption] = [
    CommandOption(
      "predict", "LIST",
      "Compare this prediction with the result: a number for each question, such as 5,15, with - "
        + "for none; ask no questions"),
    CommandOption("score", "", "With --predict, write only a JSON line that marks it"),
    CommandOption(
      "virtual", "", "Simulate threads and time, with two cores: the same run each time, at once"),
    .number(
      "speed", "N", "Seconds of the demo in a second, 0.01 to 1000 [default: by demo]",
      0.01...1000),
    .number("watchdog", "S", "Time limit, in seconds of the demo [default: 120]", 0.1...3600),
    CommandOption("html", "PAGE", "Write a page with the timeline, to step through"),
    CommandOption("all-events", "", "Show every event of the log, in lines"),
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    if isScore && predict == nil {
      throw UsageError("--score marks a prediction; give it with --predict")
    }
  }

  var speed: Double? { arguments["speed"].flatMap(Double.init) }
  var watchdog: Double? { arguments["watchdog"].flatMap(Double.init) }
  var isVirtual: Bool { arguments.has("virtual") }
  var predict: String? { arguments["predict"] }
  var isScore: Bool { arguments.has("score") }
  var html: String? { arguments["html"] }
  var showsAllEvents: Bool { arguments.has("all-events") }
}
