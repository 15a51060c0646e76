// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as yours would be: it takes the libraries alone, so
// `traits: []`.
let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "starvation",
      dependencies: [.product(name: "CWeir", package: "weir")]),
    .executableTarget(
      name: "lines",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "count",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "lines-in-c",
      dependencies: [.product(name: "CWeir", package: "weir")]),
    .testTarget(
      name: "ExampleTests", dependencies: ["starvation", "lines", "lines-in-c", "count"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
