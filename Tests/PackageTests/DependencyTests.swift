// Weir as a dependency: it builds for each kind of requirement of SwiftPM, and
// brings swift-system and no other package. By version a C program and the Swift
// program of OverlayProgram are built, by path and by branch the C program alone.

import Foundation
import TestSupport
import Testing

@Suite("Weir as a dependency", .timeLimit(.minutes(10)))
struct DependencyTests {
  private static let expected = ["swift-system", "weir"]

  @Test("by version, from C and from Swift")
  func byVersion() async throws {
    let package = try await OverlayProgram.get().package
    #expect(try await package.dependencies() == Self.expected)
    #expect(try await package.run(ProgramInC.name) == [Repository.version()])
  }

  @Test(
    "by path and by branch",
    arguments: [#"path: "WEIR""#, #"url: "file://WEIR", branch: "trunk""#]
      .sampled(oneIn: 2, for: "dependency"))
  func inC(requirement: String) async throws {
    let temporary = try TemporaryDirectory()
    let weir = try await Repository.clone(into: temporary.url)
    let package = try await OutsidePackage(
      in: temporary.url.appending(component: "client", directoryHint: .isDirectory),
      manifest: """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "client",
          dependencies: [.package(\(requirement.replacing("WEIR", with: weir.path)))],
          targets: [\(ProgramInC.target)])
        """)
    try package.write(ProgramInC.source, to: "Sources/\(ProgramInC.name)/main.c")
    try await package.build()
    #expect(try await package.dependencies() == Self.expected)
    #expect(try await package.run(ProgramInC.name) == [Repository.version()])
  }

  @Test("without unsafe flags, which some versions of SwiftPM refuse in a dependency")
  func noUnsafeFlags() throws {
    #expect(try !Repository.text(of: "Package.swift").contains("unsafeFlags"))
  }
}

/// A C program that uses the product CWeir and prints the library's version.
enum ProgramInC {
  static let name = "c-program"

  static let target = """
    .executableTarget(
      name: "\(name)", dependencies: [.product(name: "CWeir", package: "weir")])
    """

  static let source = """
    #include <stdatomic.h>
    #include <stdio.h>
    #include <weir.h>

    static atomic_size_t sum;

    static void add(void *context, size_t begin, size_t end) {
        (void)context;
        for (size_t i = begin; i < end; i++) {
            sum += i;
        }
    }

    int main(void) {
        weir_apply_f(100, WEIR_STRIDE_AUTO, NULL, NULL, add);
        weir_lanes_t lanes = weir_lanes_create(NULL);
        int error = weir_lanes_async(lanes, ^(void *lane) { (void)lane; sum += 50; });
        weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
        weir_lanes_release(lanes);
        puts(weir_version());
        return error || sum != 5000;
    }
    """
}
