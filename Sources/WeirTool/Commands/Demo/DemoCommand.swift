// The verb `demo`: concurrency to predict, to watch and to try out.

internal import ArgumentParser
internal import Demos

struct DemoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Watch concurrency, and experiment with it.")

  @Argument(
    help: ArgumentHelp("The demo; without a name, list the demos.", valueName: "name"),
    completion: .list(DemoCommand.names))
  var names: [RawArgument] = []

  @OptionGroup var loops: LoopsOptions
  @OptionGroup var knobs: KnobOptions
  @OptionGroup var view: DemoViewOptions

  static let names = Demo.all.map(\.name) + ["pitfalls", "schedule", "view"]

  static let optionTable =
    LoopsOptions.table + KnobOptions.table + DemoViewOptions.table + .common

  static let brief = """
    usage: weir demo
           weir demo NAME [OPTION ...]
           weir demo pitfalls [NAME|all] [OPTION ...]
           weir demo schedule [LEVEL] [OPTION ...]
           weir demo view FILE --html FILE
          --predict LIST     Compare this prediction, and ask no questions
          --score            Write a JSON line that marks the prediction
          --virtual          Simulate threads and time
          --speed N          Seconds of the demo in a second
          --watchdog S       Time limit of a run
          --html FILE        Write a page with the timeline
          --trace FILE       Record the run in FILE, for ui.perfetto.dev
          --format FORMAT    Write text or json [default: text]
          --plain            Write lines, and draw nothing
          --all-events       Show every event of the log
          --color WHEN       Color the view: auto, always or never [default: auto]
          --language LANG    Language of the downloads: en or zh [default: en]
    \(OptionTable.commonBrief)
    The other options depend on the demo: see weir demo --help.
    """

  static var helpPage: String {
    """
    usage: weir demo
           weir demo NAME [OPTION ...]
           weir demo pitfalls [NAME|all] [OPTION ...]
           weir demo schedule [LEVEL] [OPTION ...]
           weir demo view FILE --html FILE

    Watch concurrency, and experiment with it: predict a run, watch it, compare.
    Without a name, list the demos, in the order of a course:

    \(list)

    pitfalls and schedule have options of their own: see weir demo pitfalls --help
    and weir demo schedule --help.

    view FILE: Write the page of a recording (JSON lines of Weir's recorder) to
    --html.

    \(DemoViewOptions.help)

    Options of each demo:
    \(knobHelp)

    \(LoopsOptions.help)

    \(OptionTable.commonHelp)

    Exit status:
      0  Success, even if a prediction was wrong
      1  A promise of the demo did not hold
      2  Usage error, or the output could not be written

    Examples:
      weir demo downloads --virtual
      weir demo downloads --form article --max 10
      weir demo starvation --predict 1.9,0.4
      weir demo images --step 6 --watchdog 10
      weir demo gallery --fail 3 --html gallery.html
      weir demo loops --predict 25,6ms
    """
  }

  /// The demos, one per line.
  private static var list: String {
    let rows =
      Demo.all.map { ($0.name, $0.abstract) } + [
        ("pitfalls", "Mistakes that deadlock, trap or lose results, and the same code fixed."),
        ("schedule", "A game: choose the thread that steps, and reach the deadlock."),
      ]
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { name, abstract in
      let blanks = String(repeating: " ", count: width - name.count)
      return TextWidth.lines(of: "  \(name)\(blanks)\(abstract)", columns: 80, indent: width + 2)
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The knobs of each demo but loops, whose section follows.
  private static var knobHelp: String {
    Demo.all.filter { $0.name != "loops" }.map { "  \($0.name)\n" + knobHelp(of: $0) }
      .joined(separator: "\n")
  }

  /// The knobs of a demo, one an entry.
  static func knobHelp(of demo: Demo) -> String {
    demo.knobs.map { knob in
      let value = knob.valueName
      let name = "    --\(knob.name)\(value.isEmpty ? "" : " ")\(value)"
      let text = name.padded(to: 25) + knob.help + knob.values
      return TextWidth.lines(of: text, columns: 80, indent: 25).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  // MARK: - The run

  func run(_ operands: Operands) throws {
    guard let name = operands.names.first else {
      if !operands.rest.isEmpty {
        throw UsageError("options need the name of a demo; weir demo lists the demos")
      }
      return try listDemos()
    }
    if name.text == "view" { return try DemoView(operands.names.dropFirst(), view).run() }
    guard let demo = Demo.named(name.text) else {
      throw UsageError(
        "no demo is called ", name,
        UsageError.suggestion(for: name.text, among: DemoCommand.names))
    }
    if operands.names.count > 1 {
      throw UsageError("unexpected operand ", operands.names[1])
    }
    if demo.name == "loops" && !usesDemoViews { return try LoopsDemo(loops).run() }
    let session = try DemoSession(demo, self)
    try DemoMainQueue.run { try session.run() }
  }

  /// True if the loop is to be shown as the other demos are, and not form by form.
  private var usesDemoViews: Bool {
    !knobs.given.isEmpty || view.virtual || view.score || view.html != nil || view.showsAllEvents
  }

  private func listDemos() throws {
    let console = Console()
    let text =
      "\(DemoCommand.list)\n\nBegin with weir demo queues --virtual. See weir demo NAME --help for the options.\n"
    try console.write(Array(text.utf8))
    try console.closeOutput()
  }
}

extension Knob {
  /// The value's name in the help.
  fileprivate var valueName: String {
    switch kind {
    case .number: "N"
    case .seconds: "S"
    case .choice: "WORD"
    case .flag: ""
    }
  }

  /// The values and the default, for the help.
  fileprivate var values: String {
    var text =
      switch kind {
      case .number(let range): ", \(range.lowerBound) to \(range.upperBound)"
      case .seconds(let range): ", \(range.lowerBound) to \(range.upperBound)"
      case .choice(let choices): ": \(choices.joined(separator: ", "))"
      case .flag: ""
      }
    if !defaultValue.isEmpty { text += " [default: \(defaultValue)]" }
    return text
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    count >= width ? self + " " : self + String(repeating: " ", count: width - count)
  }
}
