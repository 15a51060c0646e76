// valgrind's memcheck, on a program that is linked with the installed library.

import Foundation
import TestSupport
import Testing

@Suite(
  "valgrind", .timeLimit(.minutes(10)),
  .enabled(
    if: isInstalled("pkg-config") && isInstalled("valgrind"),
    "pkg-config or valgrind is not installed"))
struct ValgrindTests {
  /// valgrind 3.19 ends at the DWARF 5 of clang, so the library has DWARF 4.
  @Test(
    "understands the library, and reports nothing",
    arguments: ["pool", "lines", "weir_lanes", "weir_gate", "weir_group", "weir_queue"])
  func silence(name: String) async throws {
    let weir = try await Installation.get()
    let program = try await weir.build(
      Repository.text(of: "man/examples/\(name).c"), with: "clang -g -gdwarf-4", .shared)
    let outcome = try await Command(
      words: [
        "valgrind", "-q", "--leak-check=full", "--error-exitcode=9",
        "--suppressions=\(Repository.root.appending(path: "support/valgrind.supp").path)",
        program.path, "support",
      ], directory: Repository.root
    ).run()
    // It does not know openat2, by which a lane opens the directory of files that it shares.
    let lines = outcome.errorText.split(separator: "\n").filter { !$0.hasPrefix("--") }
    #expect(lines == (name == "pool" ? ["pool: support: Is a directory"] : []))
    #expect(outcome.status == (name == "pool" ? 1 : 0))
  }
}
