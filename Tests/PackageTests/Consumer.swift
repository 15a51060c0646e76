// A package of somebody else's that uses Weir, in C and in Swift.

import Foundation

struct Consumer {
  /// What its C program is called; it prints the library's version.
  static let programInC = "c-program"
  /// What its Swift program is called; it prints 1 to 4, squared, in any order.
  static let programInSwift = "swift-program"

  private let directory: URL

  /// Writes the package.
  ///
  /// - Parameters:
  ///   - parent: Where to make its directory.
  ///   - dependency: How its manifest asks for Weir.
  init(in parent: URL, dependency: String) async throws {
    directory = parent.appending(component: "consumer", directoryHint: .isDirectory)
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "consumer",
        dependencies: [\(dependency)],
        targets: [
          .executableTarget(
            name: "\(Self.programInC)", dependencies: [.product(name: "CWeir", package: "weir")]),
          .executableTarget(
            name: "\(Self.programInSwift)", dependencies: [.product(name: "Weir", package: "weir")]),
        ])
      """, to: "Package.swift")
    try write(
      """
      #include <stdatomic.h>
      #include <stdio.h>
      #include <weir.h>

      static atomic_size_t sum;

      static void add(void *context, size_t begin, size_t end) {
          (void)context;
          for (size_t i = begin; i < end; i++) {
              sum += i;
          }
      }

      int main(void) {
          weir_apply_f(100, WEIR_STRIDE_AUTO, NULL, NULL, add);
          weir_lanes_t lanes = weir_lanes_create(NULL);
          weir_lanes_async(lanes, ^(void *lane) { (void)lane; sum += 50; });
          int error = weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
          weir_lanes_release(lanes);
          puts(weir_version());
          return error || sum != 5000;
      }
      """, to: "Sources/\(Self.programInC)/main.c")
    try write(
      """
      import Weir
      let lanes = Lanes(label: "consumer", width: 2)
      for number in 1...4 {
        lanes.async { print(number * number) }
      }
      lanes.wait()
      """, to: "Sources/\(Self.programInSwift)/main.swift")

    // swift-system comes from this build's own checkout, so that these tests
    // need no network of their own.
    let system = Repository.checkouts.appending(component: "swift-system")
    if FileManager.default.fileExists(atPath: system.path) {
      _ = try await swift(
        "package", "config", "set-mirror", "--original", "https://github.com/apple/swift-system",
        "--mirror", "file://\(system.path)")
    }
  }

  /// What SwiftPM fetched for the package, by identity, but not the package.
  func dependencies() async throws -> [String] {
    struct Node: Decodable {
      let identity: String
      let dependencies: [Node]
      var below: [String] { dependencies.flatMap { [$0.identity] + $0.below } }
    }
    let graph = try await swift("package", "show-dependencies", "--format", "json")
    return try JSONDecoder().decode(Node.self, from: Data(graph.utf8)).below.sorted()
  }

  /// Builds one of its programs, runs it, and returns the lines it printed.
  func run(_ program: String) async throws -> [String] {
    // Says what it does on standard output; the program has its own run.
    _ = try await swift("build", "--product", program)
    let built = directory.appending(path: ".build/debug/\(program)")
    return try await Command(words: [built.path], directory: directory, timeLimit: 60).run()
      .split(separator: "\n").map(String.init)
  }

  /// Runs a command of SwiftPM that leaves no trace in the user's home: each
  /// test has a clone of its own at an address of its own.
  private func swift(_ words: String...) async throws -> String {
    let traces = ["cache", "config", "security"].flatMap {
      ["--\($0)-path", directory.appending(path: ".swiftpm-\($0)").path]
    }
    let group = words[0] == "package" ? 1 : words.count
    return try await Command(
      words: ["swift"] + words[..<group] + traces + words[group...], directory: directory
    ).run()
  }

  private func write(_ text: String, to path: String) throws {
    let file = directory.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try (text + "\n").write(to: file, atomically: false, encoding: .utf8)
  }
}
