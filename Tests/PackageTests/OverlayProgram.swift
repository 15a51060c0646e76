// The program of Fixtures/OverlayClient as a package outside the repository, and the
// module Weir as that package has built it. One for all tests.

import Foundation
import TestSupport

struct OverlayProgram {
  static let name = "overlay"
  static let sources = "Tests/PackageTests/Fixtures/OverlayClient"

  /// What the overlay's own manifest turns on, and what its users may.
  static let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]

  /// A clone of the repository.
  let weir: URL
  /// Weir is a dependency of this.
  let package: OutsidePackage

  private let directory: TemporaryDirectory

  static let common = Task { try await OverlayProgram() }

  /// The one for all tests, built. What keeps it from being built is told by
  /// the test that runs it, and not by all.
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
            .package(path: "\(weir.path)", traits: []),
            .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
          ],
          targets: [
            .executableTarget(
              name: "\(Self.name)",
              dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "SystemPackage", package: "swift-system"),
              ],
              swiftSettings: [\(features).treatAllWarnings(as: .error)])
          ],
          swiftLanguageModes: [.v6])
        """)
    for (name, text) in try sources(in: Self.sources) {
      try package.write(text, to: "Sources/\(Self.name)/\(name)")
    }
    try await package.build(Self.name)
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

  /// Where a compiler finds Weir and what it imports.
  var searchPaths: [String] {
    let system = ".build/checkouts/swift-system/Sources/CSystem/include"
    return [
      package.directory.appending(path: ".build/debug/Modules"),
      weir.appending(path: "Sources/CWeir/include"),
      package.directory.appending(path: system),
    ].flatMap { ["-I", $0.path] }
  }

  /// The language that the program is compiled as.
  static var language: [String] {
    ["-swift-version", "6"] + features.flatMap { ["-enable-upcoming-feature", $0] }
  }
}
