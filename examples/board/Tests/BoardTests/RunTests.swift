// Runs from the start to the end, with real workers.

import Demos
import Foundation
import TestSupport
import Testing

@testable import BoardServer

@Suite(.serialized, .timeLimit(.minutes(10))) struct RunTests {
  @Test func downloads() async throws {
    try await withServer { (server: TestServer) throws in
      let stream = try server.stream()
      let run = try server.start(
        #"{"demo":"downloads","knobs":{"tasks":"7","max":"3"},"prediction":[3,null],"speed":1000}"#)
      let end = try stream.until("end")
      #expect(end.number("run") == run && end.text("reason") == "finished")
      let kinds = stream.messages.map(\.kind)
      #expect(kinds.first == "hello" && kinds[1] == "run" && kinds.last == "end")
      let first = stream.messages[1]
      #expect(first.number("run") == run && first.text("demo") == "downloads")
      #expect(first.text("introduction").hasPrefix("7 downloads of 5 steps, at most 3 at once"))
      let knobs = try #require(first.values["knobs"] as? [String: String])
      #expect(knobs["tasks"] == "7" && knobs["max"] == "3" && knobs["form"] == "lanes")
      #expect((first.values["code"] as? [[String: Any]])?.isEmpty == false)
      // The events tell the run.
      let events = stream.messages.filter { $0.kind == "event" }
      func notes(_ word: String) -> [Int] {
        events.filter { $0.text("ev") == "note" && $0.text("q") == word }.map { $0.number("task") }
      }
      #expect(Set(notes("START")) == Set(1...7) && Set(notes("END")) == Set(1...7))
      #expect(events.contains { $0.text("q").hasPrefix("alert") })
      let result = try stream.until("result")
      let answers = try #require(result.values["answers"] as? [[String: Any]])
      #expect(answers.first?["actual"] as? Int == 3 && answers.first?["right"] as? Bool == true)
      #expect(answers.last?["predicted"] == nil && answers.last?["actual"] is Double)
      #expect(result.text("verdict").contains("7 of 7"))
    }
  }

  @Test func stop() async throws {
    try await withServer { (server: TestServer) throws in
      let stream = try server.stream()
      let run = try server.start(#"{"demo":"downloads","speed":1}"#)
      try stream.until("event")
      #expect(try server.post(server.path("start"), #"{"demo":"groups"}"#).status == 409)
      #expect(try server.post(server.path("stop"), "").status == 204)
      let end = try stream.until("end")
      #expect(end.text("reason") == "stopped" && end.number("run") == run)
      // What had happened is told, and no promise is checked.
      let result = try #require(stream.messages.first { $0.kind == "result" })
      #expect((result.values["checks"] as? [Any])?.isEmpty == true)
      #expect(server.server.board.channel.run == nil)
      // The next run begins a new epoch.
      let next = try server.start(#"{"demo":"groups","speed":1000}"#)
      let last = try stream.until("the next end") { $0.kind == "end" && $0.number("run") == next }
      #expect(last.text("reason") == "finished")
    }
  }

  @Test func aWorkerThatDoesNotStopIsKilled() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("#!/bin/sh\nexec sleep 1000\n", to: "worker")
    chmod(folder.text + "/worker", 0o700)
    var times = TestServer.times
    times.stop = .milliseconds(1)
    try await withServer(times: times, worker: folder.text + "/worker") {
      (server: TestServer) throws in
      let stream = try server.stream()
      try server.start(#"{"demo":"downloads"}"#)
      #expect(try server.post(server.path("stop"), "").status == 204)
      #expect(try stream.until("end").text("reason") == "stopped")
    }
  }

  @Test func stopOfASimulatedRun() async throws {
    try await withServer { (server: TestServer) throws in
      let stream = try server.stream()
      try server.start(#"{"demo":"downloads","virtual":true,"speed":0.1}"#)
      try stream.until("event")
      #expect(try server.post(server.path("stop"), "").status == 204)
      #expect(try stream.until("end").text("reason") == "stopped")
      #expect(!stream.messages.contains { $0.kind == "result" })
    }
  }

  @Test func badRequests() async throws {
    try await withServer { (server: TestServer) throws in
      let bodies = [
        "", "[]", "{}", #"{"demo":"nothing"}"#, #"{"demo":"downloads","speed":0}"#,
        #"{"demo":"downloads","speed":1e9}"#, #"{"demo":"downloads","knobs":{"tasks":"0"}}"#,
        #"{"demo":"downloads","knobs":{"tasks":"x"}}"#, #"{"demo":"downloads","knobs":{"x":"1"}}"#,
        #"{"demo":"downloads","knobs":{"forget":"signal"}}"#,
        #"{"demo":"downloads","prediction":[1]}"#, #"{"demo":"downloads","prediction":["0x3",1]}"#,
        #"{"demo":"downloads","prediction":["3\u0000<b>",1]}"#,
      ]
      for body in bodies {
        let answer = try server.post(server.path("start"), body)
        #expect(answer.status == 400, "\(body)")
        #expect(!answer.text.isEmpty, "\(body)")
      }
      #expect(server.server.board.channel.run == nil)
    }
  }

  @Test func tooManyEventsAreCut() async throws {
    try await withServer { (server: TestServer) throws in
      let stream = try server.stream()
      try server.start(
        #"{"demo":"loops","virtual":true,"speed":1000,"knobs":{"rows":"11000","stride":"1"}}"#
      )
      #expect(try stream.until("end").text("reason") == "finished")
      let kinds = stream.messages.map(\.kind)
      #expect(kinds.count { $0 == "event" } == 20_000 && kinds.count { $0 == "cut" } == 1)
    }
  }
}
