// swift-tools-version: 6.2
import PackageDescription

// The fuzzers of the parsers that are Swift; `run` compiles those of the C parsers. The properties
// that hold for every input lie in Tests/FuzzTests, since `make test` checks the corpora with them.
let package = Package(
  name: "weir-fuzz",
  dependencies: [
    .package(name: "weir", path: "..", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    .target(name: "CFuzz"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CFuzz",
        .product(name: "FileJobs", package: "weir"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Fuzzers"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
