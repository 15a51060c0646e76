// The page of the schedule game: `weir-demo schedule --html PAGE`.

import Demos

enum SchedulePage {
  static func run(_ words: [String]) throws {
    let arguments = try Arguments(
      words, options: [CommandOption("html", "PAGE", "Write the game to PAGE")], of: "schedule")
    if arguments.requestsHelp { return try Output.write(Help.overview) }
    _ = try arguments.operands(atMost: 0)
    guard let page = arguments["html"] else {
      throw UsageError("schedule writes a page; name it with --html PAGE")
    }
    try RunFile(page).write(Array(ScheduleHTML.page().utf8))
  }
}
