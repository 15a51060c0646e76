// The page of a run, as text: complete, well formed and safe whatever the labels are.

import Glibc
import TestSupport
import Testing

@testable import Demos

@Suite("HTML reports")
struct HTMLReportTests {
  let hostile =
    "</script></title><img src=x onerror=alert(1)>\u{0}\u{1b}\u{2028}\u{202e}'\"&`"

  func report(_ text: String = "Title") -> DemoReport {
    var report = DemoReport(title: text, command: text, verdict: text)
    report.questions = [Question(text, text, .count)]
    report.run.virtual = true
    report.run.introduction = text
    report.run.code = [
      Listing(text, "let x = \"\(text)\"  // \(text)"), Listing(text, text),
    ]
    report.result.answers = [.init(name: text, actual: 2, predicted: 1, right: false)]
    report.result.checks = [.init(text: text, holds: false)]
    (report.result.next, report.result.remarks) = (text, [text])
    return report
  }

  func page(_ report: DemoReport, _ events: [TraceLog.Event]) throws -> String {
    try HTMLReport.page(report, TraceLog(events: events), .find())
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

  private func longRun(_ count: Int) -> [TraceLog.Event] {
    (0..<count).map { number in
      .init(
        time: UInt64(number) * 100, kind: number % 2 == 0 ? .start : .end, thread: 1,
        label: "hash", object: 1, task: number / 2 + 1, value: 1)
    }
  }

  private func part(_ page: String, from start: String, to end: String) throws -> Substring {
    let first = try #require(page.firstRange(of: start))
    let last = try #require(page[first.upperBound...].firstRange(of: end))
    return page[first.lowerBound..<last.upperBound]
  }

  private func count(_ text: String, in page: some StringProtocol) -> Int {
    String(page).split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  @Test("no text becomes markup")
  func escaping() throws {
    let page = try page(report(hostile), hostileEvents)
    let plain = try self.page(report("x"), hostileEvents)
    for tag in ["<img", "<script", "</script", "</title", "<style"] {
      #expect(count(tag, in: page) == count(tag, in: plain), "\(tag)")
    }
    let isForbidden = { (scalar: Unicode.Scalar) in
      scalar.value < 0x20 && scalar != "\n" || (0x2028...0x202e).contains(scalar.value)
    }
    #expect(!page.unicodeScalars.contains(where: isForbidden))
    // The log within the page keeps its labels: it is data, and read back it is the same.
    let json = try part(page, from: "\"events\":[", to: "]}</script>")
    let lines = json.split(separator: "\n").filter { $0.hasPrefix("{") }
      .map { $0.hasSuffix(",") ? $0.dropLast() : $0 }.joined(separator: "\n")
    #expect(try TraceLog(jsonLines: lines).events == TraceLog(events: hostileEvents).events)
  }

  @Test("the page asks for nothing and forbids it")
  func selfContained() throws {
    let page = try page(report(), hostileEvents)
    #expect(page.contains("default-src 'none'"))
    for text in ["src=\"", "url(h", "@import", "import(", "fetch(", "{{"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(count("http", in: page) == 2, "http-equiv and the name of SVG")
    #expect(page.contains("\"virtual\":true"))
  }

  @Test("a long log is cut, and the page knows its length")
  func long() throws {
    let page = try page(report(), longRun(100_000))
    #expect(page.utf8.count < 1_500_000)
    #expect(count("\"ev\":", in: page) == HTMLReport.mostEvents)
    #expect(page.contains("\"total\":100000"))
  }

  @Test(
    "pages for the browser are written (WEIR_TEST_PAGES names the directory)",
    .enabled(if: getenv("WEIR_TEST_PAGES") != nil))
  func pages() throws {
    let directory = try #require(getenv("WEIR_TEST_PAGES").map { String(cString: $0) })
    for (name, report, events) in [
      ("hostile", report(hostile), hostileEvents), ("long", report(), longRun(20_000)),
      ("empty", report(), []),
    ] {
      let file = try #require(fopen("\(directory)/test-\(name).html", "w"))
      fputs(try page(report, events), file)
      #expect(fclose(file) == 0)
    }
  }

  @Test("a missing file is named")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: PageError.self) {
      try HTMLReport.page(report(), TraceLog(events: []), PageFolder(path: directory.text))
    }
    #expect(
      error?.description.hasPrefix("\(directory.text)/code/exported.js: No such file") == true)
  }
}
