// Pages for the test in a browser, which the demos do not make.

import Demos
import TestSupport
import Testing
import Glibc

extension HTMLReportTests {
  @Test(
    "pages for the browser are written (WEIR_TEST_PAGES names the directory)",
    .enabled(if: getenv("WEIR_TEST_PAGES") != nil))
  func pages() throws {
    var random = TestSupport.SeededGenerator(for: "pages for the browser")
    let long = (0..<20_000).map { number in
      TraceLog.Event(
        time: UInt64(number) * 100, kind: number % 2 == 0 ? .start : .end, thread: 1,
        label: "hash", object: 1, task: number / 2 + 1, value: 1)
    }
    try write("test-run", report(), RandomRun(&random).events)
    try write("test-hostile", report(hostile), hostileEvents)
    try write("test-long", report(), long)
    try write("test-empty", report(), [])
  }

  private func write(
    _ name: String, _ report: DemoReport, _ events: [TraceLog.Event]
  ) throws {
    let directory = try #require(getenv("WEIR_TEST_PAGES").map { String(cString: $0) })
    let file = try #require(fopen("\(directory)/\(name).html", "w"))
    fputs(try page(report, events), file)
    #expect(fclose(file) == 0)
  }
}
