// Faults of memory, threads and system calls in the C library, under a program in C
// (Programs/scenarios.c). WEIR_TEST_FAULTS=all injects every fault; otherwise a sample.

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

  private static let made = Task {
    let directory = try TemporaryDirectory()
    let script = "\(reliabilityTests)/Programs/scenarios.sh"
    let command = other("sh", words(script, directory.text), in: directory)
    let made = try await command.run()
    guard made.status == 0, made.errors.isEmpty else {
      throw CompilerFailure(description: "scenarios.sh: \(made.errorText)")
    }
    return directory
  }

  /// Files and walks have the most faults, at the most calls.
  private static func step(of name: String) -> Int {
    isWhole ? 1 : name.hasPrefix("files") ? 61 : name.hasPrefix("walk") ? 37 : 11
  }

  /// Each call of the scenarios fails, once or from then on, in a process of its own, which then
  /// does the same again without a fault: no crash, no hang, the error that the header documents
  /// or the right answer, and nothing left.
  @Test("are reported or handled, and leave nothing", arguments: 0..<slices)
  func faults(slice: Int) async throws {
    let directory = try await Self.made.value
    let program = "\(directory.text)/scenarios"
    let place = try TemporaryDirectory()
    let listed = try await other(program, words("list"), in: place).run().outputText
    let names = listed.split(separator: "\n").map(String.init)
    #expect(names.count > 30)
    for (index, name) in names.enumerated() where index % Self.slices == slice {
      var command = other(program, words(name, "\(Self.step(of: name))"), in: place)
      command.environment = [
        "PATH=\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")",
        "LD_PRELOAD=\(directory.text)/faults.so",
      ]
      if Self.isWhole { command.limit = 3000 }
      let outcome = try await command.run()
      print(outcome.outputText, terminator: "")
      #expect(
        outcome.status == 0 && outcome.outputText.hasSuffix("failures 0\n"),
        "\(name): \(outcome.outputText)\(outcome.errorText)")
    }
  }
}
