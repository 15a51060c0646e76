// A class: the page that is shown, the answers, and the rights of followers.

import FlyingFox
import Foundation
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(2))) struct ClassTests {
  private static func answer(_ follower: String, _ answers: String) -> String {
    "{\"follower\":\"\(follower)\",\"answers\":\(answers)}"
  }

  @Test func followersOnlyFollow() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      for path in ["", "downloads", "code/app.js", "demos"] {
        #expect(try server.get(server.followerPath(path)).status == 200, "\(path)")
      }
      #expect(try server.get(server.followerPath("demos")).object["role"] as? String == "follower")
      let catalog = try server.get(server.path("demos")).object
      #expect(catalog["isClass"] as? Bool == true)
      let address = try #require(catalog["classAddress"] as? String)
      #expect(address == "http://127.0.0.1:\(server.port)/\(server.tokens.follower)/")
      for path in ["abcdefgh/events", "class/runs/1/run.json"] {
        #expect(try server.get(server.followerPath(path)).status == 403, "\(path)")
      }
      for path in ["class/start", "class/stop", "class/command", "class/show", "abcdefgh/start"] {
        #expect(try server.post(server.followerPath(path), "{}").status == 403, "\(path)")
      }
    }
  }

  @Test func aCodeIsTypedInAnyCaseAndGuessesAreLimited() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let wrong = server.tokens.follower == "AAAAAA" ? "BBBBBB" : "AAAAAA"
      for _ in 1..<CodeGuard.mostOfAddress { #expect(try server.get("/\(wrong)/").status == 403) }
      let code = server.tokens.follower.lowercased()
      #expect(try server.get("/\(code)/").status == 200)
      // An address that knows the code is not limited.
      for _ in 0..<CodeGuard.mostOfAddress { #expect(try server.get("/\(wrong)/").status == 403) }
    }
    try await withServer(isClass: true) { (server: TestServer) throws in
      for _ in 0..<CodeGuard.mostOfAddress { #expect(try server.get("/x/").status == 403) }
      #expect(try server.get(server.followerPath()).status == 429)
      #expect(try server.get(server.path()).status == 200)
    }
  }

  @Test func thePresenterHasAPictureOfTheAddress() async throws {
    let hasProgram = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/qrencode") }
    try await withServer(isClass: true) { (server: TestServer) throws in
      let picture = try server.get(server.path("demos")).object["classPicture"] as? String
      #expect((picture?.contains("<svg") == true) == hasProgram)
      #expect(
        try server.get(server.followerPath("demos")).object["classPicture"] as? String == nil)
    }
  }

  @Test func withoutAClass() async throws {
    try await withServer { (server: TestServer) throws in
      #expect(try server.get(server.path("class/events")).status == 404)
      #expect(try server.post(server.path("class/show"), #"{"page":"gate"}"#).status == 404)
      #expect(try server.post(server.path("answer"), Self.answer("a", "[1]")).status == 404)
    }
  }

  @Test func anHour() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let presenter = try server.stream("class")
      let follower = try server.stream("class", asFollower: true)
      // The number of followers does not count the presenter.
      try presenter.until("a follower") { $0.kind == "class" && $0.number("followers") == 1 }
      let show = #"{"page":"gate","knobs":{"max":"4"}}"#
      #expect(try server.post(server.path("class/show"), show).status == 204)
      #expect(try follower.until("show").text("page") == "gate")
      // Answers, of which a later one replaces the first.
      for (name, answers) in [
        ("anna", "[5,null]"), ("ben", "[5,15]"), ("cem", "[3,15]"), ("anna", "[4,null]"),
      ] {
        let body = Self.answer(name, answers)
        #expect(try server.post(server.followerPath("answer"), body).status == 204)
      }
      let counts = try presenter.until("three answers") {
        $0.kind == "class" && $0.number("answered") == 3
          && ($0.values["counts"] as? [[String: Int]])?.first?["4"] == 1
      }
      #expect(
        counts.values["counts"] as? [[String: Int]] == [["3": 1, "4": 1, "5": 1], ["15": 2]])
      // The run.
      let run = try server.start("class", #"{"demo":"gate","speed":1000,"knobs":{"max":"4"}}"#)
      let late = Self.answer("dora", "[1]")
      #expect(try server.post(server.followerPath("answer"), late).status == 409)
      for stream in [presenter, follower] {
        #expect(try stream.until("end").number("run") == run)
      }
      // The answers stay for comparison, until the first one to the next run comes.
      let kept = try presenter.until("the answers after the run") {
        $0.kind == "class" && $0.values["isOpen"] as? Bool == false
      }
      #expect(kept.number("answered") == 3)
      #expect(try server.post(server.followerPath("answer"), late).status == 204)
      try presenter.until("the first of the next") {
        $0.kind == "class" && $0.number("answered") == 1
      }
      // One that comes late is shown the page first, and then the run.
      let newcomer = try server.stream("class", asFollower: true)
      try newcomer.until("end")
      #expect(newcomer.messages.prefix(3).map(\.kind) == ["hello", "show", "run"])
      // The next page takes new answers.
      let next = #"{"page":"downloads"}"#
      #expect(try server.post(server.path("class/show"), next).status == 204)
      #expect(try server.post(server.followerPath("answer"), late).status == 204)
      try presenter.until("one answer") { $0.kind == "class" && $0.number("answered") == 1 }
    }
  }

  @Test func noPageDuringARun() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      try server.start("class", #"{"demo":"downloads","speed":0.1}"#)
      #expect(try server.post(server.path("class/show"), #"{"page":"gate"}"#).status == 409)
      #expect(try server.post(server.path("abcdefgh/show"), #"{"page":"gate"}"#).status == 400)
    }
  }

  @Test func badAnswers() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let long = String(repeating: "x", count: 65)
      for body in [
        "", "{}", Self.answer("", "[1]"), Self.answer(long, "[1]"),
        Self.answer("a", "[\"\(long)\"]"), Self.answer("a", "[\"five\"]"),
        Self.answer("a", "[-1]"), Self.answer("a", "[\"nan\"]"),
        Self.answer("a", "[1,1,1,1,1,1,1,1,1]"),
      ] {
        #expect(try server.post(server.followerPath("answer"), body).status == 400, "\(body)")
      }
    }
  }

  @Test func aThousandFollowers() throws {
    let channel = Channel("class", instance: "x")
    let classroom = Classroom(channel: channel)
    for number in 1...1000 {
      try classroom.take(.init(follower: "\(number)", answers: [LooseText("5")]))
    }
    #expect(throws: Refusal.self) {
      try classroom.take(.init(follower: "1001", answers: [LooseText("5")]))
    }
    // One of them may still change the answer.
    try classroom.take(.init(follower: "7", answers: [LooseText("6")]))
  }

  @Test func wrongCodesAreLimited() {
    let codes = CodeGuard()
    let now = ContinuousClock.now
    func allows(_ address: String, _ isRight: Bool, after seconds: Int = 0) -> Bool {
      codes.allows(.ip4(address, port: 1), isRight: isRight, now: now + .seconds(seconds))
    }
    for _ in 0..<CodeGuard.mostOfAddress { #expect(allows("10.0.0.1", false)) }
    // Nor does the right code help before the minute is over.
    #expect(!allows("10.0.0.1", false) && !allows("10.0.0.1", true, after: 59))
    #expect(allows("10.0.0.2", true))
    #expect(allows("10.0.0.1", true, after: 61))
    // All addresses together; those that had the right code are not limited.
    for number in 0..<CodeGuard.most { #expect(allows("10.1.0.\(number)", false, after: 62)) }
    #expect(!allows("10.2.0.1", true, after: 63))
    #expect(allows("10.0.0.2", true, after: 63))
  }
}
