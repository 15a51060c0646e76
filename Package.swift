// swift-tools-version: 6.2
import PackageDescription

// Nothing depends on the trait `Tool` any more: swift-system is the only dependency. The trait
// stays, since SwiftPM refuses the `traits: []` of earlier users for a package without traits.
let onLinux: BuildSettingCondition = .when(platforms: [.linux])

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// With WEIR_POSIX=1 the C sources restrict themselves to POSIX, as on systems that this package has
// no own sources for (`make test-posix`).
let posix = Context.environment["WEIR_POSIX"] != nil
let posixSettings: [CSetting] = posix ? [.define("WEIR_POSIX")] : []

let package = Package(
  name: "weir",
  platforms: [.macOS(.v15)],  // the first with the module Synchronization
  products: [
    .library(name: "CWeir", targets: ["CWeir"]),
    .library(name: "Weir", targets: ["Weir"]),
    .library(name: "FileJobs", targets: ["FileJobs"]),
    .executable(name: "weir", targets: ["WeirTool"]),
  ],
  traits: [
    .trait(
      name: "Tool",
      description: "The command-line tool and the jobs that need OpenSSL and xxHash."),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.8.0")
  ],
  targets: [
    // libdispatch is linked by name: SwiftPM does so for Swift alone. Its
    // headers are not needed (include/weir/libdispatch.h says why).
    .target(
      name: "CWeir",
      exclude: ["README.md"],
      cSettings: [.headerSearchPath(".")] + posixSettings,
      linkerSettings: [
        .linkedLibrary("dispatch", onLinux),
        .linkedLibrary("BlocksRuntime", onLinux),
      ]),
    // Glibc, Musl or Darwin under one name.
    .target(name: "WeirLibC", swiftSettings: swiftSettings),
    .target(
      name: "Weir",
      dependencies: [
        "CWeir",
        "WeirLibC",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["README.md"],
      // Spans that a file lends depend on its lifetime.
      swiftSettings: swiftSettings + [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "CFileKernels",
      cSettings: posixSettings,
      linkerSettings: [.linkedLibrary("crypto")]),
    .target(
      name: "FileJobs",
      dependencies: [
        "Weir",
        "CWeir",
        "WeirLibC",
        "CFileKernels",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["README.md"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "WeirTool",
      dependencies: [
        "Weir",
        "FileJobs",
        "WeirLibC",
        "CFileKernels",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["README.md"],
      swiftSettings: swiftSettings),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "WeirLibC"], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "WeirTests",
      dependencies: [
        "Weir",
        // The forms of the file processor that only this package has.
        "FileJobs",
        "WeirLibC",
        "CWeir",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "FileJobsTests",
      dependencies: [
        "FileJobs",
        "WeirLibC",
        "CFileKernels",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "WeirToolTests",
      dependencies: ["WeirTool", "Weir", "WeirLibC", "TestSupport", "CTestSupport"],
      swiftSettings: swiftSettings),
    // Faults, races and kills, against the tool as a program of its own. The tests
    // compile Preloads and Programs.
    .testTarget(
      name: "ReliabilityTests", dependencies: ["WeirLibC", "TestSupport", "CTestSupport"],
      exclude: ["Preloads", "Programs"],
      swiftSettings: swiftSettings),
    // The corpora of the fuzzers. The package in Fuzz has the same properties, by a link.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "FileJobs",
        "Weir",
        "WeirLibC",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
