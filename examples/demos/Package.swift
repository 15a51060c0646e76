// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let weir: Target.Dependency = .product(name: "Weir", package: "weir")
let core: Target.Dependency = .product(name: "CWeir", package: "weir")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

// A package of its own: users of Weir should not build a simulator of thread pools.
let package = Package(
  name: "demos",
  products: [
    .library(name: "Demos", targets: ["Demos"]),
    .executable(name: "weir-demo", targets: ["WeirDemo"]),
  ],
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "Demos", dependencies: ["PitfallPrograms", weir, core, system],
      exclude: ["README.md", "Page"], swiftSettings: swiftSettings),
    // Files beside the page, which `weir-demo pitfalls` prints as they are.
    .target(
      name: "PitfallPrograms", path: "Sources/Demos/Page/pitfalls", swiftSettings: swiftSettings),
    .executableTarget(
      name: "WeirDemo", dependencies: ["Demos", weir, system], swiftSettings: swiftSettings),
    // Links to the folders of the root package, which are no products of it.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", weir], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "DemosTests", dependencies: ["Demos", "TestSupport", weir, core, system],
      swiftSettings: swiftSettings),
    // The tests start the program.
    .testTarget(
      name: "WeirDemoTests", dependencies: ["Demos", "WeirDemo", "TestSupport", weir],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
