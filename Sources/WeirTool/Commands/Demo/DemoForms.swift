// The forms of `weir demo` with options of their own: pitfalls and schedule.

internal import ArgumentParser
internal import Demos

extension DemoCommand {
  /// Returns the options of the form that the first word names.
  static func optionTable(for words: [RawArgument]) -> OptionTable {
    switch words.first?.text {
    case "pitfalls": PitfallsOptions.table + .common
    case "schedule": ScheduleOptions.table + .common
    default: optionTable
    }
  }

  static func request(
    from options: [String], _ words: [RawArgument]
  ) throws -> any VerbRequest {
    switch words.first?.text {
    case "pitfalls": PitfallsRequest(options: try PitfallsOptions.parse(options))
    case "schedule": ScheduleRequest(options: try ScheduleOptions.parse(options))
    default: try request(from: options)
    }
  }

  static func help(for words: [RawArgument], isBrief: Bool) -> String {
    switch words.first?.text {
    case "pitfalls":
      page(
        "weir demo pitfalls [NAME|all] [OPTION ...]",
        isBrief ? PitfallsOptions.brief : PitfallsOptions.help, pitfallsEnding, isBrief: isBrief)
    case "schedule":
      page(
        "weir demo schedule [LEVEL] [OPTION ...]",
        isBrief ? ScheduleOptions.brief : ScheduleOptions.help, scheduleEnding, isBrief: isBrief)
    default:
      demoHelp(words.first?.text ?? "", isBrief: isBrief) ?? (isBrief ? brief : helpPage)
    }
  }

  /// The page of a demo; `nil` if it has none.
  private static func demoHelp(_ name: String, isBrief: Bool) -> String? {
    guard !isBrief, name != "loops", let demo = Demo.named(name) else { return nil }
    let questions = demo.questions.map { question in
      TextWidth.lines(
        of: "  \(question.name.uppercased()): \(question.text)", columns: 80, indent: 4
      ).joined(separator: "\n")
    }.joined(separator: "\n")
    return page(
      "weir demo \(demo.name) [OPTION ...]",
      """
      \(TextWidth.lines(of: demo.abstract, columns: 80).joined(separator: "\n"))

      \(knobHelp(of: demo))

      The questions, in the order of --predict:
      \(questions)

      \(DemoViewOptions.help)
      """, demoEnding, isBrief: false)
  }

  private static let demoEnding = """
    Exit status:
      0  Success, even if a prediction was wrong
      1  A promise of the demo did not hold
      2  Usage error, or the output could not be written
    """

  private static func page(
    _ usage: String, _ options: String, _ ending: String, isBrief: Bool
  ) -> String {
    isBrief
      ? "usage: \(usage)\n\(options)\n\(OptionTable.commonBrief)"
      : "usage: \(usage)\n\n\(options)\n\n\(OptionTable.commonHelp)\n\n\(ending)"
  }

  private static let pitfallsEnding = """
    Exit status:
      0  The mistake broke as described, or did not show, and the fix works
      1  Neither
      2  Usage error, or the output could not be written

    Examples:
      weir demo pitfalls
      weir demo pitfalls missing-leave --predict silence
      weir demo pitfalls all --plain
    """

  private static let scheduleEnding = """
    Exit status:
      0  Success; with --steps, the goal is reached
      1  With --steps, the goal is not reached
      2  Usage error, or the output could not be written

    Examples:
      weir demo schedule
      weir demo schedule 3 --solution
      weir demo schedule 1 --steps 1,1,2
      weir demo schedule --html schedule.html
    """
}

/// The options of `demo pitfalls`.
private struct PitfallsRequest: VerbRequest {
  let options: PitfallsOptions

  func run(_ operands: Operands) throws {
    try PitfallsDemo(options, Array(operands.names.dropFirst())).run()
  }
}

/// The options of `demo schedule`.
private struct ScheduleRequest: VerbRequest {
  let options: ScheduleOptions

  func run(_ operands: Operands) throws {
    try ScheduleDemo(options, Array(operands.names.dropFirst())).run()
  }
}
