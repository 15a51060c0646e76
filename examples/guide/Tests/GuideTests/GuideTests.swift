// The guide's listings as programs, and its claims on this machine. They run one after the other,
// because some of them measure times.

import Glibc
import TestSupport
import Testing

@Suite("Guide", .serialized, .timeLimit(.minutes(10)))
struct GuideTests {
  @Test(arguments: Row.programs)
  func program(row: Row) async throws { try await check(row, Workshop.guide()) }

  @Test(arguments: Row.claims)
  func claim(row: Row) async throws { try await check(row, Workshop.claims()) }

  @Test("each program has a row, and each row a program")
  func rows() throws {
    let files = names(inDirectory: Workshop.folder).filter { $0.hasSuffix(".c") }
    #expect(Set(files.map { String($0.dropLast(2)) }) == Set(Row.programs.map(\.description)))
  }

  @Test(
    "a mistake traps without a word",
    arguments: [
      "sync-to-own-serial-queue", "apply-to-own-serial-queue", "leave-without-enter",
      "release-of-a-semaphore-in-use", "resume-without-suspend", "release-of-a-suspended-queue",
    ])
  func trap(mistake: String) async throws {
    let workshop = try await onThread { try Workshop.claims() }
    let outcome = try await workshop.run("traps \(mistake)").run()
    #expect((outcome.signal == SIGILL || outcome.signal == SIGTRAP) && !outcome.wasLate)
    #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.outputText)")
  }

  /// A loop runs each index once, and descriptors run out.
  @Test("the numbers that the programs print")
  func numbers() async throws {
    try await check([
      "3-5-concurrent-loop": { $0[1].sorted() == (0..<12).map(Double.init) },
      "3-5d-semaphore": { $0[3][0] < 64 && $0[3][1] > 400 },
    ])
  }

  /// A stride pays for tiny iterations alone, a lock is cheaper than a queue, and a task than a thread.
  @Test("the times that the programs print", .enabled(if: getenv("WEIR_TEST_WAITS") != nil))
  func times() async throws {
    try await check([
      "3-5a-striding": { $0[7][1] > 1.5 * max(1, $0[13][1]) },
      "5-lock": { $0[1][0] < 2 * $0[2][0] && $0[1][0] < $0[3][0] },
      "5-threads": { $0[1][1] < 2 * $0[0][1] },
    ])
  }

  /// A busy machine can spoil a run.
  private func check(_ isSo: [String: @Sendable ([[Double]]) -> Bool]) async throws {
    let workshop = try await onThread { try Workshop.guide() }
    for (program, isSo) in isSo {
      var found: [[Double]] = []
      for _ in 0..<3 where found.isEmpty || !isSo(found) {
        found = try await workshop.run(program).run().lines.map { line in
          // The words of a line are no numbers, but for a stride and a count before the result.
          line.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
            .dropFirst(line.contains("stride") ? 1 : 0).map(\.self)
        }
      }
      #expect(isSo(found), "\(program): \(found)")
    }
  }

  private func check(
    _ row: Row, _ workshop: @autoclosure @escaping @Sendable () throws -> Workshop
  ) async throws {
    let workshop = try await onThread(workshop)
    for attempt in 1...row.tries {
      let outcome = try await workshop.run(row.description).run()
      #expect(outcome.status == 0 && outcome.errors.isEmpty && !outcome.wasLate, "\(outcome)")
      if outcome.outputText.hasPrefix("skipped") { return print(outcome.outputText) }
      var rest = outcome.lines[...]
      let missing = row.lines.first { pattern in
        rest = rest.drop { fnmatch(pattern, $0, 0) != 0 }
        return rest.popFirst() == nil
      }
      if missing == nil { return }
      #expect(attempt < row.tries, "\(missing ?? "")\n\(outcome.outputText)")
    }
  }
}

/// A copy of a folder of C programs, built as their readers would: with the Makefile of the guide.
final class Workshop: Sendable {
  static let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  private static let made = Shared<[String: Workshop]>([:])
  private let place: TemporaryDirectory

  static func guide() throws -> Workshop { try of(folder) }
  static func claims() throws -> Workshop { try of("\(folder)/Tests/GuideTests/Claims") }

  private static func of(_ sources: String) throws -> Workshop {
    if let known = made.value[sources] { return known }
    let workshop = try Workshop(sources)
    made.change { $0[sources] = workshop }
    return workshop
  }

  private init(_ sources: String) throws {
    place = try TemporaryDirectory()
    // libdispatch and its headers are those of Swift, as is clang.
    let script = """
      cp "$1"/*.c "$2/Makefile" .
      swift=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\\(.*\\)".*/\\1/p')
      libraries="-L$swift/linux -Wl,-rpath,$swift/linux -ldispatch -lBlocksRuntime -lpthread"
      exec make -s -j2 CC="${swift%/lib/swift}/bin/clang -Wshadow -Wconversion -Werror" \
        weir="-I$2/../../include -isystem $swift $libraries"
      """
    let outcome = try shell(script, sources, Workshop.folder, in: place).runBlocking()
    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errorText)")
  }

  func run(_ words: String) -> Command {
    let words = words.split(separator: " ").map { Array($0.utf8) }
    var command = Command(place.path("") + words[0], Array(words.dropFirst()))
    command.directory = place.path
    return command
  }
}

extension Outcome {
  var lines: [String] {
    outputText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
