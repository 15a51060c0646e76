// The program of the scenarios (Programs/scenarios.c): the C library, used while its calls fail.

import Glibc
import TestSupport

/// The scenarios, compiled with the library and the libraries for LD_PRELOAD.
struct FaultScenarios {
  /// The directory of the program.
  let directory: TemporaryDirectory

  /// Those of all tests.
  static let common = Task { try await FaultScenarios(compiler: nil) }

  init(compiler: String?) async throws {
    directory = try TemporaryDirectory()
    let script = "\(reliabilityTests)/Programs/scenarios.sh"
    var arguments = words(script, directory.text)
    if let compiler { arguments.append(Array(compiler.utf8)) }
    var command = other("sh", arguments, in: directory)
    command.limit = 280
    let made = try await command.run()
    guard made.status == 0, made.errors.isEmpty else {
      throw CompilerFailure(description: "scenarios.sh: \(made.errorText)")
    }
  }

  /// The names of all scenarios.
  func names() async throws -> [String] {
    let listed = try await other("\(directory.text)/scenarios", words("list"), in: directory).run()
    return listed.outputText.split(separator: "\n").map(String.init)
  }

  /// Runs a scenario in a place of its own, with one fault of `every`.
  func run(_ name: String, every: Int, in place: TemporaryDirectory) async throws -> Outcome {
    var command = other(
      "\(directory.text)/scenarios", words(name, "\(every)"), in: place)
    let preloads = ["allocations", "library_calls"].map { "\(directory.text)/\($0).so" }
    command.environment = [
      "PATH=\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")",
      "LD_PRELOAD=\(preloads.joined(separator: " "))",
    ]
    command.limit = every == 1 ? 3000 : 120
    return try await command.run()
  }
}
