// swift-tools-version: 6.2
import PackageDescription

// A package like your own: it uses the libraries only, so it sets `traits: []`.
let weir: [Target.Dependency] = [
  .product(name: "Weir", package: "weir"),
  .product(name: "SystemPackage", package: "swift-system"),
]

let package = Package(
  name: "examples",
  dependencies: [
    .package(name: "weir", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(name: "lines", dependencies: weir),
    .executableTarget(
      name: "lines-in-c",
      dependencies: [.product(name: "CWeir", package: "weir")]),
    // Downloads with a shared limit, a blocking C library, a directory with errors.
    .executableTarget(name: "downloads", dependencies: weir),
    .executableTarget(name: "accounts", dependencies: weir),
    .executableTarget(name: "inspect", dependencies: weir),
    // The verbs of the tool as small programs.
    .executableTarget(name: "hash", dependencies: weir + ["CCrypto"]),
    .executableTarget(name: "check", dependencies: weir + ["CCrypto"]),
    .executableTarget(name: "count", dependencies: weir),
    .executableTarget(name: "duplicates", dependencies: weir + ["CCrypto"]),
    .executableTarget(name: "run", dependencies: weir),
    .executableTarget(name: "limits", dependencies: weir),
    // OpenSSL, for digests.
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "lines", "lines-in-c", "downloads", "accounts", "inspect", "hash", "check", "count",
        "duplicates", "run", "limits",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
