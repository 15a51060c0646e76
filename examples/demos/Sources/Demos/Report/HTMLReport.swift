// A run as one HTML file that needs nothing else.
//
// DESIGN. The page is made of the board's files: its style sheets, its modules, and its view of the
// demo. This file adds the run as JSON. A policy in the page forbids every request. A log of more
// than `mostEvents` events is cut, since a browser takes seconds to draw so many; the page says so.

internal import FoundationEssentials

/// The page of a run.
package enum HTMLReport {
  /// The number of events that a page shows.
  package static let mostEvents = 5000

  /// Returns one self-contained page of HTML for a run.
  package static func page(_ result: DemoResult, _ folder: PageFolder) throws(PageError) -> String {
    let name = result.demo.name
    let view = folder.has("views/\(name).js") ? name : "generic"
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
      .replacing("{{data}}", with: data(result))
  }

  private static func data(_ result: DemoResult) -> String {
    func json(_ value: some Encodable) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Texts and finite numbers: nothing can fail.
      let bytes = (try? encoder.encode(value)) ?? Data()
      return JSONText.safe(String(decoding: bytes, as: UTF8.self))
    }
    let (demo, run) = (result.demo, result.run)
    let knobs = demo.knobs.filter { result.values.isGiven($0.name) }
      .map { " --\($0.name)" + ($0.isFlag ? "" : " \(result.values[$0.name])") }.joined()
    let command = "weir-demo \(demo.name)\(knobs)" + (run.isSimulated ? " --virtual" : "")
    let description = RunDescription(
      demo, result.values, isSimulated: run.isSimulated, cores: run.cores)
    var words = RunResult(result, isStopped: false)
    words.next = result.next
    return """
      {"run":\(json(description)),
      "result":\(json(words)),
      "questions":\(json(demo.questions)),
      "title":\(json(demo.abstract)),"command":\(json(command)),
      "total":\(run.log.events.count),"events":\(TraceLog.json(run.log.events.prefix(mostEvents)))}
      """
  }
}
