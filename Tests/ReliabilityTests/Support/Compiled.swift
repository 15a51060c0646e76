// The C sources of this target, compiled for a test: libraries for LD_PRELOAD in Preloads, programs
// in Programs.

import Glibc
import TestSupport

/// The folder of these tests.
let reliabilityTests = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()

let repositoryRoot = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

/// A C source that did not compile.
struct CompilerFailure: Error, CustomStringConvertible {
  let description: String
}

extension TemporaryDirectory {
  /// Compiles Preloads/NAME.c to a library in this directory, and returns its path.
  func preload(_ name: String) async throws -> String {
    try await compile("Preloads/\(name).c", to: "\(name).so", words("-shared", "-fPIC"))
  }

  /// Compiles Programs/NAME.c in this directory, and returns the path of the program.
  func program(_ name: String) async throws -> String {
    try await compile("Programs/\(name).c", to: name, [])
  }

  private func compile(_ source: String, to name: String, _ options: [[UInt8]]) async throws
    -> String
  {
    let arguments = words("-O1", "-g", "-Wall", "-Werror", "-pthread", "-o", name)
    let made = try await other(
      "cc", arguments + options + words("\(reliabilityTests)/\(source)", "-ldl"), in: self
    ).run()
    guard made.status == 0 else {
      throw CompilerFailure(description: "\(source): \(made.errorText)")
    }
    return "\(text)/\(name)"
  }
}
