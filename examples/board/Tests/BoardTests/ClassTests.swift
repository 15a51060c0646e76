// A class: the page that is shown, the answers, and the rights of followers.

import Foundation
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(10))) struct ClassTests {
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
      for path in ["start", "stop", "show"] {
        #expect(try server.post(server.followerPath(path), "{}").status == 403, "\(path)")
      }
    }
  }

  /// Guesses are slow, and those who know the code do not notice them.
  @Test func wrongCodes() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let wrong = server.tokens.follower == "AAAAAAAA" ? "BBBBBBBB" : "AAAAAAAA"
      let time = try ContinuousClock().measure {
        let guesses = try (0..<100).map { _ in try server.connect() }
        for guess in guesses { guess.sendRequest("GET", "/\(wrong)/") }
        #expect(try server.get(server.followerPath()).status == 200)
        for guess in guesses { #expect(try guess.response().status == 403) }
      }
      #expect(time >= Tokens.guessTime)
      // A code is typed in any case.
      #expect(try server.get("/\(server.tokens.follower.lowercased())/").status == 200)
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
      #expect(try server.post(server.path("show"), #"{"page":"groups"}"#).status == 404)
      #expect(try server.post(server.path("answer"), Self.answer("a", "[1]")).status == 404)
    }
  }

  @Test func anHour() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let presenter = try server.stream()
      let follower = try server.stream(asFollower: true)
      // The number of followers does not count the presenter.
      try presenter.until("a follower") { $0.kind == "class" && $0.number("followers") == 1 }
      let show = #"{"page":"downloads","knobs":{"max":"4"}}"#
      #expect(try server.post(server.path("show"), show).status == 204)
      #expect(try follower.until("show").text("page") == "downloads")
      let others = try (0..<2).map { _ in try server.stream(asFollower: true) }
      defer { withExtendedLifetime(others) {} }
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
      let run = try server.start(#"{"demo":"downloads","speed":0.1,"knobs":{"max":"4"}}"#)
      let late = Self.answer("dora", "[1]")
      #expect(try server.post(server.followerPath("answer"), late).status == 409)
      try presenter.until("event")
      #expect(try server.post(server.path("stop"), "").status == 204)
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
      let newcomer = try server.stream(asFollower: true)
      try newcomer.until("end")
      #expect(newcomer.messages.prefix(3).map(\.kind) == ["hello", "show", "run"])
      // The next page takes new answers.
      let next = #"{"page":"groups"}"#
      #expect(try server.post(server.path("show"), next).status == 204)
      #expect(try server.post(server.followerPath("answer"), late).status == 204)
      try presenter.until("one answer") { $0.kind == "class" && $0.number("answered") == 1 }
    }
  }

  @Test func noPageDuringARun() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      try server.start(#"{"demo":"downloads","speed":0.1}"#)
      #expect(try server.post(server.path("show"), #"{"page":"groups"}"#).status == 409)
    }
  }

  @Test func badAnswers() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      func status(_ answer: String) throws -> Int {
        try server.post(server.followerPath("answer"), answer).status
      }
      // Nothing is asked before a page is shown.
      #expect(try status(Self.answer("a", "[1]")) == 400)
      let show = #"{"page":"groups","knobs":{}}"#
      #expect(try server.post(server.path("show"), show).status == 204)
      let long = String(repeating: "x", count: 65)
      for body in [
        "", "{}", Self.answer("", "[1]"), Self.answer(long, "[1]"),
        Self.answer("a", #"["5"]"#), Self.answer("a", "[-1]"), Self.answer("a", "[1e10]"),
        Self.answer("a", "[NaN]"), Self.answer("a", #"["5\u0000<b>"]"#),
        // More than the page asks.
        Self.answer("a", "[1,1,1,1]"),
      ] {
        #expect(try status(body) == 400, "\(body)")
      }
      #expect(try status(Self.answer("a", "[1,1]")) == 204)
    }
  }

  /// The counts of the last status that a new stream gets.
  private static func counts(
    _ channel: Channel, follower: String? = nil
  ) async throws -> [String: Any] {
    let stream = channel.open(follower: follower)
    while let bytes = try await stream.nextBuffer(suggested: 1) {
      let statuses = try messages(in: bytes).filter { $0["kind"] as? String == "class" }
      // The log holds none: it would grow with each answer.
      #expect(statuses.count <= 1)
      if let status = statuses.first { return status }
    }
    return [:]
  }

  private static func classroom() -> (Channel, Classroom) {
    let channel = Channel(instance: "x")
    let classroom = Classroom(channel: channel)
    classroom.reopen(questions: 1)
    return (channel, classroom)
  }

  @Test func aThousandFollowers() throws {
    let (_, classroom) = Self.classroom()
    func take(_ number: Int, _ answer: Double) throws {
      try classroom.take(
        .init(follower: "\(number)", answers: [answer]), from: "10.0.0.\(number)")
    }
    for number in 1...1000 { try take(number, 5) }
    #expect(throws: Refusal.self) { try take(1001, 5) }
    // One of them may still change the answer.
    try take(7, 6)
  }

  /// An address has as many answers as pages that follow.
  @Test func inventedNames() async throws {
    let (channel, classroom) = Self.classroom()
    let streams = (0..<2).map { _ in channel.open(follower: "10.0.0.1") }
    for number in 1...100 {
      try classroom.take(
        .init(follower: "\(number)", answers: [Double(number)]), from: "10.0.0.1")
      classroom.tick()
    }
    try classroom.take(.init(follower: "anna", answers: [5]), from: "10.0.0.2")
    classroom.tick()
    let status = try await Self.counts(channel)
    #expect(status["answered"] as? Int == 3)
    #expect(status["counts"] as? [[String: Int]] == [["5": 1, "99": 1, "100": 1]])
    withExtendedLifetime(streams) {}
  }

  @Test func followersLearnNoCountsBeforeTheRun() async throws {
    let (channel, classroom) = Self.classroom()
    try classroom.take(.init(follower: "anna", answers: [5]), from: "10.0.0.1")
    classroom.tick()
    var status = try await Self.counts(channel, follower: "10.0.0.2")
    #expect(status["answered"] as? Int == 1 && (status["counts"] as? [Any])?.isEmpty == true)
    classroom.close()
    classroom.tick()
    status = try await Self.counts(channel, follower: "10.0.0.2")
    #expect(status["counts"] as? [[String: Int]] == [["5": 1]])
  }
}
