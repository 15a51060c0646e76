// Weir as a dependency: it builds for each kind of requirement of SwiftPM, and brings swift-system and
// no other package. By version a C program and Fixtures/Contracts.swift are built, whose warnings are
// errors; by path and by branch the C program alone.

import Foundation
import TestSupport
import Testing

@Suite("Weir as a dependency", .timeLimit(.minutes(10)))
struct DependencyTests {
  @Test("by version, from C and from Swift")
  func byVersion() async throws {
    let client = """
      .executableTarget(
        name: "contracts", dependencies: [.product(name: "Weir", package: "weir")],
        swiftSettings: [
          .enableUpcomingFeature("ExistentialAny"),
          .enableUpcomingFeature("InternalImportsByDefault"),
          .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
        ])
      """
    let package = try await Client(
      requirement: #"url: "file://WEIR", from: "\#(Repository.version())", traits: []"#,
      targets: client, files: ["contracts/Contracts.swift": Repository.text(of: Self.contracts)])
    #expect(try await package.run("contracts") == ["Weir \(Repository.version())", "done"])
    try await package.check()
  }

  private static let contracts = "Tests/PackageTests/Fixtures/Contracts.swift"

  @Test(
    "by path and by branch",
    arguments: [#"path: "WEIR""#, #"url: "file://WEIR", branch: "trunk""#]
      .sampled(oneIn: 2, for: "dependency"))
  func inC(requirement: String) async throws {
    try await Client(requirement: requirement).check()
  }
}

/// A package outside the repository, built by SwiftPM, which depends on a clone of Weir and has a C
/// program.
private struct Client {
  private let place: TemporaryDirectory
  private var directory: URL { place.url.appending(component: "client") }

  /// - Parameters:
  ///   - requirement: The arguments of the dependency; `WEIR` stands for the path of the clone.
  ///   - targets: More targets.
  ///   - files: Their files, by the path below `Sources`.
  init(requirement: String, targets: String = "", files: [String: String] = [:]) async throws {
    place = try TemporaryDirectory()
    let weir = try await Repository.clone(into: place.url)
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "client",
        dependencies: [.package(\(requirement.replacing("WEIR", with: weir.path)))],
        targets: [
          .executableTarget(
            name: "c-program", dependencies: [.product(name: "CWeir", package: "weir")]),
          \(targets)
        ],
        swiftLanguageModes: [.v6])
      """, to: "Package.swift")
    try write(Self.programInC, to: "Sources/c-program/main.c")
    for (path, text) in files { try write(text, to: "Sources/\(path)") }
    // swift-system comes from this build's own checkout, so that these tests need no network.
    let system = Repository.checkouts.appending(component: "swift-system")
    if FileManager.default.fileExists(atPath: system.path) {
      _ = try await swift(
        "package", "config", "set-mirror", "--original", "https://github.com/apple/swift-system",
        "--mirror", "file://\(system.path)")
    }
    _ = try await swift("build", "--disable-index-store")
  }

  private static let programInC = """
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
        int error = weir_lanes_async(lanes, ^(void *lane) { (void)lane; sum += 50; });
        weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
        weir_lanes_release(lanes);
        puts(weir_version());
        return error || sum != 5000;
    }
    """

  private func write(_ text: String, to path: String) throws {
    let file = directory.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try (text + "\n").write(to: file, atomically: false, encoding: .utf8)
  }

  /// Expects that the C program runs, and that the package depends on swift-system and Weir alone.
  func check() async throws {
    struct Node: Decodable {
      let identity: String
      let dependencies: [Node]
      var below: [String] { dependencies.flatMap { [$0.identity] + $0.below } }
    }
    #expect(try await run("c-program") == [Repository.version()])
    let graph = try await swift("package", "show-dependencies", "--format", "json")
    let names = try Set(JSONDecoder().decode(Node.self, from: Data(graph.utf8)).below)
    #expect(names == ["swift-system", "weir"])
  }

  /// Runs one of the programs, and returns the printed lines.
  func run(_ program: String) async throws -> [String] {
    let built = directory.appending(path: ".build/debug/\(program)")
    return try await Command(words: [built.path], directory: directory).text()
      .split(separator: "\n").map(String.init)
  }

  /// Runs a command of SwiftPM that writes nothing to the user's home: each test has a clone at its
  /// own path.
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
