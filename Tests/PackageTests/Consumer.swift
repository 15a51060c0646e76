// A package of somebody else's that uses Weir, in C and in Swift.

import Foundation

struct Consumer {
  /// What its C program is called; it prints the library's version.
  static let programInC = "c-program"
  /// What its Swift program is called; it prints 1 to 4, squared, in any order.
  static let programInSwift = "swift-program"

  private let package: OutsidePackage

  /// Writes the package.
  ///
  /// - Parameters:
  ///   - parent: Where to make its directory.
  ///   - dependency: How its manifest asks for Weir.
  init(in parent: URL, dependency: String) async throws {
    package = try await OutsidePackage(
      in: parent.appending(component: "consumer", directoryHint: .isDirectory),
      manifest: """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "consumer",
          dependencies: [\(dependency)],
          targets: [
            .executableTarget(
              name: "\(Self.programInC)", dependencies: [.product(name: "CWeir", package: "weir")]),
            .executableTarget(
              name: "\(Self.programInSwift)", dependencies: [.product(name: "Weir", package: "weir")]),
          ])
        """)
    try package.write(
      """
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
          weir_lanes_async(lanes, ^(void *lane) { (void)lane; sum += 50; });
          int error = weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
          weir_lanes_release(lanes);
          puts(weir_version());
          return error || sum != 5000;
      }
      """, to: "Sources/\(Self.programInC)/main.c")
    try package.write(
      """
      import Weir
      let lanes = Lanes(label: "consumer", width: 2)
      for number in 1...4 {
        lanes.async { print(number * number) }
      }
      lanes.wait()
      """, to: "Sources/\(Self.programInSwift)/main.swift")
  }

  /// What SwiftPM fetched for the package, by identity, but not the package.
  func dependencies() async throws -> [String] {
    try await package.dependencies()
  }

  /// Builds one of its programs, runs it, and returns the lines it printed.
  func run(_ program: String) async throws -> [String] {
    try await package.build(program)
    return try await package.run(program)
  }
}
