// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let weir: Target.Dependency = .product(name: "Weir", package: "weir")
let demos: Target.Dependency = .product(name: "Demos", package: "demos")
let parser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

// A package of its own: the server and the argument parser are nothing that
// users of Weir should fetch.
let package = Package(
  name: "seeds",
  products: [
    .library(name: "PictureServer", targets: ["PictureServer"])
  ],
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(name: "demos", path: "../demos"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "PictureServer",
      dependencies: [
        demos, .product(name: "FlyingFox", package: "FlyingFox"),
      ],
      swiftSettings: swiftSettings),
    .target(name: "Console", dependencies: [parser], swiftSettings: swiftSettings),
    .executableTarget(
      name: "images",
      dependencies: [demos, "PictureServer", "Console", parser],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "gallery",
      dependencies: [
        demos, "PictureServer", "Console", weir, parser,
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SeedTests",
      dependencies: [
        demos, "PictureServer", weir, "images", "gallery",
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
