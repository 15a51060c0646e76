// Permits that a scope keeps: the documented forms compile without a warning, and the form
// that the documentation warns of still has the fix-it that would release the permit.

import Foundation
import TestSupport
import Testing

@Suite("A permit that is kept to the end of its scope", .timeLimit(.minutes(3)))
struct KeptPermitTests {
  /// The warning whose fix-it replaces the variable by `_`.
  private static let fixIt = "was never used; consider replacing with assignment to '_'"

  @Test(
    "compiles without a warning in the documented forms",
    arguments: [
      "let permit = try gate.acquire()\ndefer { extendLifetime(permit) }",
      "let permit = try await gate.acquire()\ndefer { extendLifetime(permit) }",
      "let permit = try gate.acquire().owned()\ndefer { permit.release() }",
      "let permit = try await gate.acquire().owned()\ndefer { permit.release() }",
      "let membership = group.enter()\ndefer { extendLifetime(membership) }",
      "try await gate.withPermit {}",
      "try await gate.withPermit(timeout: .seconds(1)) {}",
    ])
  func documented(_ code: String) async throws {
    #expect(try await warnings(of: code) == [])
  }

  @Test(
    "leads to the warning that the documentation describes without them",
    arguments: [
      "let permit = try gate.acquire()", "let permit = try await gate.acquire()",
      "let membership = group.enter()",
    ])
  func undocumented(_ code: String) async throws {
    let warnings = try await warnings(of: code)
    #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains(Self.fixIt) })
  }

  @Test("is what the documentation of acquire shows")
  func examples() throws {
    for form in ["Gate+Blocking", "Gate+Async", "Permit"] {
      let text = try Repository.text(of: "Sources/Weir/Gate/\(form).swift")
      #expect(text.contains("defer { extendLifetime(permit) }"), "\(form)")
    }
  }

  /// Compiles code in a function, and returns the compiler's warnings and errors.
  private func warnings(of code: String) async throws -> [String] {
    let directory = try TemporaryDirectory()
    let source = """
      import Weir

      func kept(_ gate: Gate, _ group: WorkGroup) \(code.contains("await") ? "async " : "")throws {
        \(code)
        print("kept")
      }
      """
    try source.write(
      to: directory.url.appending(component: "Kept.swift"), atomically: false, encoding: .utf8)
    let modules = [
      Repository.products.appending(component: "Modules"),
      Repository.root.appending(path: "Sources/CWeir/include"),
      Repository.checkouts.appending(path: "swift-system/Sources/CSystem/include"),
    ].flatMap { ["-I", $0.path] }
    let outcome = try await Command(
      words: ["swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6"]
        + ["-diagnostic-style", "llvm", "-module-name", "Kept"] + modules + ["Kept.swift"],
      directory: directory.url, timeLimit: 120
    ).run()
    return outcome.errorText.split(separator: "\n").map(String.init)
      .filter { $0.contains(/(error|warning):\s/) }
  }
}
