// The verb `demo`: concurrency to watch and to try out.

internal import ArgumentParser

/// The demos.
enum Demo: String, CaseIterable {
  case loops
  case pitfalls
  case schedule

  /// A description in one line.
  var abstract: String {
    switch self {
    case .loops: "a loop in blocks: how many, on which threads, how fast"
    case .pitfalls: "mistakes that deadlock, trap or lose results, and their fixes"
    case .schedule: "a game: choose the thread that steps, and reach the deadlock"
    }
  }
}

struct DemoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Watch concurrency, and experiment with it.")

  @Argument(
    help: ArgumentHelp("The demo; without a name, list the demos.", valueName: "name"),
    completion: .list(Demo.allCases.map(\.rawValue)))
  var names: [RawArgument] = []

  @OptionGroup var loops: LoopsOptions

  static let optionTable = LoopsOptions.table + .common

  /// Returns the options of the demo that the first word names.
  static func optionTable(for words: [RawArgument]) -> OptionTable {
    switch words.first.flatMap({ Demo(rawValue: $0.text) }) {
    case .pitfalls: PitfallsOptions.table + .common
    case .schedule: ScheduleOptions.table + .common
    default: optionTable
    }
  }

  static func request(
    from options: [String], _ words: [RawArgument]
  ) throws -> any VerbRequest {
    switch words.first.flatMap({ Demo(rawValue: $0.text) }) {
    case .pitfalls: PitfallsRequest(options: try PitfallsOptions.parse(options))
    case .schedule: ScheduleRequest(options: try ScheduleOptions.parse(options))
    default: try request(from: options)
    }
  }

  static let brief = """
    usage: weir demo
           weir demo loops [OPTION ...]
          --count N          Number of indices [default: 100]
          --stride N         Number of indices per block [default: 4]
          --work NS          Work per index, in nanoseconds [default: 100000]
          --predict BLOCKS,TIME  Compare this prediction, and ask no questions
          --plain            Write sentences, and draw nothing
          --color WHEN       Color the bars: auto, always or never [default: auto]
          --format FORMAT    Write text or json [default: text]
          --trace FILE       Record the blocks in FILE, for ui.perfetto.dev
    \(OptionTable.commonBrief)
    """

  static var helpPage: String {
    """
    usage: weir demo
           weir demo loops [OPTION ...]

    Watch concurrency, and experiment with it. Without a name, list the demos:

    \(list)

    \(LoopsOptions.help)

    \(OptionTable.commonHelp)

    Exit status:
      0  Success, even if a prediction was wrong
      2  Usage error, or the output could not be written

    Examples:
      weir demo loops
      weir demo loops --predict 25,6ms
      weir demo loops --count 1000000 --work 20
      weir demo loops --work 1000000 --stride 40 --plain
      weir demo loops --trace loops.json
    """
  }

  /// The demos, one per line.
  private static var list: String {
    let width = (Demo.allCases.map(\.rawValue.count).max() ?? 0) + 2
    return Demo.allCases.map { demo in
      let blanks = String(repeating: " ", count: width - demo.rawValue.count)
      return "  \(demo.rawValue)\(blanks)\(demo.abstract)"
    }.joined(separator: "\n")
  }

  func run(_ operands: Operands) throws {
    guard let name = operands.names.first else {
      if !operands.rest.isEmpty {
        throw UsageError("options need the name of a demo; weir demo lists the demos")
      }
      return try listDemos()
    }
    guard let demo = Demo(rawValue: name.text) else {
      throw UsageError(
        "no demo is called ", name,
        UsageError.suggestion(for: name.text, among: Demo.allCases.map(\.rawValue)))
    }
    if operands.names.count > 1, demo == .loops {
      throw UsageError("unexpected operand ", operands.names[1])
    }
    switch demo {
    case .loops: try LoopsDemo(loops).run()
    case .pitfalls, .schedule: break
    }
  }

  private func listDemos() throws {
    let console = Console()
    let text = "\(DemoCommand.list)\n\nSee weir help demo for their options.\n"
    try console.write(Array(text.utf8))
    try console.closeOutput()
  }
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
