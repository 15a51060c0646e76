// The page of a run, as text: complete, well formed and safe whatever the labels are.

import Demos
import TestSupport
import Testing

@Suite("HTML reports")
struct HTMLReportTests {
  let hostile =
    "</script></title><img src=x onerror=alert(1)>\u{0}\u{1b}\u{2028}\u{202e}'\"&`"

  func report(_ text: String = "Title") -> DemoReport {
    DemoReport(
      title: text, subtitle: text, isSimulated: true,
      questions: [.init(text: text, unit: text, predicted: text, actual: text, isRight: false)],
      verdict: text, next: text,
      code: [
        .init(
          language: "C", title: text, lines: [.init("int x = \"\(text)\"; // \(text)", tag: text)]),
        .init(language: "Swift", title: text, lines: [.init(text)]),
      ], notes: [text])
  }

  var hostileEvents: [TraceLog.Event] {
    [
      .init(time: 0, kind: .submit, thread: 1, label: hostile, object: 1, task: 1),
      .init(time: 1, kind: .start, thread: 2, label: hostile, object: 1, task: 1),
      .init(time: 2, kind: .wait, thread: 2, label: hostile, object: 2, task: 1),
      .init(time: 3, kind: .note, thread: 1, label: "name " + hostile),
      .init(time: 3, kind: .note, thread: 1, label: hostile),
    ]
  }

  private func part(_ page: String, from start: String, to end: String) throws -> Substring {
    let first = try #require(page.firstRange(of: start))
    let last = try #require(page[first.upperBound...].firstRange(of: end))
    return page[first.lowerBound..<last.upperBound]
  }

  private func count(_ text: String, in page: some StringProtocol) -> Int {
    String(page).split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  /// Returns the first fault of an XML element: a tag that is not closed, a bare "<" or "&", or a
  /// character that XML does not know.
  private func fault(ofXML text: Substring) -> String? {
    var open: [Substring] = []
    var rest = text
    while let next = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
      rest = rest[next...]
      if rest.first == "&" {
        let name = rest.dropFirst().prefix { $0 != ";" }
        guard ["amp", "lt", "gt", "quot", "#39"].contains(name) else { return "entity \(name)" }
        rest = rest.dropFirst()
        continue
      }
      let tag = rest.dropFirst().prefix { $0 != ">" }
      rest = rest.dropFirst(tag.count + 2)
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return "tag </\(tag)>" }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
      if count("\"", in: tag) % 2 == 1 { return "quotes of <\(tag)>" }
    }
    let isControl = text.unicodeScalars.first { $0.value < 0x20 && $0 != "\n" }
    return isControl.map { "character \($0.value)" } ?? open.last.map { "open <\($0)>" }
  }

  @Test("the page has a bar for each slice, and its drawing is well-formed XML")
  func bars() throws {
    var random = TestSupport.SeededGenerator(for: "bars of a report")
    for number in 0..<60 {
      let events = number % 2 == 0 ? RandomRun(&random).events : randomEvents(&random)
      guard !events.isEmpty else { continue }
      let log = TraceLog(events: events)
      let timeline = Timeline(log)
      let svg = try part(
        HTMLReport.page(report(), log), from: "<svg id=\"timeline\"", to: "</svg></div></div>"
      ).dropLast(12)
      let slices = timeline.threads.flatMap(\.slices) + timeline.tasks.flatMap(\.slices)
      #expect(count("<rect class=\"bar ", in: svg) == slices.count, "seed \(testSeed)")
      #expect(fault(ofXML: svg) == nil, "seed \(testSeed)")
    }
  }

  @Test("no text becomes markup")
  func escaping() throws {
    let log = TraceLog(events: hostileEvents)
    let page = HTMLReport.page(report(hostile), log)
    let plain = HTMLReport.page(report("x"), TraceLog(events: log.events))
    #expect(count("<img", in: page) == 0)
    #expect(count("<script", in: page) == count("<script", in: plain))
    #expect(count("</script", in: page) == 2)
    #expect(count("</title", in: page) == count("</title", in: plain))
    let isForbidden = { (scalar: Unicode.Scalar) in
      scalar.value < 0x20 && scalar != "\n" || (0x2028...0x202e).contains(scalar.value)
    }
    #expect(!page.unicodeScalars.contains(where: isForbidden))
    // The log within the page keeps its labels: it is data, and read back it is the same.
    let json = try part(page, from: "id=\"log\">[", to: "]</script>")
    let lines = json.split(separator: "\n").filter { $0.hasPrefix("{") }
      .map { $0.hasSuffix(",") ? $0.dropLast() : $0 }.joined(separator: "\n")
    #expect(try TraceLog(jsonLines: lines).events == log.events)
  }

  @Test("the page asks for nothing and forbids it")
  func selfContained() {
    var random = TestSupport.SeededGenerator(for: "requests of a report")
    let page = HTMLReport.page(report(), TraceLog(events: RandomRun(&random).events))
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("src=\""))
    #expect(!page.contains("url(h"))
    #expect(!page.contains("@import"))
    #expect(count("http", in: page) == 2, "http-equiv and the name of SVG")
    #expect(page.contains("simulated, not measured"))
  }

  @Test("a long log is cut, and the page says so")
  func long() {
    let events = (0..<100_000).map { number in
      TraceLog.Event(
        time: UInt64(number) * 100, kind: number % 2 == 0 ? .start : .end, thread: 1,
        label: "hash", object: 1, task: number / 2 + 1, value: 1)
    }
    let page = HTMLReport.page(report(), TraceLog(events: events))
    #expect(page.utf8.count < 3_000_000)
    #expect(page.contains("first 3,000 events"))
    #expect(page.contains("97,000 later events are left out"))
  }

  @Test("an empty log and one without time make a page")
  func least() {
    #expect(HTMLReport.page(report(), TraceLog(events: [])).contains("The log has no events."))
    let one = TraceLog(events: [.init(time: 0, kind: .note, thread: 1, label: "a")])
    #expect(HTMLReport.page(report(), one).contains("data-span=\"1\""))
  }

  @Test("predictions have a column if there are any; notes set code")
  func words() {
    var words = report()
    words.notes = ["Run `weir-demo`, or not."]
    #expect(HTMLReport.page(words, TraceLog(events: [])).contains("<code>weir-demo</code>"))
    #expect(HTMLReport.page(words, TraceLog(events: [])).contains("✗ differs"))
    words.questions[0].predicted = nil
    words.questions[0].isRight = nil
    #expect(!HTMLReport.page(words, TraceLog(events: [])).contains(">Predicted<"))
  }
}
