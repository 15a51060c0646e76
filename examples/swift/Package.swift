// swift-tools-version: 6.2
import PackageDescription

// A package like your own: it uses the libraries only, so it sets `traits: []`.
let weir: [Target.Dependency] = [
  .product(name: "Weir", package: "weir"),
  .product(name: "SystemPackage", package: "swift-system"),
]
let programs = [
  "lines", "crawler", "thumbnailer", "pool", "reduce", "words", "children", "deadlock", "misuse",
]
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: programs.map {
    .executableTarget(name: $0, dependencies: weir, swiftSettings: settings)
  } + [
    // FileJobs needs OpenSSL (`apt install libssl-dev`).
    .executableTarget(
      name: "digests", dependencies: weir + [.product(name: "FileJobs", package: "weir")],
      swiftSettings: settings),
    .executableTarget(
      name: "lines-in-c",
      dependencies: [.product(name: "CWeir", package: "weir")]),
    .testTarget(
      name: "ExampleTests",
      dependencies: (programs + ["digests", "lines-in-c"]).map { .target(name: $0) }),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
