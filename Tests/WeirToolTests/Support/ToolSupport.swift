// Helpers that run the built `weir`.

import Glibc
import TestSupport
import Testing

/// The directory of the repository.
let repositoryRoot = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

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

/// Returns the peak memory, in KiB, of a run that has written so many lines and waits for its input;
/// -1 if it fails. The peak of wait4 would include that of this process.
func residentPeak(of command: Command, lines: Int) async throws -> Int {
  var asked = command
  asked.input = .bytes([])
  let held = asked
  return try await onThread {
    let child = try Child(held, holdsInput: true)
    defer { _ = try? child.finish(limit: held.limit) }
    var (seen, found) = (0, 0)
    let isThere = child.collect(limit: held.limit) { output, _ in
      found += output[seen...].lazy.filter { $0 == 0x0A }.count
      seen = output.count
      return found >= lines
    }
    guard isThere else { return -1 }
    let status = contents(ofFile: Array("/proc/\(child.pid)/status".utf8)) ?? []
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? -1
  }
}
