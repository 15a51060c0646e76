// Every verb of the tool at once, for a long time, under pressure of memory and descriptors, with
// random signals. `make test-endurance` sets WEIR_TEST_ENDURANCE to the number of minutes.

import Glibc
import TestSupport
import Testing

/// The counts of runs by verb.
private struct Counts: Sendable {
  var runs = 0
  var (right, interrupted, refused, wrong) = (0, 0, 0, 0)
}

@Suite(.serialized, .timeLimit(.minutes(1500)))
struct ToolEnduranceTests {
  private static let minutes = getenv("WEIR_TEST_ENDURANCE").flatMap { Int(String(cString: $0)) }
  private static let workers = 4

  @Test(
    "all verbs at once under limits and signals: no result is wrong and nothing is left",
    .enabled(if: minutes != nil))
  func verbs() async throws {
    let directory = try TemporaryDirectory()
    let verbs = try await verbs(in: directory)
    let names = names(inDirectory: directory.text)
    let counts = Shared<[String: Counts]>([:])
    let faults = Shared<[String]>([])
    let end = ContinuousClock.now.advanced(by: .seconds(60 * (Self.minutes ?? 0)))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers {
        group.addTask {
          var random = SeededGenerator(for: "endurance \(worker)")
          while ContinuousClock.now < end {
            guard let verb = verbs.randomElement(using: &random) else { return }
            let pressure = EndurancePressure(using: &random)
            let verdict =
              (try? await onThread { try verb.run(pressure, in: directory) })
              ?? .wrong("\(verb.name) could not be started")
            counts.change { counts in
              counts[verb.name, default: Counts()].runs += 1
              switch verdict {
              case .right: counts[verb.name]?.right += 1
              case .interrupted: counts[verb.name]?.interrupted += 1
              case .refused: counts[verb.name]?.refused += 1
              case .wrong: counts[verb.name]?.wrong += 1
              }
            }
            if case .wrong(let text) = verdict { faults.change { $0.append(text) } }
          }
        }
      }
      group.addTask {
        while ContinuousClock.now.advanced(by: .seconds(60)) < end {
          try? await Task.sleep(for: .seconds(60))
          let sum = counts.value.values.reduce(0) { $0 + $1.runs }
          print("endurance: \(sum) runs, \(faults.value.count) wrong, \(Resources.text)")
        }
      }
    }
    for (name, count) in counts.value.sorted(by: { $0.key < $1.key }) {
      print(
        "endurance of weir \(name): \(count.runs) runs, \(count.interrupted) interrupted, "
          + "\(count.refused) refused for memory, wrong \(count.wrong)")
      // Most have no limit that they could not keep.
      #expect(count.right * 4 > count.runs)
    }
    #expect(counts.value.count == verbs.count)
    for text in faults.value.prefix(20) { Issue.record("\(text)") }
    #expect(faults.value.isEmpty, "\(faults.value.count) are wrong")
    #expect(TestSupport.names(inDirectory: directory.text) == names, "files are left")
    #expect(try await noneIsLeft(directory), "a process is left")
  }

  /// Makes the tree and the verbs on it. A file that one of them writes is removed with the run.
  private func verbs(in directory: TemporaryDirectory) async throws -> [EnduranceVerb] {
    var random = SeededGenerator(for: "endurance of the tool")
    try directory.fill("t", files: 400, using: &random)
    try directory.fill("s", files: 12, using: &random)
    for arguments in [
      words("hash", "-o", "M", "t"), words("plan", "--shards", "1", "-o", "P", "t"),
      words("hash", "--plan", "P", "--shard", "0/1", "--out", "parts"),
    ] {
      let made = try await weir(arguments, in: directory).run()
      try #require(made.status == 0, "\(made.errorText)")
    }
    let all: [(String, [[UInt8]], Bool)] = [
      ("hash", words("hash", "t"), true),
      ("hash -a", words("hash", "-a", "blake3,md5", "--tag", "t"), true),
      ("check", words("check", "M"), true),
      ("check --audit", words("check", "--audit", "t", "M"), true),
      ("count", words("count", "t"), true), ("duplicates", words("duplicates", "t"), false),
      ("run", words("run", "s", "--", "sh", "-c", "echo \"$1\"", "sh", "{}"), true),
      ("merge", words("merge", "--plan", "P", "parts"), true),
      ("status", words("status", "--plan", "P", "parts"), true),
    ]
    var verbs: [EnduranceVerb] = []
    for (name, arguments, hasPrefixes) in all {
      let outcome = try await weir(arguments, in: directory).run()
      let status = try #require(outcome.status)
      verbs.append(
        EnduranceVerb(
          name: name, words: arguments, status: status, output: outcome.output,
          hasPrefixes: hasPrefixes))
    }
    return try await verbs + others(in: directory)
  }

  /// The verbs that write a file, and a drop-in name.
  private func others(in directory: TemporaryDirectory) async throws -> [EnduranceVerb] {
    let expected = try #require(contents(ofFile: directory.path("M")))
    let output = words("-o", "@")
    let sums = directory.path("sha256sum")
    try directory.link("sha256sum", to: String(decoding: weirPath, as: UTF8.self))
    let check = try await other(
      String(decoding: sums, as: UTF8.self), words("-c", "M"), in: directory
    )
    .run()
    return [
      EnduranceVerb(
        name: "hash -o", words: words("hash") + output + words("t"), status: 0, output: [],
        hasPrefixes: false, file: expected),
      EnduranceVerb(
        name: "run --joblog", words: words("run", "--joblog", "@", "s", "--", "true"),
        status: 0, output: [], hasPrefixes: false),
      EnduranceVerb(
        name: "sha256sum", words: words("-c", "M"), status: try #require(check.status),
        output: check.output, hasPrefixes: true, program: sums),
    ]
  }

  /// Returns true if no process has the directory as its own any more, after a while.
  private func noneIsLeft(_ directory: TemporaryDirectory) async throws -> Bool {
    let script = """
      for i in 1 2 3 4 5 6 7 8 9 10; do
        left=; for cwd in /proc/[0-9]*/cwd; do
          [ "$(readlink "$cwd")" != "$1" ] || [ "$cwd" = /proc/$$/cwd ] || left=$cwd; done
        [ -n "$left" ] || exit 0; sleep 0.5
      done; echo "$left"; exit 1
      """
    var command = shell(script, directory.text, in: directory)
    command.directory = Array("/".utf8)
    return try await command.run().status == 0
  }
}

/// The descriptors and threads of this process, which starts the runs.
private enum Resources {
  static var text: String {
    let count = { (name: String) in names(inDirectory: "/proc/self/\(name)").count }
    return "\(count("fd")) descriptors, \(count("task")) threads of the driver"
  }
}
