// A package outside the repository, built once for all tests: the Swift program of
// Fixtures/OverlayClient and a C program, with Weir as a dependency by version. Other tests
// use the modules of its build.

import Foundation
import TestSupport

struct OverlayProgram: Sendable {
  static let name = "overlay"
  static let sources = "Tests/PackageTests/Fixtures/OverlayClient"

  /// The upcoming features that Weir's manifest enables, and its users may.
  static let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

  /// A clone of the repository.
  let weir: URL
  /// The package that depends on Weir.
  let package: OutsidePackage

  private let directory: TemporaryDirectory

  static let common = Task { try await OverlayProgram() }

  /// Returns the package for all tests, built. Only the test that runs the Swift
  /// program reports why the build failed.
  static func get() async throws -> OverlayProgram {
    guard case .success(let program) = await common.result else {
      throw CommandFailure(description: "the program of Fixtures/OverlayClient has not been built")
    }
    return program
  }

  private init() async throws {
    directory = try TemporaryDirectory()
    weir = try await Repository.clone(into: directory.url)
    let features = Self.features.map { ".enableUpcomingFeature(\"\($0)\"), " }.joined()
    package = try await OutsidePackage(
      in: directory.url.appending(component: "client", directoryHint: .isDirectory),
      manifest: """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "client",
          dependencies: [
            .package(url: "\(weir)", from: "\(Repository.version())", traits: []),
            .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
          ],
          targets: [
            .executableTarget(
              name: "\(Self.name)",
              dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "SystemPackage", package: "swift-system"),
              ],
              swiftSettings: [\(features).treatAllWarnings(as: .error)]),
            \(ProgramInC.target),
          ],
          swiftLanguageModes: [.v6])
        """)
    for (name, text) in try sources(in: Self.sources) {
      try package.write(text, to: "Sources/\(Self.name)/\(name)")
    }
    try package.write(ProgramInC.source, to: "Sources/\(ProgramInC.name)/main.c")
    try await package.build()
  }

  /// The Swift files of a directory of the repository, by name.
  func sources(in path: String) throws -> [String: String] {
    let directory = weir.appending(path: path)
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(".swift") }
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, try String(contentsOf: directory.appending(path: name), encoding: .utf8))
      })
  }

  /// The search paths of a compiler for Weir and its imports.
  var searchPaths: [String] {
    let system = ".build/checkouts/swift-system/Sources/CSystem/include"
    return [
      package.directory.appending(path: ".build/debug/Modules"),
      weir.appending(path: "Sources/CWeir/include"),
      package.directory.appending(path: system),
    ].flatMap { ["-I", $0.path] }
  }

  /// The compiler flags of the program's language.
  static var language: [String] {
    ["-swift-version", "6"] + features.flatMap { ["-enable-upcoming-feature", $0] }
  }
}
