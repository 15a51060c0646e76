// The levels of the game as one self-contained page: no network, no framework.
//
// DESIGN. The page has all states of each level and the steps between them, as ScheduleGraph
// lists them. Its script follows these steps and knows no operation, so the page cannot differ
// from the machine.

/// The game as a page for a browser.
public enum ScheduleHTML {
  /// The levels as a JSON array, with all states of each level and the steps between them. The text
  /// can stand in a script element.
  ///
  /// A node is a state: the next line and the condition of each thread, the shared values, 1 if the
  /// goal is reached, and the steps. A step is a thread, the index of its node, and a note.
  public static var levels: String {
    "[\n\(ScheduleLevel.all.map { json($0) }.joined(separator: ",\n"))\n]"
  }

  /// Returns the page.
  public static func page() -> String {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>You are the scheduler</title>
      <style>
      \(ScheduleStyle.text)
      </style>
      </head>
      <body>
      \(body)
      <script type="application/json" id="levels">\(levels)</script>
      <script>
      \(ScheduleScript.text)
      </script>
      </body>
      </html>

      """
  }

  private static let body = """
    <header>
    <h1>You are the scheduler</h1>
    <p>Concurrent code breaks if its steps come in an order that nobody thought of. Find that order:
    click the thread that takes the next step, or press its number. The machine is simulated, and
    each level ends with a command that shows the same for real.</p>
    <nav id="tabs" aria-label="Levels"></nav>
    </header>
    <noscript><p class="banner missed">The game needs JavaScript. In a terminal it needs none:
    <code>weir-demo schedule</code></p></noscript>
    <main hidden>
    <section class="goal" aria-labelledby="title">
    <p class="eyebrow" id="number"></p>
    <h2 id="title" tabindex="-1"></h2>
    <p id="goal"></p>
    <p id="hint" class="hint" hidden></p>
    </section>
    <div id="banner" class="banner" hidden></div>
    <div class="table">
    <section class="threads" aria-label="Threads"><div id="threads"></div></section>
    <section class="shared" aria-labelledby="sharedtitle">
    <h3 id="sharedtitle">Shared state</h3><dl id="values"></dl></section>
    <section class="history" aria-labelledby="historytitle">
    <h3 id="historytitle">Steps so far</h3>
    <p id="none">None yet.</p><ol id="steps"></ol></section>
    </div>
    <div class="controls" role="group" aria-label="Controls">
    <button id="undo" aria-keyshortcuts="u"><kbd>u</kbd> Undo</button>
    <button id="restart" aria-keyshortcuts="r"><kbd>r</kbd> Restart</button>
    <button id="help" aria-keyshortcuts="h" aria-expanded="false" aria-controls="hint">\
    <kbd>h</kbd> Hint</button>
    <details id="spoiler"><summary>A shortest schedule</summary><p id="solution"></p></details>
    </div>
    <p id="live" class="hidden" role="status" aria-live="polite"></p>
    </main>
    """

  // MARK: - The levels as data

  private static func json(_ level: ScheduleLevel) -> String {
    let graph = ScheduleGraph(level)
    let threads = level.threads.map { thread in
      "{\"name\":\(quoted(thread.name)),\"lines\":\(array(thread.lines.map { quoted($0.code) }))}"
    }
    let solution = (graph.solution ?? []).map { String($0 + 1) }
    let members = [
      "\"number\":\(level.number)", "\"title\":\(quoted(level.title))",
      "\"goal\":\(quoted(level.goal))", "\"hint\":\(quoted(level.hint))",
      "\"lesson\":\(quoted(level.lesson))", "\"pitfall\":\(quoted(level.pitfall))",
      "\"threads\":\(array(threads))",
      "\"names\":\(array(level.values(in: level.start).map { quoted($0.name) }))",
      "\"solution\":\(array(solution))",
      "\"nodes\":[\n\(graph.nodes.map { json($0, level) }.joined(separator: ",\n"))]",
    ]
    return "{\(members.joined(separator: ",\n"))}"
  }

  /// Returns a state: the next lines, the conditions, the shared values, the goal, the steps.
  private static func json(_ node: ScheduleGraph.Node, _ level: ScheduleLevel) -> String {
    let conditions = level.threads.indices.map { thread in
      quoted(level.condition(of: thread, in: node.state).rawValue)
    }
    let steps = node.steps.map { "[\($0.thread),\($0.node),\(quoted($0.note))]" }
    return "[\(array(node.state.positions.map { String($0) })),\(array(conditions)),"
      + "\(array(level.values(in: node.state).map { quoted($0.value) })),"
      + "\(node.isReached ? 1 : 0),\(array(steps))]"
  }

  private static func array(_ elements: [String]) -> String {
    "[\(elements.joined(separator: ","))]"
  }

  /// Returns a string of JSON that can stand in a script element.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text {
      switch character {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "<": quoted += "\\u003c"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }
}
