// Helpers that run the built `weir`.

import Glibc
import TestSupport
import Testing

/// The tool that was built with these tests, beside the program that runs them, or the tool
/// in WEIR_TEST_TOOL.
let weirPath: [UInt8] = {
  if let given = getenv("WEIR_TEST_TOOL") { return Array(String(cString: given).utf8) }
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let program = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
  let end = program.lastIndex(of: UInt8(ascii: "/")) ?? 0
  return program[..<end] + Array("/weir".utf8)
}()

/// A run of weir with arguments as text.
func weir(_ arguments: String..., in directory: TemporaryDirectory) -> Command {
  weir(arguments.map { Array($0.utf8) }, in: directory)
}

/// A run of weir with arguments as bytes.
func weir(_ arguments: [[UInt8]], in directory: TemporaryDirectory) -> Command {
  var command = Command(weirPath, arguments)
  command.directory = directory.path
  return command
}

/// A run of another program, in the same place.
func other(_ program: String, _ arguments: [[UInt8]], in directory: TemporaryDirectory) -> Command {
  var command = Command(Array(program.utf8), arguments)
  command.directory = directory.path
  return command
}

/// `sh -c SCRIPT`, in which `$0` is weir and `$1` and so on are the arguments.
func shell(_ script: String, _ arguments: String..., in directory: TemporaryDirectory) -> Command {
  other(
    "sh", [Array("-c".utf8), Array(script.utf8), weirPath] + arguments.map { Array($0.utf8) },
    in: directory)
}

/// True if there is a compiler, and libraries can be loaded before libc.
@Sendable func canInterpose() -> Bool {
  isInstalled("cc") && bytesInUse() > 0
}

/// The directory of the repository.
let repositoryRoot = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

/// Returns true if strace can trace here.
@Sendable func straceWorks() async throws -> Bool {
  guard isInstalled("strace") else { return false }
  let works = try await Command("strace", "-f", "-o", "/dev/null", "true").run().status == 0
  if !works { print("skipped: strace may not trace here") }
  return works
}

extension Child {
  /// Sends SIGUSR1 until the answer satisfies a condition. The run must have written
  /// something.
  func inquire(until isIt: (String) -> Bool) -> Bool {
    var answers: [Substring] = []
    let look = { (errors: [UInt8]) in
      answers = String(decoding: errors, as: UTF8.self).split(separator: "\n")
        .filter { $0.contains("B/s") }
    }
    _ = collect(limit: 40) { _, errors in
      look(errors)
      return true
    }
    for _ in 0..<10_000 {
      let before = answers.count
      kill(pid, SIGUSR1)
      let isAnswered = collect(limit: 40) { _, errors in
        look(errors)
        return answers.count > before
      }
      guard isAnswered else { return false }
      if isIt(String(answers.last ?? "")) { return true }
    }
    return false
  }
}

extension TemporaryDirectory {
  /// Makes nested directories deeper than the longest path, runs a script in the last one, and
  /// returns its path.
  func makeDeep(_ top: String, _ name: String, levels: Int, _ script: String) async throws
    -> String
  {
    let walk =
      "mkdir \"$1\" && cd \"$1\" && for i in $(seq \"$3\"); do mkdir \"$2\" && cd -P \"$2\"; done"
    let made = try await shell("\(walk) && \(script)", top, name, "\(levels)", in: self).run()
    made.expectSilence()
    return ([top] + Array(repeating: name, count: levels)).joined(separator: "/")
  }
}

/// Words as bytes.
func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

extension Outcome {
  /// Expects success: status 0 and no message.
  func expectSilence(_ location: SourceLocation = #_sourceLocation) {
    #expect(status == 0 && !wasLate, sourceLocation: location)
    #expect(errorText.isEmpty, sourceLocation: location)
  }

  /// The lines of the output.
  var lines: [ArraySlice<UInt8>] { output.split(separator: 0x0A) }
}

let hasOracle = isInstalled("sha256sum") && isInstalled("find")
