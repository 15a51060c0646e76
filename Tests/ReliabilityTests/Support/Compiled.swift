// The C sources of this target, compiled for a test: the library for LD_PRELOAD in Preloads, programs
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
  /// Compiles Preloads to a library in this directory, and returns its path.
  func faultLibrary() async throws -> String {
    try await compile(
      ["Preloads/calls.c", "Preloads/memory.c"], to: "faults.so", words("-shared", "-fPIC"))
  }

  /// Compiles Programs/NAME.c in this directory, and returns the path of the program.
  func program(_ name: String) async throws -> String {
    try await compile(["Programs/\(name).c"], to: name, [])
  }

  private func compile(
    _ sources: [String], to name: String, _ options: [[UInt8]]
  ) async throws -> String {
    let arguments = words("-O1", "-g", "-Wall", "-Werror", "-pthread", "-o", name)
    let made = try await other(
      "cc",
      arguments + options + sources.map { Array("\(reliabilityTests)/\($0)".utf8) }
        + words("-ldl"), in: self
    ).run()
    guard made.status == 0 else {
      throw CompilerFailure(description: "\(name): \(made.errorText)")
    }
    return "\(text)/\(name)"
  }
}
