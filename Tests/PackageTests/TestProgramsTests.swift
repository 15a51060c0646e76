// The programs that `make test` may call: support/test-programs.txt. support/test.sh runs the
// tests with a PATH of links to these, so that a test which calls another program fails.

import Foundation
import TestSupport
import Testing

@Suite("The programs of the tests", .timeLimit(.minutes(1)))
struct TestProgramsTests {
  private static let repository = Repository.root

  private func listed() throws -> [String] {
    let list = Self.repository.appending(path: "support/test-programs.txt")
    return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("are the listed ones, and no other is found: python3 is not")
  func only() async throws {
    let names = try listed()
    #expect(names == Set(names).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    let place = try TemporaryDirectory()
    let programs = place.text + "/programs"
    // A program that is installed, and not listed.
    try place.write("#!/bin/sh\n", to: "python3")
    try place.setMode("python3", 0o755)
    let own = try #require(getenv("PATH").map { String(cString: $0) })
    let path = "PATH=\(place.text):\(own)"
    _ = try await Command(
      words: [path, "sh", "support/test-programs.sh", programs], directory: Self.repository
    ).text()
    let linked = try FileManager.default.contentsOfDirectory(atPath: programs)
    #expect(Set(linked).isSubset(of: names))
    #expect(["sh", "cat", "swift", "git", "make"].allSatisfy(linked.contains))
    let script = "for p in cat python3; do command -v $p || echo none; done"
    let found = try await Command(
      words: ["PATH=\(programs)", "sh", "-c", script], directory: Self.repository
    ).text()
    #expect(found == "\(programs)/cat\nnone\n")
  }

  @Test("are all that `make test` finds")
  func path() throws {
    let path = try #require(getenv("PATH").map { String(cString: $0) })
    guard path.hasSuffix("/.build/programs") else {
      print("skipped: support/test.sh does not run these tests")
      return
    }
    let linked = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(try Set(linked).isSubset(of: listed()))
    #expect(TestSupport.path(ofProgram: "python3") == nil)
  }
}
