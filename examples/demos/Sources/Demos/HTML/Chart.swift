// The timeline of a run as a picture: a static SVG and, beside it, the names of its rows.
//
// Places along the time are percentages, so the picture takes any width while text and rows keep
// their size. Each bar carries what the script needs: the events at which it begins and ends.

/// The picture of a timeline.
struct Chart {
  private static let mostTasks = 80
  private static let mostThreads = 64
  private static let mostMarks = 300
  // The widths of the plot for which the texts of the bars are chosen.
  private static let nominalWidth = 640.0
  private static let narrowWidth = 250.0

  let timeline: Timeline
  let scale: TimeScale
  private var names = ""
  private var drawing = ""
  private var height = 0
  /// The number of rows that are left out.
  private(set) var hiddenRows = 0

  init(_ timeline: Timeline) {
    self.timeline = timeline
    let isOpen = (timeline.threads.map(\.slices) + timeline.tasks.map(\.slices))
      .contains { $0.contains { $0.end == nil } }
    scale = TimeScale(duration: timeline.duration, hasOpenEnds: isOpen)
    draw()
  }

  /// The chart as HTML.
  var html: String {
    let threads = timeline.threads.count
    let tasks = timeline.tasks.count
    return """
      <div class="chart"><div class="names">\(names)</div><div class="plot">
      <svg id="timeline" xmlns="http://www.w3.org/2000/svg" width="100%" height="\(height)" \
      role="img" aria-label="Timeline: \(threads) thread\(threads == 1 ? "" : "s"), \
      \(tasks) task\(tasks == 1 ? "" : "s"), \(HTMLText.escape(time(timeline.duration)))" \
      data-span="\(scale.span)">
      \(Self.patterns)\(drawing)\
      <line id="cursor" x1="0%" x2="0%" y1="0" y2="\(height)"/></svg></div></div>
      """
  }

  private static let patterns = """
    <defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)"><rect width="7" height="7" class="hatch-ground"/>\
    <rect width="2.4" height="7" class="hatch-line"/></pattern></defs>
    """

  func time(_ time: UInt64) -> String { TimeScale.text(time, unit: scale.span) }

  // MARK: - Rows

  private mutating func draw() {
    let axis = AxisDrawing(scale: scale)
    name("", "axis", 24)
    drawMarks()
    let threads = timeline.threads.prefix(Self.mostThreads)
    // The blocks of the main queue are many and short: they share a row.
    let main = timeline.tasks.filter { $0.label == "main" && !$0.isWait }
    let others = timeline.tasks.filter { $0.label != "main" || $0.isWait }
    let tasks = others.prefix(Self.mostTasks)
    hiddenRows = timeline.threads.count - threads.count + others.count - tasks.count
    let isDense = threads.count + tasks.count > 60
    if !threads.isEmpty { heading("Threads") }
    for (index, row) in threads.enumerated() {
      drawRow(row.name, "h\(index)", row.number, row.slices, isThread: true, isDense: isDense)
    }
    if tasks.count > 30 { drawCurves() }  // or they would be far from the axis
    if !tasks.isEmpty { heading("Tasks") }
    for (index, row) in tasks.enumerated() {
      let number = row.isWait ? nil : row.number
      drawRow(row.name, "k\(index)", number, row.slices, isThread: false, isDense: isDense)
    }
    if !main.isEmpty {
      let slices = main.flatMap(\.slices).sorted { $0.begin < $1.begin }
      drawRow("main queue", "k\(tasks.count)", nil, slices, isThread: false, isDense: isDense)
    }
    if tasks.count <= 30 { drawCurves() }
    height += 6
    drawing = axis.labels + axis.grid(height: height) + drawing
  }

  private mutating func name(_ content: String, _ kind: String, _ size: Int) {
    names += "<div class=\"name \(kind)\" style=\"height:\(size)px\">\(content)</div>"
    height += size
  }

  private mutating func heading(_ text: String) {
    name(text, "heading", 30)
  }

  private mutating func drawMarks() {
    guard !timeline.marks.isEmpty else { return }
    for mark in timeline.marks.prefix(Self.mostMarks) {
      let label = HTMLText.label(mark.label)
      drawing += """
        <svg class="mark" x="\(scale.percent(mark.time))" y="\(height)" overflow="visible">\
        <title>\(label), \(time(mark.time))</title><path d="M-5 5h10l-5 9z"/></svg>
        """
    }
    name("notes", "label", 20)
  }

  private mutating func drawRow(
    _ title: String, _ identity: String, _ number: Int?, _ slices: [Timeline.Slice],
    isThread: Bool, isDense: Bool
  ) {
    let size = isDense ? 17 : 24
    let label = HTMLText.label(title, most: 40)
    let kind = isThread ? "thread" : "task"
    drawing += "<g class=\"row \(kind)\" data-row=\"\(identity)\""
    drawing += number.map { " data-\(isThread ? "thread" : "number")=\"\($0)\">" } ?? ">"
    drawing += "<rect class=\"track\" x=\"0\" width=\"100%\" y=\"\(height + size / 2)\"/>"
    for (place, slice) in slices.enumerated() {
      drawBar(slice, isThread: isThread, top: height + 3, size: size - 6)
      if size >= 20 {
        drawWords(slice, above: slices[(place + 1)...], isThread, top: height + 3, size: size - 6)
      }
    }
    if isThread, let number { drawPoints(number, bottom: height + size - 1) }
    drawing += "</g>"
    name(
      "<span data-name=\"\(identity)\" title=\"\(label)\">\(label)</span>", "label \(kind)", size)
  }

  private mutating func drawBar(
    _ slice: Timeline.Slice, isThread: Bool, top: Int, size: Int
  ) {
    let words = BarWords(slice, timeline: timeline, isThread: isThread)
    let inset = slice.kind == .running ? min(slice.depth, 3) * 2 : 0
    let end = slice.end ?? scale.span
    let x = scale.percent(slice.begin)
    let width = HTMLText.decimal(scale.share(slice.begin, end) * 100, places: 3)
    var classes = "bar \(slice.kind.rawValue)"
    if slice.end == nil { classes += " open" }
    if slice.ending == .timedOut || slice.ending == .cancelled { classes += " failed" }
    drawing += """
      <rect class="\(classes)" x="\(x)" y="\(top + inset)" width="\(width)%" \
      height="\(size - 2 * inset)" rx="2.5" data-a="\(slice.firstEvent)"
      """
    if let last = slice.lastEvent { drawing += " data-z=\"\(last)\"" }
    if let ending = slice.ending, ending != .done { drawing += " data-e=\"\(ending.rawValue)\"" }
    if isThread, let row = slice.row { drawing += " data-r=\"k\(row)\"" }
    drawing += " data-n=\"\(words.subject)\"><title>"
    drawing += "\(words.sentence), \(time(slice.begin)) to "
    drawing += slice.end.map { "\(time($0)) (\(time($0 - slice.begin)))" } ?? "the end"
    drawing += "</title></rect>"
  }

  /// Draws the words of a bar, in the longest part that no later bar covers.
  private mutating func drawWords(
    _ slice: Timeline.Slice, above: ArraySlice<Timeline.Slice>, _ isThread: Bool, top: Int,
    size: Int
  ) {
    let last = slice.end ?? scale.span
    var best = (begin: slice.begin, end: slice.begin)
    var begin = slice.begin
    for cover in above {
      if cover.begin >= last { break }
      if cover.begin > begin, cover.begin - begin > best.end - best.begin {
        best = (begin, cover.begin)
      }
      begin = max(begin, cover.end ?? scale.span)
    }
    if begin < last, last - begin > best.end - best.begin { best = (begin, last) }
    let share = scale.share(best.begin, best.end)
    let words = BarWords(slice, timeline: timeline, isThread: isThread)
    let wide = words.text(room: share * Self.nominalWidth - 8)
    let narrow = words.text(room: share * Self.narrowWidth - 8)
    guard let wide else { return }
    let kind = slice.kind.rawValue
    let place = "x=\"5\" y=\"\(size - 5)\""
    drawing += """
      <svg class="word" x="\(scale.percent(best.begin))" y="\(top)" \
      width="\(HTMLText.decimal(share * 100, places: 3))%" height="\(size)">\
      <text class="\(kind)\(narrow == wide ? "" : " wide")" \(place)>\(wide)</text>
      """
    if let narrow, narrow != wide {
      drawing += "<text class=\"\(kind) narrow\" \(place)>\(narrow)</text>"
    }
    drawing += "</svg>"
  }

  /// Draws a tick for each moment at which a thread submits, signals, enters or leaves.
  private mutating func drawPoints(_ thread: Int, bottom: Int) {
    for event in timeline.log.events where event.thread == thread {
      switch event.kind {
      case .submit, .signal, .enter, .leave:
        let x = scale.percent(event.time)
        drawing += """
          <line class="point \(event.kind.rawValue)" x1="\(x)" x2="\(x)" y1="\(bottom - 4)" \
          y2="\(bottom)"/>
          """
      default: break
      }
    }
  }

  private mutating func drawCurves() {
    let curves = timeline.curves.filter { $0.steps.count > 1 || $0.peak > 0 }
    if !curves.isEmpty { heading("Counts") }
    for curve in curves.prefix(24) {
      drawCurve(curve)
    }
  }

  private mutating func drawCurve(_ curve: Timeline.Curve) {
    let size = 40
    let drawn = CurveDrawing(curve, scale: scale)
    drawing += """
      <g class="curve \(curve.measure.rawValue)"><svg x="0" y="\(height + 6)" width="100%" \
      height="\(size - 10)" viewBox="0 0 1000 100" preserveAspectRatio="none" \
      overflow="visible"><title>\(HTMLText.label(curve.name)): \(drawn.summary)</title>\
      <path class="area" d="\(drawn.area)"/><path class="line" d="\(drawn.line)"/></svg></g>
      """
    let label = HTMLText.label(curve.name, most: 60)
    let subject = HTMLText.label(curve.subject, most: 40)
    let measure =
      switch curve.measure {
      case .blocked: "waiting"
      case .inUse: "in use"
      default: curve.measure.rawValue
      }
    name(
      """
      <span title="\(label)" data-curve="\(label)" data-steps="\(drawn.steps)">\(subject)</span>\
      <b>\(measure) <span class="value"></span> <span class="most">max \(curve.peak)</span></b>
      """, "count \(curve.measure.rawValue)", size)
  }
}
