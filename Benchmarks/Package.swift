// swift-tools-version: 6.2
import PackageDescription

// The benchmarks that need Swift; the others are single C files, which `run`
// compiles.
let package = Package(
  name: "weir-benchmarks",
  dependencies: [
    .package(name: "weir", path: ".."),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
  ],
  targets: [
    .target(
      name: "OverlayBodies", dependencies: [.product(name: "CWeir", package: "weir")],
      path: "overlay-bodies"),
    .executableTarget(
      name: "overlay",
      dependencies: ["OverlayBodies", .product(name: "Weir", package: "weir")],
      path: "overlay"),
    .executableTarget(
      name: "adopter",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      path: "adopter", swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "files",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "FileJobs", package: "weir"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "files"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
