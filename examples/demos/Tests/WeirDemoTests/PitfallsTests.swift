// weir-demo pitfalls: each mistake runs for real, under its watchdog, and leaves nothing behind.

import Demos
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PitfallsProgramTests {
  /// The processes whose working directory is that of a test.
  private static func processes(in directory: TemporaryDirectory) -> [Int32] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let place = URL(filePath: directory.text).resolvingSymlinksInPath().path
    return numbers.compactMap(Int32.init).filter { number in
      let link = "/proc/\(number)/cwd"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == place
    }
  }

  /// A run with a watchdog that a busy machine does not wake.
  private func pitfalls(_ words: String..., in directory: TemporaryDirectory) -> Command {
    weirDemo((["pitfalls", "--watchdog", "600"] + words).map { Array($0.utf8) }, in: directory)
  }

  // MARK: The runs

  @Test(
    "each pitfall breaks as described, and its fix works",
    arguments: Pitfall.all.map(\.name))
  func pitfall(name: String) async throws {
    let pitfall = try #require(Pitfall.named(name))
    let directory = try TemporaryDirectory()
    let result = try await pitfalls(name, in: directory).run()
    let text = result.outputText
    result.expectSilence()
    // What ran is what is printed.
    let file = "\(packageRoot)/Sources/Demos/Page/pitfalls/\(name)"
    for version in ["broken", "fixed"] {
      let code = try String(contentsOfFile: "\(file).\(version).swift", encoding: .utf8)
      let printed = code.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
      #expect(text.contains(printed))
    }
    for part in ["\(name): ", "Expected: ", "Happened:", "Why: ", "Fix: ", "Happened, fixed:"] {
      #expect(text.contains("\n\(part)") || text.hasPrefix(part), "\(part) in \(text)")
    }
    let verdicts = [
      "as described (\(pitfall.symptom.rawValue))", "the mistake did not show this time",
    ]
    #expect(verdicts.contains { text.contains($0) }, "\(text)")
    let fault = try #require(text.range(of: "\nAt fault, line "))
    let happened = try #require(text.range(of: "\nHappened:"))
    #expect(happened.lowerBound < fault.lowerBound, "the line at fault is shown after the run")
    #expect(Self.processes(in: directory).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.text).isEmpty, "a core")
  }

  @Test("the watchdog ends a run before its own end")
  func watchdog() async throws {
    let directory = try TemporaryDirectory()
    let result = try await weirDemo(
      "pitfalls", "unordered-results", "--watchdog", "0.05", in: directory
    ).run()
    #expect(result.status == 1 && result.errors.isEmpty)
    #expect(result.outputText.contains("The run was not over after "))
    #expect(result.outputText.contains("not as described: the broken version should show wrong"))
    #expect(Self.processes(in: directory).isEmpty)
  }

  /// The child of a process; `nil` if it has none.
  private static func child(of number: Int32) -> Int32? {
    let text = try? String(
      contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)
    return text?.split(separator: " ").first.flatMap { Int32($0) }
  }

  @Test("a signal to the program ends the run too", arguments: [SIGINT, SIGTERM, SIGKILL])
  func signal(number: Int32) async throws {
    let directory = try TemporaryDirectory()
    let found: Int32? = try await onThread {
      let tool = try Child(pitfalls("group-wait-on-main", in: directory))
      var child: Int32?
      while child == nil && !Self.isGone(tool.pid) { child = Self.child(of: tool.pid) }
      kill(tool.pid, number)
      let result = try tool.finish()
      #expect(result.signal == number && !result.wasLate)
      return child
    }
    let child = try #require(found)
    // The child looks for its parent again and again.
    #expect(try await onThread { eventuallyBlocking { Self.isGone(child) } })
  }

  /// True if a process has ended, also if nobody has waited for it.
  private static func isGone(_ number: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else {
      return true
    }
    return text.contains(") Z ")
  }

  @Test("one version runs in the process itself, for a debugger")
  func here() async throws {
    let directory = try TemporaryDirectory()
    let fixed = try await weirDemo("pitfalls", "extra-leave", "fixed", in: directory).run()
    fixed.expectSilence()
    #expect(fixed.outputText.hasSuffix("the download is over\n"))
    var command = weirDemo("pitfalls", "extra-leave", "broken", in: directory)
    command.environment = ["SWIFT_BACKTRACE=enable=no"]
    let broken = try await command.run()
    #expect(broken.signal == SIGILL || broken.signal == SIGTRAP)
    #expect(broken.outputText.hasSuffix("answer\n"))
  }

  // MARK: The output

  @Test("the JSON is what the course has recorded, but for the numbers of a run")
  func json() async throws {
    let directory = try TemporaryDirectory()
    let file = "\(packageRoot)/../course/pitfalls.jsonl"
    let recorded = try String(contentsOfFile: file, encoding: .utf8)
    for name in ["sync-own-queue", "extra-leave"] {
      let result = try await pitfalls(name, "--json", in: directory).run()
      result.expectSilence()
      #expect(recorded.contains(result.outputText), "\(result.outputText)")
    }
  }

  @Test("on a terminal the demo asks first, until the answer is a symptom")
  func terminal() async throws {
    let directory = try TemporaryDirectory()
    let text = try await onThread {
      let terminal = try Terminal(input: "a crash\ntr\n")
      var command = pitfalls("semaphore-released", in: directory)
      command.input = .file(terminal.name, O_RDONLY | O_NOCTTY)
      command.output = .file(terminal.name, O_WRONLY | O_NOCTTY)
      let child = try Child(command)
      let text = terminal.text(until: "was right")
      let result = try child.finish()
      #expect(result.status == 0 && result.errors.isEmpty)
      return text
    }
    #expect(text.components(separatedBy: "What will happen: ").count == 3)
    let asked = try #require(text.range(of: "What will happen: "))
    let happened = try #require(text.range(of: "Happened:"))
    #expect(asked.upperBound < happened.lowerBound)
  }

  @Test(
    "a usage error has a message",
    arguments: [
      (["extra-leaf"], "no pitfall is called extra-leaf; weir-demo pitfalls lists them"),
      (["extra-leave", "mended"], "unexpected operand mended"),
      (["all", "broken"], "unexpected operand broken"),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let directory = try TemporaryDirectory()
    let words = ["pitfalls"] + arguments
    let result = try await weirDemo(words.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText.hasPrefix("weir-demo: \(sentence)"), "\(result.errorText)")
  }
}
