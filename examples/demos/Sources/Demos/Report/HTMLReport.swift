// A run as one HTML file that needs nothing else.
//
// DESIGN. The page is made of the board's files: its style sheets, its modules, and its view of the
// demo. This file adds the run as JSON. A policy in the page forbids every request. A log of more
// than `mostEvents` events is cut, since a browser takes seconds to draw so many; the page says so.

internal import FoundationEssentials

/// The page of a run.
public enum HTMLReport {
  /// The number of events that a page shows.
  public static let mostEvents = 5000

  /// Returns one self-contained page of HTML for a run.
  ///
  /// - Parameters:
  ///   - report: The words.
  ///   - log: The events of the run. Only the first `mostEvents` are shown.
  ///   - folder: The folder with the files of the page.
  public static func page(
    _ report: DemoReport, _ log: TraceLog, _ folder: PageFolder
  ) throws(PageError) -> String {
    let view = folder.has("views/\(report.run.demo).js") ? report.run.demo : "generic"
    var script = PageScript(folder)
    try script.add("code/exported.js")
    try script.add("views/\(view).js")
    var style = ""
    for name in ["base", "shell", "timeline", "listings", view, "report"] {
      style += try folder.text("style/\(name).css")
    }
    let start =
      "modules[\"code/exported.js\"].show(modules[\"views/\(view).js\"].default);\n"
    // The data come last: they may hold any text.
    return try folder.text("report.html").replacing("{{style}}", with: style)
      .replacing("{{script}}", with: script.text + start)
      .replacing("{{data}}", with: data(report, log))
  }

  /// The words and the events, a member or an event a line.
  private static func data(_ report: DemoReport, _ log: TraceLog) -> String {
    func json(_ value: some Encodable) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Texts and finite numbers: nothing can fail.
      let bytes = (try? encoder.encode(value)) ?? Data()
      return JSONText.safe(String(decoding: bytes, as: UTF8.self))
    }
    var text = """
      {"run":\(json(report.run)),
      "result":\(json(report.result)),
      "questions":\(json(report.questions)),
      "title":\(json(report.title)),"command":\(json(report.command)),
      "total":\(log.events.count),"isCutOff":\(log.isCutOff),"events":[
      """
    for (index, event) in log.events.prefix(mostEvents).enumerated() {
      text += index == 0 ? "\n" : ",\n"
      event.write(to: &text)
    }
    return text + "\n]}"
  }
}
