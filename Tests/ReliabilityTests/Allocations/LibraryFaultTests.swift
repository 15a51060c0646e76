// Faults of memory, threads and system calls in the C library, under a program in C.
// WEIR_TEST_FAULTS=all injects every fault; otherwise a sample.

import Glibc
import TestSupport
import Testing

@Suite(
  "faults in the C library: LibraryFaultTests", .timeLimit(.minutes(60)),
  .enabled(if: canInterpose(), "there is no compiler, or no library can be loaded first"))
struct LibraryFaultTests {
  private static let isWhole =
    getenv("WEIR_TEST_FAULTS").map { String(cString: $0) == "all" } ?? false
  private static let slices = 3

  /// Files and walks have the most faults, at the most calls.
  private static func step(of name: String) -> Int {
    isWhole ? 1 : name.hasPrefix("files") ? 61 : name.hasPrefix("walk") ? 37 : 11
  }

  /// Each call of the scenarios fails, once or from then on, in a process of its own, which then
  /// does the same again without a fault: no crash, no hang, the error that the header documents
  /// or the right answer, and nothing left.
  @Test("are reported or handled, and leave nothing", arguments: 0..<slices)
  func faults(slice: Int) async throws {
    let scenarios = try await FaultScenarios.common.value
    let place = try TemporaryDirectory()
    let names = try await scenarios.names()
    #expect(names.count > 30)
    for (index, name) in names.enumerated() where index % Self.slices == slice {
      let outcome = try await scenarios.run(name, every: Self.step(of: name), in: place)
      print(outcome.outputText, terminator: "")
      #expect(
        outcome.status == 0 && outcome.outputText.hasSuffix("failures 0\n"),
        "\(name): \(outcome.outputText)\(outcome.errorText)")
    }
  }

  /// Defects planted in the scenarios: the program finds each of them.
  @Test(
    "are found if they do harm",
    arguments: ["planted-leak", "planted-descriptor", "planted-silence", "planted-crash"])
  func planted(name: String) async throws {
    let scenarios = try await FaultScenarios.common.value
    let outcome = try await scenarios.run(name, every: 1, in: TemporaryDirectory())
    #expect(outcome.status == 1)
    #expect(!outcome.outputText.contains("failures 0\n"))
  }

  /// gcc has no blocks, and other warnings.
  @Test("are the same with gcc", .enabled(if: isWhole && isInstalled("gcc")))
  func gcc() async throws {
    let scenarios = try await FaultScenarios(compiler: "gcc")
    let place = try TemporaryDirectory()
    for name in try await scenarios.names() {
      let outcome = try await scenarios.run(name, every: 101, in: place)
      #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errorText)")
    }
  }
}
