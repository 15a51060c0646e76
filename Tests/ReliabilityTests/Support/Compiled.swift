// The C sources of this target: the library for LD_PRELOAD in Preloads, programs in Programs.

import Glibc
import TestSupport

let reliabilityTests = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()

struct CompilerFailure: Error, CustomStringConvertible {
  let description: String
}

/// The C sources that tests load or run, each compiled once, for the test that needs it first.
enum Compiled {
  static var faultLibrary: String { get async throws { try await faults.value } }

  /// Holds the results until the process exits.
  private static let directory = Result { try TemporaryDirectory() }
  private static let faults = Task {
    try await make("faults.so", of: ["calls", "memory", "stops"].map { "Preloads/\($0).c" })
  }

  private static func make(_ name: String, of sources: [String]) async throws -> String {
    let directory = try directory.get()
    let arguments = words("-O0", "-g", "-Wall", "-Werror", "-shared", "-fPIC", "-o", name)
    let made = try await other(
      "cc",
      arguments + sources.map { Array("\(reliabilityTests)/\($0)".utf8) } + words("-ldl"),
      in: directory
    ).run()
    guard made.status == 0 else {
      throw CompilerFailure(description: "\(name): \(made.errorText)")
    }
    return "\(directory.text)/\(name)"
  }
}
