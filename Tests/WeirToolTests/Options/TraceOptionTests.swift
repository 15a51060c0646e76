// The common option --trace.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct TraceOptionTests {
  @Test("--trace records the lanes, and its file is not an input")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<300 { try directory.write("x", to: "f\(number)") }
    try directory.write(#"{"displayTimeUnit":"ms", old"#, to: "trace.json")
    let result = try await weir("hash", "--trace", "trace.json", ".", in: directory).run()
    result.expectSilence()
    #expect(result.lines.count == 300)
    #expect(try traceEvents(in: directory) > 3)
  }

  @Test("the trace is written also after a signal")
  func interruptedTrace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    var command = weir("hash", "--trace", "trace.json", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    for closesInput in [true, false] {
      let result = try await onThread {
        let child = try Child(asked, holdsInput: true)
        #expect(child.collect(limit: 40) { output, _ in output.contains(0x0A) })
        #expect(child.inquire { $0.contains(", 6 B, ") })
        kill(child.pid, SIGTERM)
        #expect(
          child.collect(limit: 40) { _, errors in
            let text = String(decoding: errors, as: UTF8.self)
            return text.contains(closesInput ? "finishing" : "is missing")
          })
        if closesInput { child.closeInput() }
        return try child.finish(limit: 40)
      }
      #expect(result.signal == SIGTERM)
      #expect(try traceEvents(in: directory) > 0)
    }
  }

  private func traceEvents(in directory: TemporaryDirectory) throws -> Int {
    let data = try Data(contentsOf: URL(filePath: directory.text + "/trace.json"))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try #require(object["traceEvents"] as? [Any]).count
  }

  @Test(
    "a trace to a pipe or a FIFO with a reader is complete", arguments: ["/dev/fd/3", "p"])
  func traceToPipe(name: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("p")
    try directory.write("x", to: "f")
    // The trace of so many commands is larger than a pipe: writing has to wait.
    try directory.makeDirectory("d")
    for number in 0..<400 { try directory.write("", to: "d/\(number)") }
    for (verb, operands, most) in [("hash", "f", 3), ("run", "d -- true", 400)] {
      let run = "\"$0\" \(verb) --trace \(name) \(operands)"
      let script =
        name == "p"
        ? "cat p > trace.json & exec 4> p && \(run) > out; exec 4>&-; wait"
        : "{ \(run) 3>&1 > out; } | cat > trace.json"
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(try traceEvents(in: directory) > most)
    }
  }
}
