// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let weir: Target.Dependency = .product(name: "Weir", package: "weir")
let demos: Target.Dependency = .product(name: "Demos", package: "demos")
let fox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")
let sockets: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")

// A package of its own: users of Weir should not fetch a web server.
let package = Package(
  name: "board",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(name: "demos", path: "../demos"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "BoardServer",
      dependencies: [
        weir, demos, fox, sockets,
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "board",
      dependencies: [
        "BoardServer", weir, demos,
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
    // Links to the folders of the root package, which are no products of it.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", weir], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    // The tests start the program for its workers.
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "BoardServer", "board", "TestSupport", weir, demos, fox, sockets,
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
