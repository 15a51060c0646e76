// The options on how a demo is run and shown.

import Demos

struct ViewOptions {
  let speed: Double?
  let watchdog: Double?
  let isVirtual: Bool
  let predict: String?
  let isScore: Bool
  let html: String?
  let isJSON: Bool
  let showsAllEvents: Bool
  let language: Language

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
    .choice(
      "format", "FORMAT", "Write text, or json: an object per line [default: text]",
      ["text", "json"]),
    CommandOption("all-events", "", "Show every event of the log, in lines"),
    .choice(
      "language", "LANG", "Language of the downloads: en or zh [default: en]",
      Language.allCases.map(\.rawValue)),
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    speed = arguments["speed"].flatMap(Double.init)
    watchdog = arguments["watchdog"].flatMap(Double.init)
    isVirtual = arguments.has("virtual")
    predict = arguments["predict"]
    isScore = arguments.has("score")
    html = arguments["html"]
    isJSON = arguments["format"] == "json"
    showsAllEvents = arguments.has("all-events")
    language = arguments["language"].flatMap(Language.init) ?? .english
    if isScore && predict == nil {
      throw UsageError("--score marks a prediction; give it with --predict")
    }
  }
}
