// swift-tools-version: 6.2
import PackageDescription

// The benchmarks that are written in Swift. `run` builds what it needs.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "weir", path: ".."),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "files",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "FileJobs", package: "weir"),
        .product(name: "SystemPackage", package: "swift-system"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
