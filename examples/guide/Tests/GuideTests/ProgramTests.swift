// The programs in examples/guide: each is compiled with every compiler that can, and prints the
// expected output.
import Glibc
import TestSupport
import Testing

extension GuideTests {
  @Suite struct ProgramTests {
    /// The names of the programs, without `.c`.
    static let programs = names(inDirectory: Repository.guide)
      .filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) }.sorted()

    /// The programs without blocks.
    static let plain = programs.filter { $0.hasSuffix("_f") }

    @Test(arguments: programs)
    func withTheToolchainsClang(program: String) async throws {
      try await build(program, with: .toolchain)
    }

    @Test(arguments: plain)
    func withGCC(program: String) async throws {
      try await build(program, with: .gcc)
    }

    /// There is an expected output for each program and for no other name.
    @Test func everyProgramHasAnExpectedOutput() {
      #expect(Set(Self.programs.map(topic)) == Set(expectedOutputs.keys))
    }

    private func build(_ program: String, with compiler: Compiler) async throws {
      try await onThread {
        guard let workshop = try Workshops.of(compiler) else { return }
        let outcome = try workshop.run(program)
        #expect(outcome.isFine, "\(outcome.story)")
        let patterns = expectedOutputs[topic(program), default: []]
        let found = fault(inFixedOrder(outcome.lines, program), patterns)
        #expect(found == nil, "\(found ?? "")")
      }
    }
  }
}

/// One workshop a compiler, with the guide's programs.
enum Workshops {
  private static let all = Shared<[Compiler: Workshop]>([:])

  /// `nil` if the compiler is not installed.
  static func of(_ compiler: Compiler) throws -> Workshop? {
    if let there = all.value[compiler] { return there }
    guard let command = compiler.command else { return nil }
    let made = try Workshop(Repository.guide, compiler: command)
    all.change { $0[compiler] = made }
    return made
  }
}

/// Returns the program's name without `_f`.
func topic(_ program: String) -> String {
  program.hasSuffix("_f") ? String(program.dropLast(2)) : program
}

/// Sorts the two lines of a program whose order is not fixed.
private func inFixedOrder(_ lines: [String], _ program: String) -> [String] {
  guard topic(program) == "3-3a-async-and-sync" else { return lines }
  return lines.prefix(2).sorted() + lines.dropFirst(2)
}
