// The help of weir-demo, made from the demos and the tables of options.

import Demos

enum Help {
  static var list: [String] {
    rows
      + ["", "Begin with weir-demo queues --virtual. weir-demo NAME --help lists the options."]
  }

  private static var rows: [String] {
    TextLines.table(
      Demo.all.map { ($0.name, $0.abstract) } + [
        ("pitfalls", "Mistakes that deadlock, trap or lose results, and the same code fixed.")
      ])
  }

  private static let statuses = """
    Exit status:
      0  Success, even if a prediction was wrong
      1  A promise of the demo did not hold
      2  Usage error, or the output could not be written
    """

  static var overview: [String] {
    let head = """
      usage: weir-demo
             weir-demo NAME [OPTION ...]
             weir-demo pitfalls [NAME|all] [OPTION ...]

      Watch concurrency, and experiment with it: predict a run, watch it, compare.
      Without a name, list the demos:

      """
    let tail = """

      A run is shown and kept by these options; weir-demo NAME --help lists the knobs
      and the questions of a demo.
      """
    let examples = """

      \(statuses)

      Examples:
        weir-demo downloads --virtual
        weir-demo downloads --form article --max 10
        weir-demo images --step 6 --watchdog 10
        weir-demo gallery --fail 3 --html gallery.html
        weir-demo pitfalls extra-leave
      """
    return [head] + rows + [tail] + Session.options.flatMap(\.lines) + [examples]
  }

  static func page(of demo: Demo) -> [String] {
    ["usage: weir-demo \(demo.name) [OPTION ...]", ""]
      + TextLines.wrap(demo.abstract, columns: 80) + [""]
      + demo.knobs.flatMap { CommandOption($0).lines }
      + ["", "The questions, in the order of --predict:"]
      + demo.questions.flatMap { question in
        TextLines.wrap(
          "  \(question.name.uppercased()): \(question.text)", columns: 80, indent: 4)
      }
      + ["", "How the demo is run and shown:"] + Session.options.flatMap(\.lines)
      + ["", statuses]
  }

  /// The help of the pitfalls.
  static var pitfalls: [String] {
    let head = """
      usage: weir-demo pitfalls [NAME|all] [OPTION ...]
             weir-demo pitfalls NAME broken|fixed

      Run a mistake for real, in a process of its own under a watchdog: the code, what
      one would expect, what happens here, why, the fix, and the same run fixed.
      Without a NAME, list the pitfalls. On a terminal, first ask for a prediction.
      NAME broken and NAME fixed run one version without a watchdog, for a debugger.

      """
    let tail = """

      Exit status:
        0  The mistake broke as described, or did not show, and the fix works
        1  Neither
        2  Usage error, or the output could not be written
      """
    return [head] + PitfallsCommand.options.flatMap(\.lines) + [tail]
  }
}
