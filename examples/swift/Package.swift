// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as yours would be: it takes the libraries alone, so
// `traits: []`.
let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "weir", path: "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "starvation",
      dependencies: [.product(name: "CWeir", package: "weir")]),
    .testTarget(name: "ExampleTests", dependencies: ["starvation"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
