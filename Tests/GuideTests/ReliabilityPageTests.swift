// docs/reliability.md: each promise names a test or a target of make that exists.
import Foundation
import Glibc
import TestSupport
import Testing

extension GuideTests {
  @Suite struct ReliabilityPageTests {
    static let page = "docs/reliability.md"

    /// A name in backticks in the column of the tests is `make TARGET`, a suite, or a test as
    /// `Suite/function`.
    @Test func everyNamedTestExists() throws {
      let promises = try promises()
      #expect(promises.count > 20)
      let suites = try suites()
      let targets = try targets()
      for promise in promises {
        #expect(!promise.promise.isEmpty && !promise.tests.isEmpty, "\(promise)")
        for name in promise.tests {
          if name.hasPrefix("make ") {
            #expect(targets.contains(String(name.dropFirst(5).prefix { $0 != " " })), "\(name)")
            continue
          }
          let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
          let functions = try #require(suites[parts[0]], "there is no suite \(name)")
          #expect(parts.count <= 2, "\(name)")
          if parts.count == 2 { #expect(functions.contains(parts[1]), "there is no test \(name)") }
        }
      }
    }

    /// Every target of make on the page exists, in the text too.
    @Test func everyTargetExists() throws {
      let targets = try targets()
      let named = try Repository.text(of: Self.page).matches(of: /make (test[a-z-]*|fuzz)/)
        .map { String($0.1) }
      #expect(Set(named).subtracting(targets) == [])
    }

    private struct Promise {
      let promise: String
      let tests: [String]
    }

    /// Returns the rows of the tables with the columns promise, test and figure.
    private func promises() throws -> [Promise] {
      var promises: [Promise] = []
      var isInside = false
      for line in try Repository.text(of: Self.page).split(
        separator: "\n", omittingEmptySubsequences: false)
      {
        let cells = cells(of: line)
        if cells == ["promise", "test", "figure"] {
          isInside = true
        } else if !line.hasPrefix("|") {
          isInside = false
        } else if isInside, !line.hasPrefix("|--") {
          #expect(cells.count == 3, "\(line)")
          let tests = cells.dropFirst().first?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
          promises.append(Promise(promise: cells.first ?? "", tests: tests))
        }
      }
      return promises
    }

    private func cells(of line: Substring) -> [String] {
      guard line.hasPrefix("|") else { return [] }
      return line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func targets() throws -> Set<String> {
      Set(
        try Repository.text(of: "Makefile").matches(of: /(?m)^([a-z-]+):/).map { String($0.1) })
    }

    /// Returns the names of the tests of each suite, from the sources.
    private func suites() throws -> [String: Set<String>] {
      var suites: [String: Set<String>] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: Repository.root + "/Tests")
      where path.hasSuffix(".swift") {
        let text = try Repository.text(of: "Tests/\(path)")
        let names = text.matches(of: /(?:struct|class|extension) (\w+Tests)\b/)
          .map { String($0.1) }
        // The test follows its attribute, perhaps after lines with arguments.
        let tests = text.components(separatedBy: "@Test").dropFirst().compactMap { part in
          part.firstMatch(of: /func (\w+)/).map { String($0.1) }
        }
        for name in names { suites[name, default: []].formUnion(tests) }
      }
      return suites
    }
  }
}
