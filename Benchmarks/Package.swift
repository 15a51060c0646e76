// swift-tools-version: 6.2
import PackageDescription

// The benchmark `overlay`; the others are single C files, which `run` compiles.
let package = Package(
  name: "weir-benchmarks",
  dependencies: [.package(name: "weir", path: "..", traits: [])],
  targets: [
    .target(
      name: "OverlayBodies", dependencies: [.product(name: "CWeir", package: "weir")],
      path: "overlay-bodies"),
    .executableTarget(
      name: "overlay",
      dependencies: [
        "OverlayBodies",
        .product(name: "CWeir", package: "weir"),
        .product(name: "Weir", package: "weir"),
      ],
      path: "overlay"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
