// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let weir: Target.Dependency = .product(name: "Weir", package: "weir")

// A package of its own: users of Weir should not fetch a web server.
let package = Package(
  name: "seeds",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "gallery",
      dependencies: [weir, .product(name: "FlyingFox", package: "FlyingFox")],
      swiftSettings: swiftSettings),
    .testTarget(name: "SeedTests", dependencies: ["gallery"], swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
