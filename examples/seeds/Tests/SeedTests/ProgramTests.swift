// The program, run as a reader runs it: what holds in every run, and never an order or a number of
// seconds.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
  @Test func gallery() async throws {
    let printed = try await run([])
    #expect(printed.status == 0)
    let lines = printed.text.split(separator: "\n").map(String.init)
    let verdict = try #require(lines.last)
    #expect(verdict.contains(" 0 requests were left behind"))
    let short = lines.filter { $0.contains("nobody is told") }
    #expect(short.count == 2 && short.allSatisfy { $0.hasPrefix("task group") })
    let weirs = lines.filter { $0.hasPrefix("Weir's map") }
    #expect(weirs.count == 5)
    for (name, text) in [
      ("3 at a time", " [1 2 3 4 5] "), ("#3 is nil", " [1 2 nil 4 5] "),
      ("#3 fails", " throws status(500) "), ("cancelled", " throws CancellationError "),
    ] {
      #expect(weirs.count { $0.hasPrefix("Weir's map, \(name) ") && $0.contains(text) } == 1)
    }
    let limited = lines.filter { $0.contains(" 3 at a time ") }
    #expect(limited.count == 3 && limited.allSatisfy { $0.contains(#/   5         [1-3] /#) })
    let gated = lines.first { $0.contains("a gate of 2") }
    #expect(gated?.contains(#/   5         [12] /#) == true)
  }

  @Test(arguments: [["0"], ["fast"], ["1", "2"]])
  func badArguments(arguments: [String]) async throws {
    let printed = try await run(arguments)
    #expect(printed.status == 2 && printed.text.hasPrefix("usage: gallery [SPEED]"))
  }
}

/// Runs the program, which stands beside the test bundle. Does not block.
private func run(_ arguments: [String]) async throws -> (text: String, status: Int32) {
  let process = Process()
  process.executableURL = Bundle.main.executableURL?
    .deletingLastPathComponent().appending(component: "gallery")
  process.arguments = arguments
  let file = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
  try Data().write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  process.standardOutput = try FileHandle(forWritingTo: file)
  let ended = AsyncStream<Int32> { stream in
    process.terminationHandler = {
      stream.yield($0.terminationStatus)
      stream.finish()
    }
  }
  try process.run()
  var status: Int32 = -1
  for await ending in ended { status = ending }
  if process.isRunning { process.terminate() }  // the test's time is up
  return (try String(contentsOf: file, encoding: .utf8), status)
}
