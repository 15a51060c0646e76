// The course: the demos and pitfalls that its pages name. Its game is tested by make test-course.

import Demos
import Foundation
import TestSupport
import Testing

@Suite struct CourseTests {
  private static func text(_ name: String) throws -> String {
    let examples = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    return try String(contentsOfFile: "\(examples)/course/\(name)", encoding: .utf8)
  }

  @Test("each pitfall that a page or a level names exists, and each has a page")
  func pitfalls() throws {
    let pages = try Self.text("pages.js").matches(of: #/pitfall\("([^"]*)"/#)
      .map { String($0.output.1) }
    #expect(pages.sorted() == Pitfall.all.map(\.name).sorted())
    // The recordings are of these programs.
    let recorded = try Self.text("pitfalls.jsonl").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(recorded.map { $0["name"] as? String } == Pitfall.all.map(\.name))
    for (line, pitfall) in zip(recorded, Pitfall.all) {
      for version in PitfallVersion.allCases {
        #expect(
          line["\(version.rawValue)Code"] as? String
            == pitfall.lines(version).map(\.text).joined(separator: "\n"))
      }
    }
    let levels = try Self.text("game/levels.js").matches(of: #/pitfall: "([^"]*)"/#)
    #expect(levels.count > 4)
    for match in levels { #expect(pages.contains(String(match.output.1))) }
  }

  @Test("the programs compile, but for the one whose errors are shown")
  func programs() async throws {
    guard path(ofProgram: "swiftc") != nil else { return }
    let directory = try TemporaryDirectory()
    let folder =
      #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
      + "/course/programs"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".swift") {
      let result = try await shell(
        "cd \"$1\" && swiftc -typecheck -swift-version 6 $2 2>&1", folder, name, in: directory
      ).run()
      let errors = result.outputText.matches(of: #/sendable.swift:\d+:\d+: error: [^\[\n]*/#)
        .map { $0.output.trimmingCharacters(in: .whitespaces) }
      #expect((result.status == 0) == (name != "sendable.swift"), "\(result.outputText)")
      let shown = try Self.text("programs/sendable.txt")
      #expect(errors.allSatisfy(shown.contains) && errors.count == (result.status == 0 ? 0 : 2))
    }
  }

  @Test("each run of a page is one of a demo, and its question is one of the demo")
  func runs() throws {
    let text = try Self.text("pages.js").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let runs = text.matches(of: #/(run|asked)\("[^"]*", "[^"]*", "([^"]*)", "([^"]*)"/#)
    #expect(runs.count == text.matches(of: #/(run|asked)\("/#).count)
    #expect(runs.count > 20)
    for run in runs {
      let words = run.output.2.split(separator: " ").map(String.init)
      let demo = try #require(Demo.named(words[0]), "\(words)")
      // Options are in pairs here.
      for index in stride(from: 1, to: words.count, by: 2) {
        #expect(demo.knobs.contains { "--\($0.name)" == words[index] }, "\(words)")
      }
      guard run.output.1 == "run" else { continue }
      #expect(demo.questions.contains { $0.name == run.output.3 }, "\(words): \(run.output.3)")
    }
  }
}
