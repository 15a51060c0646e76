// The parts of the chart: the axis, the texts of the bars, the lines of the curves.

/// The axis of time and its grid.
struct AxisDrawing {
  let scale: TimeScale

  var labels: String {
    scale.ticks.reduce(into: "") { text, tick in
      let isLast = scale.share(0, tick.time) > 0.94
      let anchor = tick.time == 0 ? "start" : isLast ? "end" : "middle"
      text += """
        <text class="tick\(tick.isMinor ? " minor" : "")" x="\(scale.percent(tick.time))" y="14" \
        text-anchor="\(anchor)">\(HTMLText.escape(tick.label))</text>
        """
    }
  }

  func grid(height: Int) -> String {
    scale.ticks.reduce(into: "") { text, tick in
      let x = scale.percent(tick.time)
      text += "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"20\" y2=\"\(height)\"/>"
    }
  }
}

/// The texts of a bar.
struct BarWords {
  /// The thing the bar is about: the job for a bar of a thread, the gate for a wait of a job.
  let subject: String
  /// The bar in words.
  let sentence: String
  private let candidates: [String]

  init(_ slice: Timeline.Slice, timeline: Timeline, isThread: Bool) {
    let gate = HTMLText.label(slice.label, most: 40)
    let job = slice.row.map { HTMLText.label(timeline.tasks[$0].name, most: 40) }
    let number = slice.task.map { String($0) } ?? ""
    switch slice.kind {
    case .queued:
      subject = gate
      sentence = "\(job ?? gate) is queued\(Self.ending(slice))"
      candidates = ["Q queued\(Self.ending(slice))", "Q"]
    case .waiting:
      subject = isThread && job != nil ? "\(gate) (\(job ?? ""))" : gate
      let actor = isThread ? job.map { "thread waits in \($0)" } ?? "thread waits" : nil
      sentence = (actor ?? "\(job ?? gate) waits") + " for \(gate)\(Self.ending(slice))"
      candidates = [
        "W \(isThread ? number + " waits for " : "waits for ")\(gate)\(Self.ending(slice))",
        isThread ? "W \(number)" : "W \(gate)", "W",
      ]
    case .suspended:
      subject = gate
      let hold = timeline.holds.last { $0.row == slice.row && $0.begin <= slice.begin }
      let holds = hold.flatMap { hold in
        hold.end ?? .max > slice.begin
          ? ", holds \(Demos.text(hold.permits, "permit")) of \(timeline.objects[hold.object].name)" : nil
      }.map { HTMLText.label($0, most: 60) } ?? ""
      sentence = "\(job ?? gate) is suspended\(holds)"
      candidates = ["S suspended\(holds)", "S"]
    case .running:
      subject = isThread ? job ?? gate : gate
      sentence = "\(job ?? gate) runs\(Self.ending(slice))"
      candidates =
        isThread
        ? ["R \(job ?? gate)\(Self.ending(slice))", "R \(number)", "R"]
        : ["R running\(Self.ending(slice))", "R"]
    }
  }

  private static func ending(_ slice: Timeline.Slice) -> String {
    switch slice.ending {
    case nil: ", never ended"
    case .timedOut: ", timed out"
    case .cancelled: ", cancelled"
    case .done, .acquired: ""
    }
  }

  /// Returns the longest text that fits, escaped; nil if none does.
  func text(room: Double) -> String? {
    candidates.first { Double($0.count) * 6.6 <= room }
  }
}

/// The line of a curve, in a square of 1000 by 100.
struct CurveDrawing {
  private(set) var line = ""
  private(set) var area = ""
  /// The changes for the script: "event:value event:value".
  let steps: String
  let summary: String

  init(_ curve: Timeline.Curve, scale: TimeScale) {
    let peak = max(1, curve.peak)
    let least = min(0, curve.steps.map(\.value).min() ?? 0)
    func y(_ value: Int) -> String {
      HTMLText.decimal(100 - Double(value - least) / Double(peak - least) * 100, places: 1)
    }
    func x(_ time: UInt64) -> String { HTMLText.decimal(scale.share(0, time) * 1000, places: 2) }
    if let first = curve.steps.first {
      line = "M\(x(first.time)) \(y(first.value))"
      for step in curve.steps.dropFirst() { line += "H\(x(step.time))V\(y(step.value))" }
      line += "H1000"
      area = line + "V\(y(0))H\(x(first.time))Z"
    }
    steps = curve.steps.map { "\($0.event):\($0.value)" }.joined(separator: " ")
    summary = "at most \(curve.peak), at the end \(curve.steps.last?.value ?? 0)"
  }
}
