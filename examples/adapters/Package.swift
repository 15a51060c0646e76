// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since Weir depends on none of these packages.
let package = Package(
  name: "adapters",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    .target(
      name: "Adapters",
      dependencies: [
        .product(name: "Weir", package: "weir"),
        .product(name: "CWeir", package: "weir"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "AdapterTests",
      dependencies: [
        "Adapters",
        .product(name: "Weir", package: "weir"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
