// The page of a run, as text: complete, well formed and safe whatever the labels are.

import Foundation
import TestSupport
import Testing

@testable import Demos

@Suite("HTML reports")
struct HTMLReportTests {
  let hostile =
    "</script></title><img src=x onerror=alert(1)>\u{0}\u{1b}\u{2028}\u{202e}'\"&`"

  func page(_ text: String, _ events: [TraceLog.Event]) throws -> String {
    let result = madeResult([4, nil], text: text, verdict: text, next: text, events: events)
    return try HTMLReport.page(result, .find())
  }

  var hostileEvents: [TraceLog.Event] {
    [
      event(0, .submit, 1, hostile, 1), event(1, .start, 2, hostile, 1),
      event(2, .wait, 2, hostile, 1), event(3, .note, 1, hostile),
    ]
  }

  private func longRun(_ count: Int) -> [TraceLog.Event] {
    (0..<count).map { number in
      event(UInt64(number) * 100, number % 2 == 0 ? .start : .end, 1, "hash", number / 2 + 1)
    }
  }

  private func count(_ text: String, in page: some StringProtocol) -> Int {
    String(page).split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  @Test("no text becomes markup")
  func escaping() throws {
    let page = try page(hostile, hostileEvents)
    let plain = try self.page("x", hostileEvents)
    for tag in ["<img", "<script", "</script", "</title", "<style"] {
      #expect(count(tag, in: page) == count(tag, in: plain), "\(tag)")
    }
    let isForbidden = { (scalar: Unicode.Scalar) in
      scalar.value < 0x20 && scalar != "\n" || (0x2028...0x202e).contains(scalar.value)
    }
    #expect(!page.unicodeScalars.contains(where: isForbidden))
    // The log within the page keeps its labels: it is data.
    let data = try #require(dataOfPage(page) as? [String: Any])
    let events = try #require(data["events"] as? [[String: Any]])
    #expect(events.count == 4 && events.allSatisfy { $0["q"] as? String == hostile })
  }

  @Test("the page asks for nothing and forbids it")
  func selfContained() throws {
    let page = try page("Title", hostileEvents)
    #expect(page.contains("default-src 'none'"))
    for text in ["src=\"", "url(h", "@import", "import(", "fetch(", "{{"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(count("http", in: page) == 2, "http-equiv and the name of SVG")
    #expect(page.contains("\"virtual\":true"))
  }

  @Test("a long log is cut, and the page knows its length")
  func long() throws {
    let page = try page("Title", longRun(100_000))
    #expect(page.utf8.count < 1_500_000)
    #expect(count("\"ev\":", in: page) == HTMLReport.mostEvents)
    #expect(page.contains("\"total\":100000"))
  }

  @Test(
    "pages for the browser are written (WEIR_TEST_PAGES names the directory)",
    .enabled(if: ProcessInfo.processInfo.environment["WEIR_TEST_PAGES"] != nil))
  func pages() throws {
    let directory = try #require(ProcessInfo.processInfo.environment["WEIR_TEST_PAGES"])
    for (name, text, events) in [
      ("hostile", hostile, hostileEvents), ("long", "Title", longRun(20_000)),
    ] {
      try page(text, events).write(
        toFile: "\(directory)/test-\(name).html", atomically: false, encoding: .utf8)
    }
  }

  @Test("a missing file is named")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: PageError.self) {
      try HTMLReport.page(madeResult(nil), PageFolder(path: directory.text))
    }
    #expect(
      error?.description.hasPrefix("\(directory.text)/code/exported.js: No such file") == true)
  }
}
