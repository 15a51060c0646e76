// The checks of requests, and the answers to pages and files.

import FlyingFox
import Foundation
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(10))) struct RequestTests {
  @Test func onlyThisMachineIsLocal() {
    let access = Access(tokens: Tokens(), isClass: true, address: "192.168.1.5", port: 9)
    #expect(["127.0.0.1", "::1", "192.168.1.5"].allSatisfy(access.isLocal))
    #expect(!["192.168.1.7", "fe00::1", ""].contains(where: access.isLocal))
    #expect(access.hosts == ["127.0.0.1:9", "localhost:9", "192.168.1.5:9"])
    #expect(
      Access(tokens: Tokens(), isClass: true, address: "fe00::1", port: 80).hosts.contains(
        "[fe00::1]"))
  }

  @Test func pagesAndFiles() async throws {
    try await withServer { (server: TestServer) throws in
      for page in ["", "downloads", "index.html"] {
        let response = try server.get(server.path(page))
        #expect(response.status == 200 && response.text == "<p>page</p>", "\(page)")
        #expect(response.headers["content-type"] == "text/html; charset=utf-8")
      }
      let script = try server.get(server.path("code/app.js"))
      #expect(script.status == 200 && script.text == "run()")
      #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
      let moved = try server.get("/\(server.tokens.presenter)")
      #expect(moved.status == 308)
      #expect(moved.headers["location"] == "\(server.tokens.presenter)/")
    }
  }

  @Test func nothingElseIsServed() async throws {
    try await withServer { (server: TestServer) throws in
      let paths = [
        "notes.txt", "pitfalls", "code", "code/", "code/../code/app.js", "../index.html",
        "%2e%2e/index.html", "code%2fapp.js", "/etc/passwd", "nothing", "code/app.js/",
        "other/events", "stop/other",
      ]
      for path in paths {
        #expect(try server.get(server.path(path)).status == 404, "\(path)")
      }
    }
  }

  @Test func everyAnswerProtectsThePage() async throws {
    try await withServer { (server: TestServer) throws in
      let answers = [
        try server.get(server.path()), try server.get(server.path("demos")), try server.get("/"),
        try server.get(server.path("nothing")), try server.post(server.path("start"), "{"),
        try server.post(server.path("stop"), ""),
      ]
      for answer in answers {
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"), "\(answer.status)")
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        #expect(answer.headers["referrer-policy"] == "no-referrer")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(answer.headers["cross-origin-opener-policy"] == "same-origin")
        #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
      }
      #expect(answers.map(\.status) == [200, 200, 403, 404, 400, 204])
    }
  }

  @Test func tokensAreRandom() {
    let all = (0..<100).map { _ in Tokens() }
    #expect(Set(all.map(\.presenter)).count == 100 && Set(all.map(\.follower)).count >= 99)
    #expect(all.allSatisfy { $0.presenter.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    #expect(all.allSatisfy { $0.follower.wholeMatch(of: /[A-HJ-NP-Z]{8}/) != nil })
  }

  @Test func aTokenIsNeeded() async throws {
    try await withServer { (server: TestServer) throws in
      var other = Array(server.tokens.presenter)
      other[31] = other[31] == "0" ? "1" : "0"
      let tokens = [
        "", String(other), String(server.tokens.presenter.dropLast()), "x",
        server.tokens.presenter.uppercased() + "0",
        // This is no class.
        server.tokens.follower,
      ]
      for token in tokens {
        for path in ["", "index.html", "demos", "events"] {
          #expect(try server.get("/\(token)/\(path)").status == 403, "\(token)/\(path)")
        }
        #expect(try server.post("/\(token)/stop", "").status == 403)
      }
    }
  }

  @Test func theHostIsThisServer() async throws {
    try await withServer { (server: TestServer) throws in
      let port = server.port
      for host in ["127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:\(port)"] {
        #expect(try server.get(server.path(), ["Host": host]).status == 200, "\(host)")
      }
      let others = [
        "", "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost",
        "127.0.0.1:\(port).evil.example", "0.0.0.0:\(port)",
      ]
      for host in others {
        #expect(try server.get(server.path(), ["Host": host]).status == 421, "\(host)")
      }
    }
  }

  @Test func otherSitesAreRefused() async throws {
    try await withServer { (server: TestServer) throws in
      let path = server.path("stop")
      func status(_ headers: [String: String]) throws -> Int {
        try server.post(path, "", headers).status
      }
      let own = "http://127.0.0.1:\(server.port)"
      #expect(try status(["Origin": own]) == 204)
      #expect(try status(["Origin": own, "Sec-Fetch-Site": "same-origin"]) == 204)
      #expect(try status(["Sec-Fetch-Site": "none"]) == 204)
      for origin in ["null", "http://evil.example", "https://127.0.0.1:\(server.port)", "\(own)1"] {
        #expect(try status(["Origin": origin]) == 403, "\(origin)")
      }
      for site in ["cross-site", "same-site", "x"] {
        #expect(try status(["Sec-Fetch-Site": site]) == 403, "\(site)")
      }
      // A link may open a page; a script may not fetch it.
      let link = [
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
      ]
      #expect(try server.get(server.path(), link).status == 200)
      #expect(try server.post(path, "", link).status == 403)
      var frame = link
      frame["Sec-Fetch-Dest"] = "iframe"
      #expect(try server.get(server.path(), frame).status == 403)
      let script = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"]
      #expect(try server.get(server.path("demos"), script).status == 403)
    }
  }

  @Test func methods() async throws {
    try await withServer { (server: TestServer) throws in
      for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        let answer = try server.connect().request(method, server.path())
        #expect(answer.status == 405, "\(method)")
      }
      let head = server.path()
      let connection = try server.connect()
      connection.sendRequest("HEAD", head)
      #expect(try connection.head().status == 405)
      for path in ["", "demos", "events"] {
        #expect(try server.post(server.path(path), "").status == 405, "\(path)")
      }
      for path in ["start", "stop", "show", "answer"] {
        #expect(try server.get(server.path(path)).status == 405, "\(path)")
      }
    }
  }

  @Test func sizesOfBodies() async throws {
    try await withServer { (server: TestServer) throws in
      let path = server.path("start")
      // The longest body is read, and then it is no JSON.
      let longest = Data(repeating: 32, count: 64 * 1024)
      #expect(try server.connect().request("POST", path, [:], longest).status == 400)
      #expect(
        try server.connect().request("POST", path, [:], longest + Data([32])).status == 413)
    }
  }

  @Test func theCatalog() async throws {
    try await withServer { (server: TestServer) throws in
      let catalog = try server.get(server.path("demos")).object
      #expect(catalog["role"] as? String == "presenter")
      #expect(catalog["isClass"] as? Bool == false)
      #expect(catalog["classAddress"] == nil)
      let demos = try #require(catalog["demos"] as? [[String: Any]])
      #expect(demos.count == 6)
      let downloads = try #require(demos.first { $0["name"] as? String == "downloads" })
      #expect(downloads["speed"] as? Int == 2)
      let knobs = try #require(downloads["knobs"] as? [[String: Any]])
      #expect(knobs.first?["name"] as? String == "tasks" && knobs.first?["max"] is Int)
    }
  }
}
