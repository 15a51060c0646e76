// A run as one HTML file that needs nothing else.
//
// DESIGN. The page is complete without its script: text, tables, listings and a static SVG. The
// script adds the cursor, and finds all it needs in the elements of the page. A policy in the page
// forbids every request. A log of more than `mostEvents` events is cut, since a page of many
// megabytes takes seconds to open; the page says so.

/// The page of a run.
public enum HTMLReport {
  /// The number of events that a page shows.
  public static let mostEvents = 3000

  /// Returns one self-contained page of HTML for a run.
  ///
  /// - Parameters:
  ///   - report: The words.
  ///   - log: The events of the run. Only the first `mostEvents` are shown.
  public static func page(_ report: DemoReport, _ log: TraceLog) -> String {
    var shown = log
    shown.events = Array(log.events.prefix(mostEvents))
    let timeline = Timeline(shown)
    let chart = Chart(timeline)
    var page = head(report)
    page += header(report)
    page += "<main>\n"
    page += questions(report)
    page += run(chart, log, isSimulated: report.isSimulated)
    page += cursor(report)
    page += report.extra.map { "<section class=\"extra\">\($0)</section>\n" } ?? ""
    page += notes(report)
    page += events(shown, timeline, chart, total: log.events.count)
    page += "</main>\n"
    page += script(shown)
    return page + "</body>\n</html>\n"
  }

  // MARK: - Parts

  private static func head(_ report: DemoReport) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(HTMLText.escape(report.title))</title>
    <link rel="icon" href="data:,">
    <style>
    \(HTMLStyle.page)
    \(HTMLStyle.chart)
    </style>
    </head>
    <body>

    """
  }

  private static func header(_ report: DemoReport) -> String {
    var html = "<header>\n<p class=\"command\"><code>\(HTMLText.escape(report.subtitle))</code>"
    if report.isSimulated {
      html += " <span class=\"badge\">simulated, not measured</span>"
    }
    html += "</p>\n<h1>\(HTMLText.escape(report.title))</h1>\n"
    if !report.verdict.isEmpty {
      html += "<p class=\"verdict\">\(HTMLText.rich(report.verdict))</p>\n"
    }
    return html + "</header>\n"
  }

  private static func questions(_ report: DemoReport) -> String {
    guard !report.questions.isEmpty else { return "" }
    let isPredicted = report.questions.contains { $0.predicted != nil }
    let title = isPredicted ? "Predicted, and what happened" : "What happened"
    var html = """
      <section aria-labelledby="questions-title"><h2 id="questions-title">\(title)</h2>
      <div class="scroll"><table class="questions"><caption class="hidden">\(title)</caption>
      <thead><tr><th scope="col">Question</th>\
      \(isPredicted ? "<th scope=\"col\">Predicted</th>" : "")<th scope="col">Happened</th>\
      \(isPredicted ? "<th scope=\"col\">Prediction</th>" : "")</tr></thead><tbody>

      """
    for question in report.questions {
      let unit = question.unit.isEmpty ? "" : " <small>\(HTMLText.escape(question.unit))</small>"
      html += "<tr><th scope=\"row\">\(HTMLText.escape(question.text))</th>"
      if isPredicted {
        let predicted = question.predicted.map { HTMLText.escape($0) + unit } ?? "–"
        html += "<td class=\"number\">\(predicted)</td>"
      }
      let actual = HTMLText.escape(question.actual)
      html += "<td class=\"number\"><strong>\(actual)</strong>\(unit)</td>"
      if isPredicted {
        let mark =
          switch question.isRight {
          case true?: "<span class=\"right\">✓ right</span>"
          case false?: "<span class=\"wrong\">✗ differs</span>"
          case nil: "–"
          }
        html += "<td>\(mark)</td>"
      }
      html += "</tr>\n"
    }
    return html + "</tbody></table></div></section>\n"
  }

  private static func run(_ chart: Chart, _ log: TraceLog, isSimulated: Bool) -> String {
    var remark = ""
    if log.events.count > mostEvents {
      remark += """
        The page shows the first \(HTMLText.count(mostEvents)) events, up to \
        \(chart.time(chart.timeline.duration)). \
        \(HTMLText.count(log.events.count - mostEvents)) later events are left out. 
        """
    }
    if chart.hiddenRows > 0 { remark += "\(HTMLText.count(chart.hiddenRows)) rows are left out. " }
    if log.events.isEmpty { remark += "The log has no events. " }
    if log.isCutOff { remark += "The last line of the log was cut off. " }
    let legend = [("running", "R"), ("waiting", "W"), ("suspended", "S"), ("queued", "Q")].map { kind, letter in
      """
      <li><svg width="30" height="16" aria-hidden="true"><rect class="bar \(kind)" x="1" y="1" \
      width="28" height="14" rx="2.5"/><text class="\(kind)" x="6" y="12">\(letter)</text></svg> \
      \(kind)</li>
      """
    }.joined()
    return """
      <section class="run" id="run" aria-labelledby="run-title">
      <div class="title"><h2 id="run-title">The run</h2><ul class="legend">\(legend)</ul></div>
      \(remark.isEmpty ? "" : "<p class=\"remark\">\(remark)</p>")
      <div class="controls" id="controls" hidden>
      <div class="buttons" role="group" aria-label="Steps">
      <button type="button" data-step="first" title="First event (Home)" aria-label="First event">\
      \(icon("M4 3v10M13 3 6.5 8l6.5 5z"))</button>
      <button type="button" data-step="back" title="Previous event (left arrow)" \
      aria-label="Previous event">\(icon("M11 3 4.5 8l6.5 5z"))</button>
      <button type="button" data-step="play" title="Play or pause (space)" aria-label="Play" \
      class="play">\(icon("M5 3v10l8-5z"))</button>
      <button type="button" data-step="next" title="Next event (right arrow)" \
      aria-label="Next event">\(icon("M5 3l6.5 5L5 13z"))</button>
      <button type="button" data-step="last" title="Last event (End)" aria-label="Last event">\
      \(icon("M12 3v10M3 3l6.5 5L3 13z"))</button>
      </div>
      <p id="now" aria-live="polite"></p>
      <div class="scrub"><label class="hidden" for="scrubber">Time in the run</label>
      <input type="range" id="scrubber" min="0" max="1000000" step="1" value="0"></div>
      </div>
      \(log.events.isEmpty ? "" : chart.html)
      </section>

      """
  }

  private static func icon(_ path: String) -> String {
    "<svg width=\"16\" height=\"16\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
  }

  private static func cursor(_ report: DemoReport) -> String {
    let code = CodeView(listings: report.code).html
    let codeSection =
      code.isEmpty
      ? ""
      : """
      <section class="listing" aria-labelledby="code-title"><h2 id="code-title">The code</h2>
      \(code)</section>

      """
    return """
      <div class="pair">
      \(codeSection)<section class="state" id="state" aria-labelledby="state-title" hidden>
      <h2 id="state-title">At the cursor</h2>
      <dl id="counters" aria-live="polite"></dl>
      <h3>Threads</h3><ul id="threads" class="states" aria-live="polite"></ul>
      <h3>Tasks</h3><ul id="tasks" class="states" aria-live="polite"></ul>
      </section>
      </div>

      """
  }

  private static func notes(_ report: DemoReport) -> String {
    var html = ""
    if !report.notes.isEmpty {
      html += "<section aria-labelledby=\"notes-title\"><h2 id=\"notes-title\">Remarks</h2>\n"
      html += report.notes.map { "<p>\(HTMLText.rich($0))</p>\n" }.joined()
      html += "</section>\n"
    }
    if !report.next.isEmpty {
      html += """
        <section class="next" aria-labelledby="next-title"><h2 id="next-title">Try next</h2>
        <p>\(HTMLText.rich(report.next))</p></section>

        """
    }
    return html
  }

  private static func events(
    _ log: TraceLog, _ timeline: Timeline, _ chart: Chart, total: Int
  ) -> String {
    let names = timeline.threads.map { ($0.number, $0.name) }
    let table = EventTable(
      events: log.events[...],
      threadNames: Dictionary(names, uniquingKeysWith: { first, _ in first }), scale: chart.scale)
    let isAll = total == log.events.count
    let count = isAll ? "" : " the first \(HTMLText.count(log.events.count)) of"
    return """
      <section class="events" aria-label="Events"><details>
      <summary>All events as a table (\(isAll ? "" : count + " ")\(HTMLText.count(total)))</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="Table of events"><table>
      <caption>The events of the run, in the order of time</caption>
      <thead><tr><th scope="col">No.</th><th scope="col">Time</th><th scope="col">Thread</th>\
      <th scope="col">Event</th><th scope="col">Object</th><th scope="col">Task</th>\
      <th scope="col">Detail</th></tr></thead>
      <tbody>
      \(table.rows)</tbody></table></div></details></section>

      """
  }

  private static func script(_ log: TraceLog) -> String {
    guard !log.events.isEmpty else { return "" }
    var json = "["
    for (index, event) in log.events.enumerated() {
      json += index == 0 ? "\n" : ",\n"
      event.write(to: &json)
    }
    return """
      <script type="application/json" id="log">\(json)
      ]</script>
      <script>
      \(HTMLScript.state)
      \(HTMLScript.controls)
      </script>

      """
  }
}
