// The programs and tests that docs/guide-map.md, docs/gcd-on-linux.md and the README of
// examples/guide name exist, and these documents name all of them.
import Foundation
import TestSupport
import Testing

extension GuideTests {
  @Suite struct DocumentTests {
    static let documents = [
      "docs/guide-map.md", "docs/gcd-on-linux.md", "examples/guide/README.md",
    ]

    /// The map and the README name every program.
    @Test(arguments: ["docs/guide-map.md", "examples/guide/README.md"])
    func everyProgramIsNamed(document: String) throws {
      let named = Set(try programNames(in: document))
      let all = Set(Repository.names(in: Repository.guide, endingIn: ".c"))
      #expect(all.subtracting(named) == [], "\(document)")
    }

    /// Every named program exists.
    @Test(arguments: documents)
    func everyNamedProgramIsThere(document: String) throws {
      let names = try programNames(in: document)
      #expect(!names.isEmpty)
      let missing = names.filter { !Repository.has("examples/guide/\($0)") }
      #expect(missing == [], "\(document)")
    }

    /// Every verdict names its test or program, and every test of a claim is named.
    @Test func everyClaimNamesItsTest() throws {
      let rows = try rows(of: "docs/gcd-on-linux.md").filter { $0.count == 4 }
        .filter { !["verdict", "the guide"].contains($0[1]) && !$0[1].hasPrefix("---") }
      #expect(rows.count > 30)
      let tests = Set(
        try ["ClaimTests", "FigureTests"].flatMap { suite in
          try Repository.text(of: "examples/guide/Tests/GuideTests/\(suite).swift")
            .matches(of: /func ([a-zA-Z0-9]+)\(/).map { String($0.1) }
        })
      var named: Set<String> = []
      for row in rows {
        #expect(
          ["true", "false", "it depends", "not here"].contains { row[1].hasPrefix($0) }, "\(row)")
        let deciders = row[3].matches(of: /`([A-Za-z0-9]+)`/).map { String($0.1) }
        let unknown = Set(deciders).subtracting(tests)
        #expect(unknown == [], "\(row)")
        named.formUnion(deciders)
        let programs = row[3].matches(of: /`[0-9a-z_-]+\.c`/)
        let isOpen = row[3].hasPrefix("none")
        #expect(!deciders.isEmpty || !programs.isEmpty || isOpen, "\(row)")
      }
      let all = Set(
        try Repository.text(of: "examples/guide/Tests/GuideTests/ClaimTests.swift")
          .matches(of: /\n    func ([a-zA-Z0-9]+)|@Test func ([a-zA-Z0-9]+)/)
          .map { String($0.1 ?? $0.2 ?? "") })
      #expect(all.subtracting(named) == [], "the document does not name these tests")
    }
  }
}

/// Returns the names of C programs in a document.
private func programNames(in document: String) throws -> [String] {
  try Repository.text(of: document).matches(of: programName).map { String($0.0) }
}

nonisolated(unsafe) private let programName =  // a regular expression never changes
  /\b[a-z0-9][a-z0-9-]*(?:_[a-z]+)?\.c\b/

/// Returns the trimmed cells of a document's tables, row by row.
private func rows(of document: String) throws -> [[String]] {
  try Repository.text(of: document).split(separator: "\n")
    .filter { $0.hasPrefix("|") }
    .map { (line: Substring) -> [String] in
      let cells: [Substring] = line.dropFirst().dropLast()
        .split(separator: "|", omittingEmptySubsequences: false)
      return cells.map { (cell: Substring) -> String in
        let end: Substring = cell.trimmingPrefix { $0 == " " }
        return String(end.reversed().drop { $0 == " " }.reversed())
      }
    }
}
