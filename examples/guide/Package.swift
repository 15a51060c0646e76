// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// The tests of the C programs, which they compile as their readers would. The programs need none
// of this.
let package = Package(
  name: "guide",
  dependencies: [.package(name: "weir", path: "../..", traits: [])],
  targets: [
    // Links to the folders of the root package, which are no products of it.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport",
      dependencies: ["CTestSupport", .product(name: "Weir", package: "weir")],
      path: "Tests/TestSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "GuideTests", dependencies: ["TestSupport"], exclude: ["Claims"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
