// The screen that the program of a tutorial would show at the end of a run, computed from the log.

/// The lists and the grid of the tutorials, as HTML. The pictures are drawn by their number.
public enum PictureView {
  /// Returns the screen of a demo that has one.
  public static func html(_ demo: Demo, _ values: KnobValues, _ log: TraceLog) -> String? {
    let (title, body): (String, String)
    switch demo.name {
    case "downloads": (title, body) = ("The screen at the end", downloads(log))
    case "images": (title, body) = ("The screen at the end", images(log))
    case "gallery": (title, body) = (Gallery.title, gallery(log))
    default: return nil
    }
    return "<style>\(style)</style>\n<h2>\(HTMLText.escape(title))</h2>\n\(body)"
  }

  private static let style = """
    .screen-rows { list-style: none; padding: 0; margin: 0; max-width: 26rem; }
    .screen-rows li { display: flex; gap: .8rem; align-items: center; min-height: 2.6rem;
      border-bottom: 1px solid var(--rule); }
    .screen-rows svg { width: 2rem; height: 2rem; }
    .screen-rows .wide svg { width: 3.2rem; height: 2.2rem; }
    .screen-rows progress { width: 6rem; }
    .screen-lists { display: flex; flex-wrap: wrap; gap: 0 3rem; }
    .screen-lists > div { flex: 1 1 16rem; }
    .screen-alert { border: 1px solid var(--rule); border-radius: .8rem; padding: 1rem 1.4rem;
      max-width: 22rem; text-align: center; background: var(--card); }
    .screen-alert span { color: var(--accent); }
    .screen-grid { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; max-width: 26rem; }
    .screen-grid figure { margin: 0; text-align: center; }
    .screen-grid svg { height: 150px; }
    .screen-grid .nothing { height: 150px; border: 1px dashed var(--faint); }
    """

  /// The drawing of a picture, without the name space that a page does not need.
  private static func drawing(_ id: Int) -> String {
    let text = Picture(id: id).svg
    guard let start = text.firstRange(of: "viewBox") else { return "" }
    let body = text[start.lowerBound...].replacing(" id=\"p\(id)\"", with: "")
    return "<svg role=\"img\" aria-label=\"picture \(id)\" \(body)"
  }

  // MARK: - Downloads

  private static func downloads(_ log: TraceLog) -> String {
    let ids = log.numbers("pending")
    var lists = Lists(downloads: ids.map { Lists.Row(id: $0, state: .pending) })
    for event in log.events where event.kind == .note {
      guard let id = event.task else { continue }
      switch event.label {
      case "progress": lists.show(.inProgress(event.value), of: id)
      case "completed": lists.show(.completed, of: id)
      default: break
      }
    }
    var html = "<div class=\"screen-lists\">"
    html += list(lists.downloadsTitle, lists.downloads)
    html += list(lists.completedTitle, lists.completed)
    html += "</div>\n"
    if !log.notes("alert").isEmpty {
      html += "<p class=\"screen-alert\"><strong>Info</strong><br>"
      html += "\(HTMLText.escape(JobList.closingMessage))<br><span>OK</span></p>\n"
    }
    return html
  }

  private static func list(_ title: String, _ rows: [Lists.Row]) -> String {
    let items = rows.map { row in
      let picture = row.picture.map { drawing($0.id) } ?? ""
      let bar = row.state.percentage.map { percentage in
        "<progress max=\"100\" value=\"\(percentage)\"></progress> \(percentage) %"
      }
      return "<li>\(picture)<span>\(HTMLText.escape(row.text))</span>\(bar ?? "")</li>"
    }
    return "<div><h3>\(title)</h3><ul class=\"screen-rows\">\(items.joined())</ul></div>"
  }

  // MARK: - Images and gallery

  private static func images(_ log: TraceLog) -> String {
    let shown = Set(log.numbers("picture"))
    let fetching = log.numbers("request").count - log.numbers("response").count
    let count = max(log.numbers("START").max() ?? 0, shown.max() ?? 0)
    guard count > 0 else { return "<p>A blank screen.</p>" }
    let items = (1...count).map { id in
      let isShown = shown.contains(id)
      let picture = isShown ? drawing(id) : "<span aria-label=\"no picture yet\">◌</span>"
      return "<li class=\"wide\">\(picture)<span>Image \(id)</span></li>"
    }
    let note = fetching > 0 ? "<p>\(fetching) requests are under way.</p>" : ""
    return "<ul class=\"screen-rows\">\(items.joined())</ul>\n\(note)"
  }

  private static func gallery(_ log: TraceLog) -> String {
    guard let shown = log.notes("SHOWN").last else { return "<p>An empty grid.</p>" }
    let ids = shown.label.split { !$0.isNumber }.compactMap { Int($0) }
    let figures = ids.map { id in
      id == 0
        ? "<figure class=\"nothing\">no picture</figure>"
        : "<figure>\(drawing(id))<figcaption>\(id)</figcaption></figure>"
    }
    return "<div class=\"screen-grid\">\(figures.joined())</div>\n"
  }
}
