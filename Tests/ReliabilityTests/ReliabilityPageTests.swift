// docs/reliability.md: each promise names a test or a target of make that exists.
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReliabilityPageTests {
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
    let named = try text(of: Self.page).matches(of: /make (test[a-z-]*|fuzz)/)
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
    for line in try text(of: Self.page).split(
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
      try text(of: "Makefile").matches(of: /(?m)^([a-z-]+):/).map { String($0.1) })
  }

  /// Returns the names of the tests of each suite, from the sources.
  private func suites() throws -> [String: Set<String>] {
    // In debug builds the words of all sources take many seconds in Swift.
    let found = try Command(
      "grep", "-roE", "(struct|class|extension) [A-Za-z0-9]+Tests\\b|@Test\\b|func [A-Za-z0-9]+",
      "--include=*.swift", repositoryRoot + "/Tests"
    ).runBlocking()
    var suites: [String: Set<String>] = [:]
    var (file, names, isTest) = (Substring(), [String](), false)
    var tests: Set<String> = []
    func endFile() {
      for name in names { suites[name, default: []].formUnion(tests) }
      (names, tests, isTest) = ([], [], false)
    }
    for line in found.outputText.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      if parts[0] != file { endFile() }
      file = parts[0]
      let words = parts[1].split(separator: " ")
      if words[0] == "func" {
        if isTest { tests.insert(String(words[1])) }
        isTest = false
      } else if words.count == 1 {
        isTest = true
      } else {
        names.append(String(words[1]))
      }
    }
    endFile()
    return suites
  }

  private func text(of file: String) throws -> String {
    try String(contentsOfFile: "\(repositoryRoot)/\(file)", encoding: .utf8)
  }
}
