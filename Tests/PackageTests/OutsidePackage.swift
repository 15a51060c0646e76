// A package outside the repository, built by SwiftPM.

import Foundation
import TestSupport

struct OutsidePackage: Sendable {
  let directory: URL

  /// Writes the manifest of a package.
  init(in directory: URL, manifest: String) async throws {
    self.directory = directory
    try write(manifest, to: "Package.swift")
    // swift-system comes from this build's own checkout, so that these tests
    // need no network of their own.
    let system = Repository.checkouts.appending(component: "swift-system")
    if FileManager.default.fileExists(atPath: system.path) {
      _ = try await swift(
        "package", "config", "set-mirror", "--original", "https://github.com/apple/swift-system",
        "--mirror", "file://\(system.path)")
    }
  }

  /// Writes one of its files.
  func write(_ text: String, to path: String) throws {
    let file = directory.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try (text + "\n").write(to: file, atomically: false, encoding: .utf8)
  }

  /// Returns the identities of the package's dependencies.
  func dependencies() async throws -> [String] {
    struct Node: Decodable {
      let identity: String
      let dependencies: [Node]
      var below: [String] { dependencies.flatMap { [$0.identity] + $0.below } }
    }
    let graph = try await swift("package", "show-dependencies", "--format", "json")
    return try Set(JSONDecoder().decode(Node.self, from: Data(graph.utf8)).below).sorted()
  }

  func build() async throws {
    _ = try await swift("build", "--disable-index-store")
  }

  /// Runs one of its programs, and returns the printed lines.
  func run(_ program: String, _ arguments: String...) async throws -> [String] {
    let built = directory.appending(path: ".build/debug/\(program)")
    let words = [built.path] + arguments
    return try await Command(words: words, directory: directory, timeLimit: 60).text()
      .split(separator: "\n").map(String.init)
  }

  /// Runs a command of SwiftPM that writes nothing to the user's home: each test
  /// has a clone at its own path.
  private func swift(_ words: String...) async throws -> String {
    let traces = ["cache", "config", "security"].flatMap {
      ["--\($0)-path", directory.appending(path: ".swiftpm-\($0)").path]
    }
    let group = words[0] == "package" ? 1 : words.count
    return try await Command(
      words: ["swift"] + words[..<group] + traces + words[group...], directory: directory
    ).text()
  }
}
