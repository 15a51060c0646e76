// Code with a fault does not compile, with the expected message; the same code without the fault
// compiles.

import Foundation
import TestSupport
import Testing

/// Code that must not compile, and almost the same code that must: so the compiler rejects the first
/// for its fault and not for a misspelling.
///
/// A line after `-` is in the first alone, a line after `+` in the second alone.
struct Refusal: Sendable, CustomStringConvertible {
  let name: String
  /// The effects of the function around the code.
  var effects = "throws"
  /// A part of each error of the first code.
  let message: String
  let code: String

  init(_ name: String, isAsync: Bool = false, says message: String, _ code: String) {
    self.name = name
    if isAsync { effects = "async throws" }
    self.message = message
    self.code = code
  }

  var description: String { name }

  /// Returns the code as a file of a module, with the lines after one sign.
  fileprivate func file(_ number: Int, _ sign: Character) -> String {
    let lines = code.split(separator: "\n").compactMap { line -> String? in
      guard let first = line.first, "+-".contains(first) else { return String(line) }
      return first == sign ? String(line.dropFirst()) : nil
    }
    return """
      import Dispatch
      import Synchronization
      import SystemPackage
      import Weir

      private final class Chart {
        var points: [Int] = []
        var next: Chart?
      }

      func tried\(number)() \(effects) {
        let gate = Gate(label: "gate", permits: 2)
        let group = WorkGroup(label: "group")
        let lanes = Lanes(label: "lanes", width: 2)
        let numbers = OwnedQueue(label: "numbers", context: 0)
        let charts = OwnedQueue(label: "charts", context: Chart())
        \(lines.joined(separator: "\n  "))
        _ = (gate, group, lanes, numbers, charts)
      }
      """
  }
}

@Suite("The compiler rejects", .timeLimit(.minutes(10)))
struct RefusalTests {
  @Test("code with a fault, and accepts it without the fault", arguments: all)
  func refused(_ refusal: Refusal) async throws {
    let compiled = try await Compilation.common.value
    let errors = try #require(compiled.errors[refusal.name])
    #expect(!errors.isEmpty, "it compiles")
    for error in errors {
      #expect(error.contains(refusal.message))
    }
    #expect(compiled.errorsOfMended[refusal.name] == [])
  }
}

/// The diagnostics of all refusals, compiled together: the start of a compiler takes
/// longer than a few lines.
private struct Compilation {
  var errors: [String: [String]] = [:]
  var errorsOfMended: [String: [String]] = [:]

  static let common = Task { try await Compilation(RefusalTests.all) }

  private init(_ refusals: [Refusal]) async throws {
    errorsOfMended = try await Self.compile(refusals, "+")
    // The compiler checks ownership only if all types are right: the code that it
    // accepts here is compiled again without the rejected code.
    var left = refusals
    while !left.isEmpty {
      let found = try await Self.compile(left, "-")
      errors.merge(found) { _, new in new }
      let accepted = left.filter { found[$0.name] == [] }
      if accepted.count == left.count { break }
      left = accepted
    }
  }

  /// Returns the errors of each refusal, by name.
  private static func compile(
    _ refusals: [Refusal], _ sign: Character
  ) async throws -> [String: [String]] {
    let directory = try TemporaryDirectory()
    var files: [String] = []
    for (number, refusal) in refusals.enumerated() {
      files.append("\(number).swift")
      try refusal.file(number, sign).write(
        to: directory.url.appending(component: files[number]), atomically: false, encoding: .utf8)
    }
    let outcome = try await Command(
      words: ["swiftc", "-emit-sil", "-o", "/dev/null", "-module-name", "Refused", "-wmo"]
        + ["-diagnostic-style", "llvm", "-swift-version", "6"] + Repository.modules + files,
      directory: directory.url
    ).run()
    let said = outcome.errorText.matches(of: /(?m)^(?:.*\/)?(\d+)\.swift:\d+:\d+: error: (.*)$/)
    guard said.isEmpty == (outcome.status == 0) else {
      throw CommandFailure(description: "the compiler failed: \(outcome.errorText)")
    }
    var errors = Dictionary(uniqueKeysWithValues: refusals.map { ($0.name, [String]()) })
    for error in said {
      guard let number = Int(error.1) else { continue }
      errors[refusals[number].name]?.append(String(error.2))
    }
    return errors
  }
}
