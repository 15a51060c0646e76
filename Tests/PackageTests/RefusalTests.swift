// Code with a fault does not compile, with the expected message; the same code
// without the fault compiles.

import Foundation
import TestSupport
import Testing

@Suite("The compiler rejects", .timeLimit(.minutes(10)))
struct RefusalTests {
  static let all =
    permits + memberships + variables + objects + contexts + loans + blocking + asyncClosures

  @Test("code with a fault", arguments: all)
  func refused(_ refusal: Refusal) async throws {
    let compiled = try await Compilation.get()
    let errors = try #require(compiled.errors[refusal.name])
    #expect(!errors.isEmpty, "it compiles")
    for error in errors {
      #expect(error.contains(refusal.message))
    }
  }

  @Test("and accepts the same code without the fault", arguments: all)
  func mended(_ refusal: Refusal) async throws {
    let errors = try await Compilation.get().errorsOfMended[refusal.name]
    #expect(errors == [])
  }

  @Test("each blocking function in async code")
  func everyBlockingForm() async throws {
    let functions = try await PublicInterface.get().blocking()
    #expect(functions.count > 10, "the interface has too few functions")
    let refused = Set(Self.blocking.map { String($0.name.prefix { $0 != " " }) })
    #expect(functions.subtracting(refused).isEmpty, "no code of these tests calls them")
    #expect(refused.subtracting(functions).isEmpty, "these functions do not block")
  }
}

/// The diagnostics of all refusals, compiled together: the start of a compiler takes
/// longer than a few lines.
private struct Compilation {
  var errors: [String: [String]] = [:]
  var errorsOfMended: [String: [String]] = [:]

  private static let common = Task { try await Compilation(RefusalTests.all) }

  static func get() async throws -> Compilation { try await common.value }

  private init(_ refusals: [Refusal]) async throws {
    let program = try await OverlayProgram.get()
    errorsOfMended = try await Self.compile(refusals, "+", program)
    // The compiler checks ownership only if all types are right: the code that it
    // accepts here is compiled again without the rejected code.
    var left = refusals
    while !left.isEmpty {
      let found = try await Self.compile(left, "-", program)
      errors.merge(found) { _, new in new }
      let accepted = left.filter { found[$0.name] == [] }
      if accepted.count == left.count { break }
      left = accepted
    }
  }

  /// Returns the errors of each refusal, by name.
  private static func compile(
    _ refusals: [Refusal], _ sign: Character, _ program: OverlayProgram
  ) async throws -> [String: [String]] {
    let directory = try TemporaryDirectory()
    var files: [String] = []
    for (number, refusal) in refusals.enumerated() {
      files.append("\(number).swift")
      try refusal.file(number, sign).write(
        to: directory.url.appending(component: files[number]), atomically: false, encoding: .utf8)
    }
    let outcome = try await Command(
      words: ["swiftc", "-emit-sil", "-o", "/dev/null", "-module-name", "Refused"]
        + ["-wmo", "-diagnostic-style", "llvm"]
        + OverlayProgram.language + program.searchPaths + files,
      directory: directory.url, timeLimit: 300
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
